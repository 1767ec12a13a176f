"""Scales of numbers, there and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.neural.scaling import moment_scale, quartile_scale
from learnt.storable import Numbers, storable

#: Standard deviations from the middle to which numbers are pulled in smoothly.
CLIP = 4.0
#: The distance of the quartiles of a Gaussian, in standard deviations.
QUARTILES = 1.3489795003921634


@storable
@dataclass(frozen=True, eq=False)
class MiddleAndEnds:
    """z = (x − center) · scale, and with `clip` c > 0  z / √(1 + (z/c)²), which pulls in what lies far out. `low` and
    `high` are the ends of the rows fitted: with a clip, no number beyond them is given back."""

    center: Numbers
    scale: Numbers
    clip: float
    low: Numbers
    high: Numbers

    def __post_init__(self) -> None:
        if len({a.shape for a in (self.center, self.scale, self.low, self.high)}) > 1 or self.center.ndim != 1:
            raise ValueError("There is not one middle, scale and end per column.")

    def scaled(self, x: Array) -> Array:
        """NaN stays."""
        with np.errstate(over="ignore"):
            z: Array = (x.astype(np.float64) - self.center) * self.scale
        return self.pulled_in(z)

    def pulled_in(self, z: Array) -> Array:
        if self.clip > 0:
            z = np.clip(z, -1e6, 1e6)
            z = z / np.sqrt(1 + (z / self.clip) ** 2)
        return z

    def unscaled(self, z: Array) -> Array:
        """The numbers that are scaled to z."""
        if self.clip > 0:
            share = np.clip(z / self.clip, -1 + 1e-12, 1 - 1e-12)
            z = self.clip * share / np.sqrt(1 - share**2)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            x = self.center + np.where(self.scale > 0, z / self.scale, 0.0)
        return np.clip(x, self.low, self.high) if self.clip > 0 else x


def scales_of(table: Table, columns: list[int], weights: Array | None, scaling: Any) -> MiddleAndEnds:
    """By quartiles ("robust"), by mean and spread (True), or none (False)."""
    k = len(columns)
    ends = np.array([_ends(table, j) for j in columns]).reshape(k, 2)
    low, high = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    if scaling is False:
        return MiddleAndEnds(np.zeros(k), np.ones(k), 0.0, low, high)
    if scaling is True:
        return MiddleAndEnds(*moment_scale(table, columns, weights), 0.0, low, high)
    center, scale = quartile_scale(table, columns, weights)
    with np.errstate(over="ignore"):
        wider = scale * QUARTILES
    return MiddleAndEnds(center, np.where(np.isfinite(wider), wider, scale), CLIP, low, high)


def _ends(table: Table, j: int) -> tuple[float, float]:
    x = table.matrix[:, j] if table.matrix is not None else table.columns[j].values
    x = x[~np.isnan(x)] if x.dtype.kind == "f" else x[x >= 0]
    return float(x.min()), float(x.max())
