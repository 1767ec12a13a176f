"""What tells sources apart: how far their values are from a Gaussian, summed over the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import dense, encoded_rows
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.statistics.sums import Sums

#: Rows at a time: their sources stay in the cache.
_ROWS = 2048


def contrast_derivatives(fun: str, y: Array) -> tuple[Array, Array]:
    """g and g', the first two derivatives of the contrast, of every value.

    | fun | contrast |
    |---|---|
    | "logcosh" | log cosh y |
    | "exp" | −exp(−y²/2) |
    | "cube" | y⁴/4, kurtosis |
    """
    if fun == "logcosh":
        g = np.tanh(y)
        return g, 1 - g**2
    square = y**2
    if fun == "exp":
        bell = np.exp(-square / 2)
        return y * bell, (1 - square) * bell
    return y * square, 3 * square


@dataclass(frozen=True)
class Contrast(Sums):
    """With z a whitened row and y = W z:  Σ w g(y) zᵀ,  Σ w g'(y),  and Σ w."""

    rows: int
    weight: float
    pull: Array
    curvature: Array

    def step(self, directions: Array) -> Array:
        """W ← E[g(Wz) zᵀ] − diag(E[g'(Wz)]) W, one of Newton's steps."""
        found: Array = self.pull / self.weight - (self.curvature / self.weight)[:, None] * directions
        return found


class TakeContrast(Pass):
    """Whitened rows are kept between passes where an engine keeps state: they are made once."""

    whole: ClassVar[bool] = False
    state: ClassVar[Literal["none", "cache", "required"]] = "cache"

    def __init__(self, design: Design, mean: Array, whitening: Array, directions: Array, fun: str):
        self.design, self.mean, self.whitening = design, mean, whitening
        self.directions, self.fun = directions, fun

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        z = self._whitened(batch) if state is None else state
        pull, curvature = np.zeros_like(self.directions), np.zeros(len(self.directions))
        for start in range(0, len(z), _ROWS):
            part = z[start : start + _ROWS]
            g, bend = contrast_derivatives(self.fun, part @ self.directions.T)
            if batch.weights is not None:
                w = batch.weights[start : start + _ROWS, None]
                g, bend = g * w, bend * w
            pull += g.T @ part
            curvature += bend.sum(axis=0)
        weight = float(batch.n_rows if batch.weights is None else batch.weights.sum())
        return Contrast(batch.n_rows, weight, pull, curvature), z

    def _whitened(self, batch: Batch) -> Array:
        z, start = np.empty((batch.n_rows, self.whitening.shape[1])), 0
        for x, _ in encoded_rows(batch, self.design):
            part = z[start : start + x.shape[0]]
            if isinstance(x, np.ndarray):
                _core.project_rows(dense(x), self.mean, self.whitening, part)
            else:
                part[:] = x @ self.whitening - self.mean @ self.whitening
            start += x.shape[0]
        return z
