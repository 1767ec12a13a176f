"""Newton's method for many columns: no matrix of columns × columns, each step by conjugate gradients."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.linear.logistic.passes import TakeGradient, TakeProduct
from learnt.linear.logistic.problem import Problem, Solution, View
from learnt.watch import report, watching


def by_newton_cg(
    problem: Problem, view: View, start: Array, tol: float, max_iter: int
) -> Generator[Pass, Any, Solution]:
    """Truncated Newton: the step's equations are solved as exactly as the distance to the optimum deserves.

    Every product of conjugate gradients is a pass, and so is every point tried. Ends when the gain that a step
    promises is below tol² of the objective.
    """
    ridge = problem.l2 * np.append(0.0, problem.penalised(view.scale)) ** 2
    point, step, derivative, length = start, np.zeros_like(start), 0.0, 1.0
    before = objective = gap = np.inf
    first_error = 0.0
    for iteration in range(1, max_iter + 1):
        coef, base = view.to_user(point)
        found = yield TakeGradient(problem, coef, base, iteration)
        (loss,), by_coef, by_intercept, spread = found.arrays
        objective = float(loss) + problem.penalty(coef)
        if not objective <= before + 1e-4 * length * derivative + 1e-13 * abs(before) and length > 1e-9:
            length /= 2
            point = point - length * step
            continue
        before, length = objective, 1.0
        gradient = view.gradient(by_coef, by_intercept) + ridge * point
        if not problem.intercept:
            gradient[:, 0] = 0
        # Standardised columns have about equal second derivatives: the mean of p (1 − p), and the penalty's own.
        diagonal = np.maximum(spread[:, None], 1e-12 * spread.max()) + ridge
        diagonal[:, 1:][:, view.scale == 0] = np.inf
        error = float((gradient**2 / diagonal).sum())
        first_error = first_error or error
        # No more exactly than the end asks for: a residual of ε leaves about ε² of the gain to be had.
        enough = 0.3 * tol * float(np.sqrt(2 * objective / error)) if error > 0 else 1.0
        exactness = min(0.25, max(enough, float(np.sqrt(error / first_error)))) if error > 0 else 1.0
        step, gained = yield from _direction(
            problem, view, (coef, base, iteration), gradient, ridge, diagonal, exactness
        )
        derivative, gap = float((gradient * step).sum()), gained
        if watching():
            report("newton-cg", learner="LogisticRegression", iteration=iteration, objective=objective, gap=gap)
        point = point + step
        if gap <= tol * tol * objective:
            return Solution(point, objective - gap, gap, iteration, True, step)
    return Solution(point, objective, gap, max_iter, False, step)


def _direction(
    problem: Problem,
    view: View,
    at: tuple[Array, Array, int],
    gradient: Array,
    ridge: Array,
    diagonal: Array,
    exactness: float,
) -> Generator[Pass, Any, tuple[Array, float]]:
    """H d = −g by preconditioned conjugate gradients, until the residual is `exactness` of g; and the gain of d."""
    step = np.zeros_like(gradient)
    residual = -gradient
    eased = residual / diagonal
    direction, error = eased, float((residual * eased).sum())
    limit, gained = exactness**2 * error, 0.0
    for _ in range(max(gradient.size, 20)):
        if error <= limit or error == 0:
            break
        v, v0 = view.to_user(direction)
        out, out0 = (yield TakeProduct(problem, *at, along=(v, v0))).arrays
        product = view.gradient(out, out0) + ridge * direction
        if not problem.intercept:
            product[:, 0] = 0
        curvature = float((direction * product).sum())
        if curvature <= 0:  # nothing but rounding is left
            break
        length = error / curvature
        step = step + length * direction
        gained += 0.5 * length * error
        residual = residual - length * product
        eased = residual / diagonal
        previous, error = error, float((residual * eased).sum())
        direction = eased + (error / previous) * direction
    return step, gained
