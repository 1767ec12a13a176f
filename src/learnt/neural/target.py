"""What a net must know of the targets before it begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Statistic
from learnt.errors import InputError
from learnt.statistics.counts import weigh_codes
from learnt.statistics.moments import Moments


@dataclass(frozen=True, eq=False)
class TargetSums(Statistic):
    """Weight, and rows of positive weight, of each class, or (one of each) of all rows; and moments of numbers."""

    rows: int
    weight: Array
    heads: Array
    numbers: Moments

    @classmethod
    def of(cls, y: Array, w: Array | None, n_classes: int) -> TargetSums:
        """Of class codes if `n_classes` is above 0, else of numbers."""
        codes = np.asarray(y) if n_classes else np.zeros(len(y), np.int32)
        there = None if w is None else (w > 0).astype(np.float64)
        sums = [weigh_codes(codes, max(n_classes, 1), weights) for weights in (w, there)]
        return cls(len(y), sums[0], sums[1], Moments() if n_classes else Moments.of(y, w))

    def _shape(self) -> tuple[int, ...]:
        return (len(self.weight),)

    def _merge(self, other: TargetSums) -> TargetSums:
        return TargetSums(
            self.rows + other.rows,
            self.weight + other.weight,
            self.heads + other.heads,
            self.numbers + other.numbers,
        )

    @property
    def mean_and_spread(self) -> tuple[float, float]:
        """Of numbers; the spread is 1 where they do not vary."""
        mean, spread = self.numbers.mean, float(np.sqrt(self.numbers.second / self.numbers.weight))
        if not np.isfinite(spread):
            raise InputError("The target holds values so large that their squares overflow. Scale it down first.")
        return mean, spread if spread > 1e-14 * abs(mean) else 1.0

    def mean_weight(self, factors: Array | None) -> float:
        """Of rows that have weight, each multiplied by the factor of its class."""
        if factors is None:
            return float(self.weight.sum() / self.heads.sum())
        return float(self.weight @ factors / self.heads[factors > 0].sum())
