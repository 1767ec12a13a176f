"""Sufficient statistics: all that a sample says about the parameters. They add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Statistic
from learnt.statistics.counts import Counts as Counts
from learnt.statistics.products import joined_products


@dataclass(frozen=True)
class Moments(Statistic):
    """Total weight, mean and scatter Σ w(x−mean)(x−mean)ᵀ of numbers, or of rows of numbers.

    `rows` counts every row given, `missing` those left out because a cell is missing.
    """

    rows: int = 0
    weight: float = 0.0
    mean: Any = np.nan
    scatter: Any = 0.0
    missing: int = 0

    @classmethod
    def of(cls, x: Array, weights: Array | None = None) -> Moments:
        """Of n numbers, or of an n × d matrix; a row with a NaN is missing."""
        there = ~np.isnan(x) if x.ndim == 1 else ~np.isnan(x).any(axis=1)
        w = np.ones(len(x)) if weights is None else weights
        missing = len(x) - int(there.sum())
        kept, w = x[there].astype(np.float64), w[there]
        weight = float(w.sum())
        if weight == 0:
            return cls(len(x), 0.0, np.full(x.shape[1:], np.nan)[()], np.zeros(x.shape[1:] * 2)[()], missing)
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks at the result
            mean = w @ kept / weight
            mean = mean + w @ (kept - mean) / weight  # equal values have exactly that mean, and no scatter
            apart = kept - mean
            scatter = (w * apart.T) @ apart
        return cls(len(x), weight, mean, (scatter + scatter.T) / 2, missing)

    def distance_from(self, point: Any) -> Any:
        """The mean minus a point; 0 as long as there is no mean."""
        return self.mean - point if self.weight > 0 else np.zeros(np.shape(point))[()]

    def _shape(self) -> tuple[int, ...]:
        return np.shape(self.mean)

    def _merge(self, other: Moments) -> Moments:
        rows, missing = self.rows + other.rows, self.missing + other.missing
        mine, others = ((s.weight, s.mean, s.scatter) for s in (self, other))
        return Moments(rows, *joined_products(mine, others), missing)
