"""Least squares and ridge on wide designs, where no matrix of columns × columns may exist."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar, Literal

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.linear.least_squares.coefficients import Fit
from learnt.statistics.sums import ArraySums
from learnt.watch import report, watching


class _OverEncodedRows(Pass):
    """A pass over the encoded rows, which are kept as state where memory allows."""

    state: ClassVar[Literal["none", "cache", "required"]] = "cache"

    def __init__(self, design: Design):
        self.design = design

    def __call__(self, batch: Batch, state: Any) -> tuple[ArraySums, Any]:
        x = self.design.encode(batch.table) if state is None else state
        w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        return ArraySums(batch.n_rows, self.sums(x, batch.target, w)), x

    def sums(self, x: Any, y: Array | None, w: Array) -> tuple[Array, ...]:
        raise NotImplementedError


class _Moments(_OverEncodedRows):
    """Σw, Σw·x, Σw·x², Σw·y."""

    def sums(self, x: Any, y: Array | None, w: Array) -> tuple[Array, ...]:
        assert y is not None
        square = x * x if isinstance(x, np.ndarray) else x.multiply(x)
        return np.array([w.sum()]), x.T @ w, square.T @ w, np.array([w @ y])


class _Gradient(_OverEncodedRows):
    """Σ w (x − m)(t − t̄)ᵀ for t = the target, or t = (x − m)·v along a direction v."""

    def __init__(self, design: Design, mean: Array, target_mean: float, direction: Array | None = None):
        super().__init__(design)
        self.mean, self.target_mean, self.direction = mean, target_mean, direction

    def sums(self, x: Any, y: Array | None, w: Array) -> tuple[Array, ...]:
        if self.direction is None:
            assert y is not None
            t = y - self.target_mean
        else:
            t = x @ self.direction - self.mean @ self.direction
        wt = w * t
        return (x.T @ wt - self.mean * wt.sum(),)


def by_conjugate_gradients(
    design: Design,
    intercept: bool,
    *,
    penalty: float = 0.0,
    standardize: bool = False,
    tolerance: float = 1e-13,
    max_iter: int | None = None,
) -> Generator[Pass, Any, tuple[Fit, bool]]:
    """Conjugate gradients on the normal equations of standardised columns, one pass an iteration.

    Started at zero they end at the solution of smallest norm. `penalty` · |b|² may be added to the squared errors,
    with `standardize` in units of the columns' standard deviations. Returns the fit and whether the gradient fell
    below `tolerance` of its start.
    """
    moments = yield _Moments(design)
    (weight,), sums, squares, (target_sum,) = moments.arrays
    mean = sums / weight if intercept else np.zeros_like(sums)
    target_mean = float(target_sum / weight) if intercept else 0.0
    size = np.sqrt(np.maximum(squares - weight * mean**2, 0))
    varies = size > 1e-7 * np.sqrt(squares)
    ridge = penalty * size**2 / weight if standardize else penalty
    scale = np.divide(1.0, np.sqrt(size**2 + ridge), out=np.zeros_like(size), where=varies)
    first = yield _Gradient(design, mean, target_mean)
    residual = first.arrays[0] * scale
    solution, direction = np.zeros_like(residual), residual.copy()
    start = error = float(residual @ residual)
    limit = max_iter or 10 * len(residual)
    iteration = 0
    while error > tolerance**2 * start and iteration < limit:
        product = (yield _Gradient(design, mean, target_mean, direction * scale)).arrays[0] * scale
        product += ridge * scale**2 * direction
        curvature = float(direction @ product)
        if curvature <= 0:  # nothing but rounding is left
            break
        step = error / curvature
        solution += step * direction
        residual -= step * product
        previous, error = error, float(residual @ residual)
        direction = residual + (error / previous) * direction
        iteration += 1
        if watching():
            report("conjugate gradients", iteration=iteration, objective=error / start)
    coef = solution * scale
    base = target_mean - float(mean @ coef) if intercept else 0.0
    fit = Fit(coef, base, sums / weight, int(np.count_nonzero(scale)), float("nan"))
    return fit, error <= max(tolerance**2, 1e-20) * max(start, np.finfo(float).tiny)
