"""L1 penalties on many sparse columns in memory: coordinate descent on the least squares of each step."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.linear.logistic.lasso import centred
from learnt.linear.logistic.passes import Kept, OverEncodedRows, TakeGradient
from learnt.linear.logistic.problem import Problem, Solution, View
from learnt.watch import report, watching

#: Rounds of coordinate descent on one least squares: a few while steps still gain more than a rough part of the
#: objective, since the next one has other least squares anyway.
FIRST_ROUNDS, ROUNDS, ROUGH = 3, 12, 5e-2
#: The least curvature of a row, relative to its weight.
LEAST = 1e-8
#: How many times what the last step gained there may be left to gain: steps are not exact.
LEFT = 5


def by_columns(problem: Problem, view: View, start: Array, tol: float, max_iter: int) -> Generator[Pass, Any, Solution]:
    """One class after the other: weighted least squares that touch the objective, with the L1 penalty on top.

    Steps that would raise the objective are halved. Ends when a round over the classes promises to gain less than
    tol² of the objective.
    """
    coef, base = view.to_user(start)
    k, penalised = problem.n_scores, problem.penalised(np.ones(problem.n_columns))
    before, gain, length, step = np.inf, 0.0, 1.0, (np.zeros_like(coef), np.zeros_like(base))
    gains, score, iteration, number = np.full(k, np.inf), 0, 0, 0
    while True:
        number += 1
        loss = (yield TakeGradient(problem, coef, base, number)).arrays[0]
        objective = float(loss[0]) + problem.penalty(coef)
        if not objective <= before - 1e-4 * length * gain + 1e-13 * abs(before) and length > 1e-9:
            length /= 2
            coef, base = coef - length * step[0], base - length * step[1]
            continue
        before, length = objective, 1.0
        if score == 0:
            iteration += 1
            if watching():
                report("coordinate", learner="LogisticRegression", iteration=iteration, objective=objective)
            done = float(gains.sum()) <= tol * tol * objective
            if done or iteration > max_iter:
                point = view.from_user(coef, base)
                return Solution(point, objective, float(gains.sum()), iteration - 1 or 1, done, 0 * point)
        rounds = FIRST_ROUNDS if gains[score] > ROUGH * objective else ROUNDS
        found = yield DescendColumns(problem, coef, base, number, score, 0.1 * (tol * tol) * objective / k, rounds)
        by_coef, by_intercept, gained = found.arrays
        gain, gains[score] = float(gained[0]), LEFT * float(gained[0])
        step = (np.zeros_like(coef), np.zeros_like(base))
        step[0][score], step[1][score] = by_coef, by_intercept[0]
        coef, base = coef + step[0], base + step[1]
        score = (score + 1) % k
        if score == 0 and k > 1:
            whole = np.column_stack([base, coef])
            lasso = np.broadcast_to(problem.l1 * np.append(1.0, penalised), whole.shape)
            moved = centred(whole, lasso, problem.ridge_of_lasso) - whole
            coef = coef + moved[:, 1:]  # the same for all classes: no row sees it


class DescendColumns(OverEncodedRows):
    """The step of one score, the others fixed; takes all rows at once."""

    def __init__(
        self, problem: Problem, coef: Array, intercept: Array, number: int, score: int, allowed: float, rounds: int
    ):
        super().__init__(problem, coef, intercept, number)
        self.score, self.allowed, self.rounds = score, allowed, rounds

    def sums(self, batch: Batch, kept: Kept, weights: Array | None) -> tuple[Array, ...]:
        problem, share = self.problem, kept.shares[self.score]
        right = batch.target == (self.score if problem.n_scores > 1 else 1)
        w = np.ones(len(share)) if weights is None else weights
        curvature = w * np.maximum(share * (1 - share), LEAST)
        whole = float(curvature.sum())
        s = curvature / whole
        error = (right - share) / np.maximum(share * (1 - share), LEAST)
        middle = float(s @ error) if problem.intercept else 0.0
        x, squares = kept.columns
        mean, size = _moments(x, squares, s, problem.intercept)
        p, penalised = problem.n_columns, problem.penalised(np.ones(problem.n_columns))
        before = self.coef[self.score]
        coef, residual = before.copy(), np.append(s * (error - middle), 0.0)
        start = 0.5 * float(s @ (error - middle) ** 2) + problem.penalty(before) / whole
        common = (
            np.arange(p + 1, dtype=np.int64),
            size,
            problem.l1 / whole * penalised,
            problem.l2 / whole * penalised**2,
            False,
            self.allowed / whole,
            1.0,
            self.rounds,
            coef,
            residual,
            residual.copy(),
            x.T @ residual[:-1],
        )
        _, end, _ = _core.descend_csc(x.data, x.indices, x.indptr, x.shape[0], mean, s, *common)
        moved = coef - before
        base = middle - float(mean @ moved)
        return moved, np.array([base if problem.intercept else 0.0]), np.array([whole * max(start - end, 0.0)])


def _moments(x: Any, squares: Any, s: Array, intercept: bool) -> tuple[Array, Array]:
    """Means of the columns by the shares s of the rows, and their variances; without an intercept 0 and Σ s x²."""
    sums, square = x.T @ s, squares.T @ s
    mean = sums if intercept else np.zeros_like(sums)
    size = square - mean**2
    return mean, np.where(size > 1e-13 * square, size, 0.0)
