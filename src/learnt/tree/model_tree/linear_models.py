"""Linear models of few terms: least squares by sweeping, then terms are left out one by one.

With n the weight of the rows and v the number of coefficients, the intercept among them, the error to expect on
other rows is taken to be

    sqrt(mean squared residual) · (n + v)/(n − v)

A term is left out if that does not raise the estimate; of all terms the one whose loss raises the squared residuals
least.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array

#: A column of which less than this part of its variance is left beside the columns before it adds nothing.
COLLINEAR = 1e-9
#: Estimates nearer than this are equal, and the smaller model is taken.
EQUAL = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """`intercept + coef · cells[terms]`, with the root of its mean squared residual; `terms` are places in a list."""

    terms: Array
    coef: Array
    intercept: float
    rmse: float

    @property
    def n_parameters(self) -> int:
        return len(self.terms) + 1


def constant_model(y: Array, w: Array) -> LinearModel:
    mean = float(np.average(y, weights=w))
    rmse = math.sqrt(float(np.average((y - mean) ** 2, weights=w)))
    return LinearModel(np.zeros(0, np.int64), np.zeros(0), mean, rmse)


def estimated_error(rmse: float, weight: float, n_parameters: int) -> float:
    """The residuals' root mean square times (n + v)/(n − v); infinite where n ≤ v."""
    return rmse * (weight + n_parameters) / (weight - n_parameters) if weight > n_parameters else math.inf


def fit_eliminating(x: Array, y: Array, w: Array) -> LinearModel:
    """The model of the columns of `x` (rows × terms) from which no term can be left out without a higher estimate."""
    weight, mean_y = float(w.sum()), float(np.average(y, weights=w))
    mean = np.average(x, axis=0, weights=w) if x.shape[1] else np.zeros(0)
    centred = x - mean
    scale = np.sqrt(np.average(centred**2, axis=0, weights=w)) if x.shape[1] else np.zeros(0)
    varies = scale > 1e-12 * np.maximum(np.abs(mean), 1e-300)
    places = np.flatnonzero(varies)
    z = np.column_stack([centred[:, places] / scale[places], y - mean_y])
    a = (z * w[:, None]).T @ z / weight  # correlations, and the variance of y in the corner
    t = len(places)
    in_model = np.zeros(t, dtype=bool)
    for k in range(t):
        if a[k, k] > COLLINEAR:
            _sweep(a, k)
            in_model[k] = True
    variance = float(np.average((y - mean_y) ** 2, weights=w))
    estimate = _estimate(a, in_model, weight)
    slack = EQUAL * math.sqrt(variance)
    while in_model.any():
        inside = np.flatnonzero(in_model)
        rise = a[inside, t] ** 2 / np.maximum(-a[inside, inside], 1e-300)
        k = int(inside[rise.argmin()])
        before = a.copy()
        _unsweep(a, k)
        in_model[k] = False
        smaller = _estimate(a, in_model, weight)
        if not (smaller <= estimate + slack):
            a, in_model[k] = before, True
            break
        estimate = min(estimate, smaller)
    kept = np.flatnonzero(in_model)
    coef = a[kept, t] / scale[places[kept]]
    return _finished(x, y, w, places[kept], coef, mean, mean_y)


def _finished(x: Array, y: Array, w: Array, terms: Array, coef: Array, mean: Array, mean_y: float) -> LinearModel:
    """The model with its residuals as they are, not as sums of squares say."""
    intercept = mean_y - float(coef @ mean[terms])
    residual = y - mean_y - (x[:, terms] - mean[terms]) @ coef
    return LinearModel(terms, coef, intercept, math.sqrt(float(np.average(residual**2, weights=w))))


def _estimate(a: Array, in_model: Array, weight: float) -> float:
    return estimated_error(math.sqrt(max(float(a[-1, -1]), 0.0)), weight, int(in_model.sum()) + 1)


def _sweep(a: Array, k: int) -> None:
    """Take column k into the regression: its coefficient appears in the last column, −1/its rest on the diagonal."""
    d = a[k, k]
    row = a[k] / d
    a -= np.outer(a[:, k], row)
    a[k] = row
    a[:, k] = row
    a[k, k] = -1 / d


def _unsweep(a: Array, k: int) -> None:
    """Take column k out again."""
    d = a[k, k]
    row = a[k] / d
    a -= np.outer(a[:, k], row)
    a[k] = -row
    a[:, k] = -row
    a[k, k] = -1 / d
