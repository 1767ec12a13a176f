"""Sufficient statistics: all that a sample says about the parameters. They add."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Statistic


@dataclass(frozen=True)
class Counts(Statistic):
    """The weight of each label. `rows` counts every cell given, `missing` those left out."""

    rows: int = 0
    weight: Array = field(default_factory=lambda: np.zeros(0))
    missing: int = 0

    @classmethod
    def of(cls, codes: Array, n_labels: int, weights: Array | None = None) -> Counts:
        """Of labels as codes from 0 to n_labels − 1, −1 for missing."""
        there = codes >= 0
        kept = None if weights is None else weights[there]
        weight = np.bincount(codes[there], kept, minlength=n_labels).astype(np.float64)
        return cls(len(codes), weight, len(codes) - int(there.sum()))

    @property
    def total(self) -> float:
        return float(self.weight.sum())

    def _shape(self) -> tuple[int, ...]:
        return (len(self.weight),)

    def _merge(self, other: Counts) -> Counts:
        return Counts(self.rows + other.rows, self.weight + other.weight, self.missing + other.missing)


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
        if self.weight == 0 or other.weight == 0:
            full = other if self.weight == 0 else self
            return Moments(rows, full.weight, full.mean, full.scatter, missing)
        weight = self.weight + other.weight
        share = other.weight / weight
        step = other.mean - self.mean
        scatter = self.scatter + other.scatter + np.multiply.outer(step, step)[()] * (self.weight * share)
        return Moments(rows, weight, self.mean + step * share, scatter, missing)
