"""Alternating least squares: users given items, items given users, until the objective rests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.recommendation.factors import SideFactors, WholeSums
from learnt.recommendation.ratings import RatingBlock, Ratings, Side
from learnt.watch import report

#: Rounds of coordinates for one row whose factors must not be negative; it stops before when nothing moves.
ROUNDS = 50


@dataclass
class Solution:
    """Factors of both sides, and the objective after each sweep, which never rises."""

    x: SideFactors
    y: SideFactors
    objectives: list[float] = field(default_factory=list)
    converged: bool = False


@dataclass(frozen=True)
class Penalty:
    """What the squares of a user's or item's factors cost: λ (n + m), n being the weight of its rows; or λ."""

    regularization: float
    by_count: bool
    prior_count: float  # m

    def of(self, weights: Array) -> Array:
        counts = weights + self.prior_count if self.by_count else np.ones(len(weights))
        return np.asarray(self.regularization * counts)


@dataclass(frozen=True, eq=False)
class Task:
    """What is minimised, λ_u and λ_i being penalties (`Penalty`):

    explicit   Σ w (t − b_u − c_i − x_u·y_i)² + Σ_u λ_u (|x_u|² + b_u²) + Σ_i λ_i (|y_i|² + c_i²)
    implicit   the same sum over all pairs, those without rows having t = 0 and w = 1
    """

    ratings: Ratings
    implicit: bool
    per_row: Penalty

    def penalty(self, side: Side) -> Array:
        return self.per_row.of(self.ratings.weights[side])


def solve_block(
    block: RatingBlock,
    penalty: Array,
    others: SideFactors,
    mine: SideFactors,
    whole: WholeSums | None,
    solver: str,
    steps: int,
) -> Array:
    """Rows of one side anew, the other being fixed; what is left of the objective, a row."""
    options = _core.FactorOptions(solver=solver, steps=steps)
    left = np.zeros(len(block))
    gram, sums, pull = (None, None, None) if whole is None else (whole.gram, whole.sums, whole.pull)
    square = 0.0 if whole is None else whole.square
    _core.solve_factor_rows(
        block.offsets, block.indices, block.values, block.weights, others.vectors, others.bias, gram, sums, pull,
        square, np.ascontiguousarray(penalty), options, mine.vectors, mine.bias, left,
    )  # fmt: skip
    return left


def half_sweep(task: Task, side: Side, mine: SideFactors, others: SideFactors, solver: str, steps: int) -> float:
    """All users, or all items, anew; the objective, but for the penalty of the other side."""
    penalty, total = task.penalty(side), 0.0
    whole = WholeSums.of(others) if task.implicit else None
    for first, block in task.ratings.blocks(side):
        rows = slice(first, first + len(block))
        part = SideFactors(mine.vectors[rows], None if mine.bias is None else mine.bias[rows], mine.rank)
        total += float(solve_block(block, penalty[rows], others, part, whole, solver, steps).sum())
    return total


def alternate(task: Task, start: Solution, solver: str, steps: int, max_iter: int, tol: float, owner: str) -> Solution:
    """Sweeps over users and items until one lowers the objective by less than a share `tol` of the first one's."""

    def sweep() -> float:
        half_sweep(task, "user", start.x, start.y, solver, steps)
        left = half_sweep(task, "item", start.y, start.x, solver, steps)
        return left + float(task.penalty("user") @ start.x.squares())

    return iterate(start, sweep, max_iter, tol, owner, "sweep")


def iterate(
    solution: Solution, step: Callable[[], float], max_iter: int, tol: float, owner: str, what: str
) -> Solution:
    """Steps, each giving the objective after it, until it rests."""
    for iteration in range(1, max_iter + 1):
        now = step()
        before = solution.objectives[-1] if solution.objectives else float("inf")
        solution.objectives.append(now)
        report(what, learner=owner, iteration=iteration, total=max_iter, objective=now)
        if iteration > 1 and before - now <= tol * abs(solution.objectives[0]):
            solution.converged = True
            break
    return solution
