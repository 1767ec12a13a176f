"""Newton's method for few columns: each step one pass, which brings loss, gradient and curvature together."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.engine.sizes import squares_overflow
from learnt.linear.logistic.lasso import least_of_quadratic, solved
from learnt.linear.logistic.passes import Curvature, TakeCurvature
from learnt.linear.logistic.problem import Problem, Solution, View
from learnt.watch import report, watching


def by_newton(
    problem: Problem, view: View, start: Array, tol: float, max_iter: int, first: Curvature | None = None
) -> Generator[Pass, Any, Solution]:
    """Steps to the least of the quadratic that touches the objective, halved while the objective would rise.

    The step is taken once more when the gain it promises is below tol² of the objective, or nothing but rounding; it
    is then the last.
    `first` is what a pass at `start` would find, where that is known already.
    """
    point, step, derivative = start, np.zeros_like(start), 0.0
    before, length = np.inf, 1.0
    stretch = view.stretch(problem.n_scores)
    penalised = np.broadcast_to(np.append(0.0, problem.penalised(view.scale)), stretch.shape)
    with np.errstate(over="ignore"):
        ridge, lasso = problem.l2 * penalised**2, problem.l1 * penalised
    ridge = np.minimum(ridge, 1e300)  # a coefficient that costs more is 0 as well
    objective = gap = np.inf
    for iteration in range(1, max_iter + 1):
        coef, base = view.to_user(point)
        found: Curvature = first if first is not None else (yield TakeCurvature(problem, coef, base, view.shift))
        first = None
        objective = found.loss + problem.penalty(coef)
        error = _rounding(view, coef, base)
        allowed = before + 1e-4 * length * derivative + max(1e-13, error) * abs(before)
        if not objective <= allowed and length > 1e-9:
            length /= 2
            point = point - length * step
            continue
        before, length = objective, 1.0
        gradient = found.gradient * stretch + ridge * point
        curvature = _scaled(found.hessian, stretch) + np.diag(ridge.ravel())
        step, derivative, gap = _step(problem, point, gradient, curvature, lasso)
        point = point + step
        if watching():
            report("newton", learner="LogisticRegression", iteration=iteration, objective=objective, gap=gap)
        # A gain that errors of all scores make up as well: half of curvature times error².
        unsure = 0.5 * (4 * error) ** 2 * float(found.hessian.diagonal()[:: point.shape[1]].sum())
        if gap <= max(tol * tol * objective, unsure):
            return Solution(point, objective - gap, gap, iteration, True, step)
    return Solution(point, objective, gap, max_iter, False, step)


def _rounding(view: View, coef: Array, base: Array) -> float:
    """The error of scores by rounding: columns far from 0 next to their spread have few digits."""
    terms = float((np.abs(base) + np.abs(coef) @ np.abs(view.shift)).max(initial=0.0))
    return min(np.finfo(np.float64).eps * terms, 1.0)  # beyond, there are no digits


def _scaled(hessian: Array, stretch: Array) -> Array:
    by = stretch.ravel()
    scaled: Array = hessian * by[:, None] * by
    return scaled


def _step(
    problem: Problem, point: Array, gradient: Array, curvature: Array, lasso: Array
) -> tuple[Array, float, float]:
    """The step, the derivative of the objective along it, and what the quadratic says it gains."""
    curvature = _anchored(problem, curvature, point.shape[0])
    if not np.isfinite(curvature).all():
        raise squares_overflow("A column")
    if not problem.intercept:
        _hold(curvature, gradient)
    if lasso.any():
        step = least_of_quadratic(curvature, gradient, lasso, point, problem.ridge_of_lasso) - point
    else:
        step = -solved(curvature, gradient.ravel()).reshape(point.shape)
    derivative = float((gradient * step).sum() + (lasso * (np.abs(point + step) - np.abs(point))).sum())
    return step, derivative, -derivative - 0.5 * float(step.ravel() @ curvature @ step.ravel())


def _hold(curvature: Array, gradient: Array) -> None:
    """Keeps the intercepts where they are, at 0."""
    m = gradient.shape[1]
    gradient[:, 0] = 0
    curvature[::m, :] = 0
    curvature[:, ::m] = 0
    curvature[np.arange(0, len(curvature), m), np.arange(0, len(curvature), m)] = 1


def _anchored(problem: Problem, curvature: Array, n_scores: int) -> Array:
    """Adding a number to all scores changes no probability: such steps are given a cost, so that none is taken.

    The gradient has no part along them, hence the other steps remain as they were.
    """
    if n_scores == 1:
        return curvature
    m = len(curvature) // n_scores
    blocks = curvature.reshape(n_scores, m, n_scores, m).copy()
    own = np.einsum("kiki->i", blocks) / n_scores
    free = np.zeros(m)
    free[0] = own[0]
    if problem.l1 == 0:
        free[1:] = own[1:]
    blocks += (free / n_scores * np.eye(m))[None, :, None, :]
    return blocks.reshape(curvature.shape)
