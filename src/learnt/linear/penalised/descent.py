"""Penalised least squares solved: along a path of penalties, and for one penalty to the last digit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.linear.penalised.active_set import MOST_COLUMNS, exact_solution
from learnt.linear.penalised.group_lasso import exact_groups
from learnt.linear.penalised.penalty import Penalty
from learnt.linear.penalised.problem import Position, Problem, Progress
from learnt.watch import report, watching

#: On the way to one penalty: the ratio of neighbouring ones, how many there are at most, and the gap allowed there.
STRIDE, MOST_STEPS, ROUGH = 0.5, 40, 1e-2
#: The exact solution is tried for after so many rounds, then ten times as many with a gap a hundred times smaller, …
FIRST_ROUNDS, ATTEMPTS = 100, 4


@dataclass(frozen=True)
class Solution:
    """`gap` is how far, at most, the objective lies above its minimum."""

    coef: Array
    objective: float
    gap: float
    rounds: int
    converged: bool


def largest_alpha(problem: Problem, penalty: Penalty) -> float:
    """From this penalty on every coefficient is zero."""
    varies = np.where(problem.square > 0, problem.target_products, 0.0)
    return penalty.largest(varies)


def alpha_grid(problem: Problem, penalty: Penalty, n_alphas: int, eps: float) -> Array:
    """From the smallest penalty that leaves nothing down to `eps` of it, in equal ratios."""
    top = largest_alpha(problem, penalty)
    if not top > 0:  # nothing to find: any penalty will do
        top = np.finfo(np.float64).tiny / eps if problem.target_square == 0 else np.sqrt(problem.target_square)
    return np.geomspace(top, top * eps, n_alphas)


def follow(
    problem: Problem, penalty: Penalty, alphas: Array, tol: float, max_iter: int, learner: str = ""
) -> Iterator[Solution]:
    """A solution for each of falling `alphas`, each the start of the next."""
    position = problem.at(np.zeros(len(problem.mean)))
    before = max(largest_alpha(problem, penalty), float(alphas[0])) if len(alphas) else 0.0
    for k, alpha in enumerate(alphas.tolist()):
        found = _step(problem, position, penalty, alpha, before, tol, max_iter)
        if watching():
            report(
                "penalty path",
                learner=learner,
                iteration=k + 1,
                total=len(alphas),
                objective=found.objective,
                alpha=alpha,
                nonzero=int(np.count_nonzero(position.coef)),
            )
        yield Solution(
            position.coef.copy(), found.objective, found.gap, found.rounds, found.gap <= _allowed_gap(problem, tol)
        )
        before = alpha


def solve(problem: Problem, penalty: Penalty, alpha: float, tol: float, max_iter: int, learner: str = "") -> Solution:
    """The solution for one penalty: by descent from larger ones, then exactly for the signs found."""
    top = largest_alpha(problem, penalty)
    if not alpha < top:
        return Solution(np.zeros(len(problem.mean)), problem.target_square / 2, 0.0, 0, True)
    steps = min((np.log(top) - np.log(alpha)) / -np.log(STRIDE), MOST_STEPS)
    way = np.geomspace(top, alpha, 2 + int(steps))
    finish = exact_solution if len(penalty.factor) == len(problem.mean) else exact_groups
    position, before, rounds = problem.at(np.zeros(len(problem.mean))), top, 0
    for step in way[1:-1].tolist():
        rounds += _step(problem, position, penalty, step, before, max(tol, ROUGH), max_iter - rounds).rounds
        before = step
    for attempt in range(ATTEMPTS):
        wanted, most = tol * 0.01**attempt, FIRST_ROUNDS * 10**attempt
        found = _step(problem, position, penalty, alpha, before, wanted, min(most, max_iter - rounds))
        rounds, before = rounds + found.rounds, alpha
        if watching():
            report("coordinate descent", learner=learner, iteration=rounds, objective=found.objective, gap=found.gap)
        exact = finish(problem, penalty, alpha, position.coef)
        if exact is not None:
            proof = problem.descend(problem.at(exact), penalty, alpha, 0.0, 1.0, 0)  # no round: the certificate alone
            return Solution(exact, proof.objective, proof.gap, rounds, True)
        enough = found.gap <= _allowed_gap(problem, tol) and np.count_nonzero(position.coef) > MOST_COLUMNS
        if enough or rounds >= max_iter:
            break
    return Solution(position.coef, found.objective, found.gap, rounds, found.gap <= _allowed_gap(problem, tol))


def _step(
    problem: Problem, position: Position, penalty: Penalty, alpha: float, before: float, tol: float, rounds: int
) -> Progress:
    # The strong rule: a column that lies below 2·alpha − before is unlikely to be needed.
    return problem.descend(position, penalty, alpha, _allowed_gap(problem, tol), 2 - before / alpha, max(rounds, 0))


def _allowed_gap(problem: Problem, tol: float) -> float:
    """A gap relative to the objective where all coefficients are zero."""
    return tol * problem.target_square / 2
