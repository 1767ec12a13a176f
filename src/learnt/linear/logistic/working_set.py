"""L1 penalties on many columns: few of them matter, and they are sought out a handful at a time."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.linear.logistic.newton import by_newton
from learnt.linear.logistic.passes import TakeGradient
from learnt.linear.logistic.problem import Problem, Solution, View

#: Columns taken in at first, and the most of a working set.
FIRST, MOST = 50, 4000


def by_working_sets(
    problem: Problem, view: View, start: Array, tol: float, max_iter: int
) -> Generator[Pass, Any, Solution]:
    """Newton's method on the columns in use and those that want to be most, until none does.

    A column at 0 stays there while |gradient| ≤ l1. Those beyond join, the worst first, as many again as there are.
    """
    point, used = start.copy(), 0
    solution = Solution(point, np.inf, np.inf, 0, False, np.zeros_like(point))
    penalised = np.broadcast_to(problem.penalised(view.scale), (problem.n_scores, problem.n_columns))
    for round_ in range(1, max_iter + 1):
        coef, base = view.to_user(point)
        found = yield TakeGradient(problem, coef, base, round_)
        (loss,), by_coef, by_intercept, spread = found.arrays
        objective = float(loss) + problem.penalty(coef)
        gradient = view.gradient(by_coef, by_intercept)[:, 1:] + problem.l2 * penalised**2 * point[:, 1:]
        wanted, gain = _possible_gains(problem, gradient, penalised, spread, point[:, 1:])
        if used and gain <= tol * tol * objective:
            return Solution(point, objective, max(gain, solution.gap), used, solution.converged, solution.step)
        columns = _columns(point, wanted, problem.n_scores)
        if not len(columns):
            columns = np.arange(min(1, problem.n_columns))  # the intercept alone remains to be found
        part = np.concatenate([[0], columns + 1])
        inner = yield from by_newton(problem.on(columns), view.on(columns), point[:, part], tol / 2, max_iter)
        used += inner.n_iter
        point = np.zeros_like(point)
        point[:, part] = inner.point
        step = np.zeros_like(point)
        step[:, part] = inner.step
        solution = Solution(point, inner.objective, inner.gap, used, inner.converged, step)
    return Solution(point, solution.objective, solution.gap, used, False, solution.step)


def _possible_gains(
    problem: Problem, gradient: Array, penalised: Array, spread: Array, beta: Array
) -> tuple[Array, float]:
    """What each column at 0 could gain by moving alone, and their sum: an estimate of what is left to gain."""
    beyond = np.maximum(np.abs(gradient) - problem.l1 * penalised, 0.0)
    curvature = np.maximum(spread[:, None], 1e-300) + problem.l2 * penalised**2
    gains = np.where((beta == 0) & (penalised > 0), 0.5 * beyond**2 / curvature, 0.0)
    return gains.max(axis=0), float(gains.sum())


def _columns(point: Array, wanted: Array, n_scores: int) -> Array:
    """Those in use, and as many again of those that want to be."""
    active = np.flatnonzero((point[:, 1:] != 0).any(axis=0))
    room = max(FIRST, min(2 * len(active), MOST // n_scores) - len(active))
    best = np.argsort(-wanted, kind="stable")[:room]
    return np.union1d(active, best[wanted[best] > 0])
