"""Ridge from statistics: those of least squares, with the penalty added where the squares stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnt.data.table import Array
from learnt.linear.least_squares.coefficients import Fit, by_cholesky, by_singular_values, rounding_noise
from learnt.linear.least_squares.cross_products import CrossProducts
from learnt.linear.least_squares.triangle import Triangle
from learnt.statistics.triangle import shrink_rows


def ridge_by_cholesky(statistic: CrossProducts, penalty: Array, intercept: bool) -> Fit | None:
    """Solve (C_xx + penalty) b = C_xy, or None where that loses too many digits."""
    products = statistic.products.copy()
    at = np.arange(len(penalty))
    products[at, at] += penalty
    return by_cholesky(replace(statistic, products=products), intercept)


def ridge_by_triangle(statistic: Triangle, penalty: Array, shift: Array, intercept: bool) -> Fit:
    """The same from an orthogonal triangle: √penalty as so many more rows, which the intercept does not see."""
    rows = np.zeros((len(penalty), statistic.r.shape[1]))
    rows[:, 1:-1] = np.diag(np.sqrt(penalty))
    stacked = replace(statistic, r=shrink_rows(np.vstack([statistic.r, rows])))
    return by_singular_values(stacked, shift, intercept)


def variances(statistic: CrossProducts, intercept: bool) -> Array:
    """Of each column (about 0 without intercept); exactly 0 for one that does not vary."""
    square = np.diagonal(statistic.products if intercept else statistic.raw())[:-1]
    varies = np.sqrt(np.maximum(square, 0)) > rounding_noise(statistic.weight, statistic.mean[:-1])
    return np.where(varies, square, 0.0) / max(statistic.weight, np.finfo(np.float64).tiny)
