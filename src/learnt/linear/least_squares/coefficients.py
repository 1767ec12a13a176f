"""Coefficients from statistics: Cholesky where it is safe, the singular values of a triangle where not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.engine.sizes import squares_overflow
from learnt.linear.least_squares.cross_products import CrossProducts
from learnt.linear.least_squares.triangle import Triangle
from learnt.statistics.triangle import orthogonal_triangle

#: Cholesky is trusted up to this condition number of the cross products of standardised columns. Its
#: relative error is about the condition times 1e-16, so that ten digits of each coefficient hold.
TRUSTED_CONDITION = 1e6


@dataclass(frozen=True)
class Fit:
    """`mean` is that of the matrix columns; predictions are intercept + coef · x.

    What inference needs, where the way of solving gives it: the weighted sums of squares that are left (`residual`)
    and that there were (`total`), about the mean if there is an intercept; the norm of each column (`size`), 0 where
    it does not vary; and a `root` with root·rootᵀ the (pseudo)inverse of the cross products of columns over sizes.
    """

    coef: Array
    intercept: float
    mean: Array
    rank: int
    condition: float
    residual: float = float("nan")
    total: float = float("nan")
    size: Array | None = None
    root: Array | None = None


def by_cholesky(statistic: CrossProducts, intercept: bool) -> Fit | None:
    """Solve C_xx b = C_xy, or None where the columns are too close to collinear for that."""
    from scipy.linalg import lapack

    products = statistic.products if intercept else statistic.raw()
    mean = statistic.mean
    size = np.sqrt(np.maximum(np.diagonal(products)[:-1], 0))
    varies = size > rounding_noise(statistic.weight, mean[:-1])
    part = np.flatnonzero(varies)
    coef, root = np.zeros(len(mean) - 1), np.zeros((len(mean) - 1, len(part)))
    condition, explained, total = 1.0, 0.0, max(float(products[-1, -1]), 0.0)
    if len(part):
        correlation = products[np.ix_(part, part)] / np.outer(size[part], size[part])
        factor, failed = lapack.dpotrf(correlation, lower=1)
        if failed:
            return None
        reciprocal, _ = lapack.dpocon(factor, np.abs(correlation).sum(axis=0).max(), uplo="L")
        if reciprocal < 1 / TRUSTED_CONDITION:
            return None
        parts, _ = lapack.dtrtrs(factor, products[part, -1] / size[part], lower=1)
        solution, _ = lapack.dtrtrs(factor, parts, lower=1, trans=1)
        inverse, _ = lapack.dtrtri(factor, lower=1)
        coef[part], condition = solution / size[part], float(1 / reciprocal)
        root[part], explained = np.tril(inverse).T, float(parts @ parts)
    base = float(mean[-1] - mean[:-1] @ coef) if intercept else 0.0
    left = max(total - explained, 0.0)
    return Fit(coef, base, mean[:-1], len(part), condition, left, total, np.where(varies, size, 0.0), root)


def by_singular_values(statistic: Triangle, shift: Array, intercept: bool) -> Fit:
    """The solution of least squares with the smallest norm of standardised coefficients.

    Collinear columns share their effect; columns that do not vary get 0.
    """
    r: Array = statistic.r[:, 1:]
    mean = shift.copy()
    if intercept:
        # Once more, because few rows were left as they are: the first must hold the means.
        whole = orthogonal_triangle(statistic.r)
        mean += whole[0, 1:] / whole[0, 0]
        r = whole[1:, 1:]
    x, z = r[:, :-1], r[:, -1]
    with np.errstate(over="ignore"):
        size, total = np.sqrt((x**2).sum(axis=0)), float(z @ z)
    if not np.isfinite([*size, total]).all():
        raise squares_overflow("The target" if np.isfinite(size).all() else "A column")
    varies = size > rounding_noise(statistic.weight, mean[:-1])
    part = np.flatnonzero(varies)
    coef, root = np.zeros(len(mean) - 1), np.zeros((len(mean) - 1, 0))
    rank, condition, left = 0, 1.0, z
    if len(part) and len(x):
        u, s, vt = np.linalg.svd(x[:, part] / size[part], full_matrices=False)
        keep = s > s[0] * np.finfo(np.float64).eps * max(statistic.rows, len(coef))
        rank, condition = int(keep.sum()), float(s[0] / s[keep][-1]) ** 2
        parts = u[:, keep].T @ z
        coef[part] = vt[keep].T @ (parts / s[keep]) / size[part]
        root, left = np.zeros((len(coef), rank)), z - u[:, keep] @ parts
        root[part] = vt[keep].T / s[keep]
    base = float(mean[-1] - mean[:-1] @ coef) if intercept else 0.0
    return Fit(coef, base, mean[:-1], rank, condition, float(left @ left), total, np.where(varies, size, 0.0), root)


def rounding_noise(weight: float, mean: Array) -> Array:
    """What the norm of a column that does not vary comes to by rounding alone."""
    noise: Array = 1e-14 * np.sqrt(weight) * np.abs(mean)
    return noise
