"""Newton's method for proportional odds: by all second derivatives, or by products with them where columns are many."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.errors import InputError
from learnt.linear.logistic.problem import View
from learnt.linear.ordinal.margins import TakeOrdinalMargins
from learnt.linear.ordinal.passes import Point, TakeOrdinalCurvature, TakeOrdinalGradient, TakeOrdinalProduct
from learnt.linear.separation import MORE_STEPS, STANDING, Margins, reach_of
from learnt.watch import report, watching

#: A mean loss this small says that every row is certain of its own class: a sum of the columns separates them.
CERTAIN = 1e-8
#: A gain below this part of the objective is lost in its rounding.
_ROUNDING = 1e-15
#: Directions with less than this share of the largest curvature are ignored.
_FLAT = 1e-13


@dataclass(frozen=True)
class Ordinal:
    """Mean loss of the rows + ½·alpha·Σβ²; `few` says whether second derivatives are kept as a matrix.

    `rows` is their number where all weigh the same, and else infinite.
    """

    design: Design
    view: View
    weight: float
    alpha: float
    few: bool
    rows: float

    def ridge(self, point: Point) -> Array:
        return np.concatenate([np.zeros(len(point.thresholds)), np.full(len(point.coef), self.alpha)])


@dataclass(frozen=True)
class NewtonEnd:
    """Where Newton's method ended. `information` is −∂² log-likelihood there, None for many columns.

    `separated` says how the last step moves rows, and `step` which way, where the classes are separated.
    """

    point: Point
    loss: float  # mean
    n_iter: int
    converged: bool
    separated: Margins | None
    information: Array | None
    step: Point | None = None


def by_newton(problem: Ordinal, point: Point, tol: float, max_iter: int) -> Generator[Pass, Any, NewtonEnd]:
    """Steps are shortened so that thresholds stay in order, and halved while the objective would rise.

    Ends when the gain a step promises is below tol² of the objective, and without a penalty when the step moves no row;
    where steps go on and move no row away from its own class, the classes are separated.
    """
    best, step, derivative, length = np.inf, np.zeros_like(point.flat), 0.0, 1.0
    done, more, iteration, loss = False, 0, 0, np.inf
    information: Array | None = None
    while True:
        sums = (yield _look(problem, point)).arrays
        loss, ridge = float(sums[0][0]) / problem.weight, problem.ridge(point)
        objective = loss + 0.5 * float(ridge @ point.flat**2)
        if not objective <= best + 1e-4 * derivative * length + 1e-13 * abs(best) and length > 1e-9:
            length /= 2
            point = point.moved(-length * step)
            continue
        best = objective
        information = sums[2] if problem.few else None
        gradient = sums[1] / problem.weight + ridge * point.flat
        step = yield from _step(problem, point, gradient, ridge, information)
        derivative = float(gradient @ step)
        if watching():
            report(
                "newton", learner="OrdinalRegression", iteration=iteration, objective=objective, gap=-0.5 * derivative
            )
        certain = loss <= CERTAIN and problem.alpha == 0
        if done or certain or iteration == max_iter:
            way = point if certain else Point(*np.split(step, [len(point.thresholds)]))
            margins = yield from _separation(problem, way)
            if margins is not None and margins.kind is not None:
                return NewtonEnd(point, loss, iteration, False, margins, information, way)
            if done and (margins is None or margins.reach <= STANDING or more == MORE_STEPS):
                return NewtonEnd(point, loss, iteration, True, None, information)
            if iteration == max_iter:
                return NewtonEnd(point, loss, iteration, False, None, information)
            more += 1
        done = done or -0.5 * derivative <= max(tol * tol, _ROUNDING) * max(objective, CERTAIN)
        length = _room(point.thresholds, step)
        point = point.moved(length * step)
        iteration += 1


def _separation(problem: Ordinal, way: Point) -> Generator[Pass, Any, Margins | None]:
    """How far a step moves rows; None where that cannot be far, or a penalty keeps coefficients finite."""
    far = reach_of(np.abs(way.thresholds).max(initial=0.0), np.abs(way.coef), problem.rows)
    if problem.alpha > 0 or far <= STANDING:
        return None
    margins: Margins = yield TakeOrdinalMargins(problem.design, problem.view, way)
    return margins


def _look(problem: Ordinal, point: Point) -> Pass:
    take = TakeOrdinalCurvature if problem.few else TakeOrdinalGradient
    return take(problem.design, problem.view, point)


def _room(thresholds: Array, step: Array) -> float:
    """How much of a step leaves at least a tenth of every gap between thresholds."""
    gaps, closing = np.diff(thresholds), -np.diff(step[: len(thresholds)])
    closing = np.where(closing > 0, closing, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        return float(min(1.0, np.min(0.9 * gaps / closing, initial=1.0)))


def _step(
    problem: Ordinal, point: Point, gradient: Array, ridge: Array, information: Array | None
) -> Generator[Pass, Any, Array]:
    if information is not None:
        return -pseudo_inverse(information / problem.weight + np.diag(ridge)) @ gradient
    return (yield from _by_products(problem, point, gradient, ridge))


def pseudo_inverse(matrix: Array) -> Array:
    """Of a positive semidefinite matrix; directions in which it is 0 stay so: collinear columns share their effect."""
    if not np.isfinite(matrix).all():
        raise InputError("Columns or weights differ so much in size that the second derivatives overflow. Scale them.")
    values, vectors = np.linalg.eigh(matrix)
    keep = values > _FLAT * max(values[-1], np.finfo(float).tiny) * len(values)
    found: Array = (vectors[:, keep] / values[keep]) @ vectors[:, keep].T
    return found


def _by_products(problem: Ordinal, point: Point, gradient: Array, ridge: Array) -> Generator[Pass, Any, Array]:
    """H d = −g by conjugate gradients, the more exactly the nearer the optimum is; each product is a pass."""
    step, residual = np.zeros_like(gradient), -gradient
    direction, error = residual, float(residual @ residual)
    limit = error * min(0.25, np.sqrt(error)) ** 2
    for _ in range(200):
        if error <= limit:
            break
        product = (yield TakeOrdinalProduct(problem.design, problem.view, point, direction)).arrays[0]
        product = product / problem.weight + ridge * direction
        bend = float(direction @ product)
        if bend <= 0:  # nothing but rounding is left
            break
        length = error / bend
        step = step + length * direction
        residual = residual - length * product
        before, error = error, float(residual @ residual)
        direction = residual + error / before * direction
    return step
