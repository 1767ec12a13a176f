"""Weight, mean and sums of powers of deviations, of one column and of many at once.

They are added in two ways: `Moments` divides last, so that means of huge numbers do not overflow and equal ones stay
exact; `joined_moments` multiplies by shares, column by column and class by class, also where one has no weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.passes import Statistic

BLOCK = 1 << 15  # rows: a block of doubles and its temporaries stay in the second-level cache


@dataclass(frozen=True)
class Moments(Statistic):
    """What one pass over a numeric column tells. `second` = Σ w(x−m)², `third` = Σ w(x−m)³.

    Missing and infinite cells are counted (by weight) and left out of everything else.
    """

    weight: float = 0.0
    mean: float = math.nan
    second: float = 0.0
    third: float = 0.0
    minimum: float = math.nan
    maximum: float = math.nan
    missing: float = 0.0
    infinite: float = 0.0
    rows: int = 0  # all that were seen

    @classmethod
    def of(cls, values: Array, weights: Array | None = None) -> Moments:
        """Two passes inside each block, blocks added in order: no cancellation far from the origin."""
        if weights is not None and not weights.all():  # rows of weight 0 do not count, not even for the ends
            values, weights = values[weights > 0], weights[weights > 0]
        total = cls()
        with np.errstate(over="ignore", invalid="ignore"):  # beyond 1e100 powers may be infinite
            for start in range(0, len(values), BLOCK):
                block = values[start : start + BLOCK].astype(np.float64, copy=False)
                w = None if weights is None else weights[start : start + BLOCK]
                total = total + cls._of_block(block, w)
        return total

    @classmethod
    def _of_block(cls, x: Array, w: Array | None) -> Moments:
        rows, finite = len(x), np.isfinite(x)
        missing = infinite = 0.0
        if not finite.all():
            counts = np.ones(len(x)) if w is None else w
            missing = float(counts[np.isnan(x)].sum())
            infinite = float(counts[np.isinf(x)].sum())
            x, w = x[finite], None if w is None else w[finite]
        if len(x) == 0:
            return cls(missing=missing, infinite=infinite, rows=rows)
        weight = float(len(x)) if w is None else float(w.sum())
        low, high = float(x.min()), float(x.max())
        # The mean of equal values is that value, not its neighbour: a constant has no variance.
        mean = low if low == high else float(x.mean() if w is None else w @ x / weight)
        if not math.isfinite(mean):  # the sum overflowed
            mean = float((x / len(x)).sum() if w is None else (w / weight) @ x)
        d = x - mean
        square = d * d
        wd = d if w is None else w * d
        return cls(weight, mean, float(d @ wd), float(square @ wd), low, high, missing, infinite, rows)

    def _merge(self, other: Moments) -> Moments:
        rows, missing, infinite = self.rows + other.rows, self.missing + other.missing, self.infinite + other.infinite
        if self.weight == 0 or other.weight == 0:
            full = other if self.weight == 0 else self
            return Moments(
                full.weight, full.mean, full.second, full.third, full.minimum, full.maximum, missing, infinite, rows
            )
        a, b = self.weight, other.weight
        n, delta = a + b, other.mean - self.mean
        mean = self.mean + delta * b / n if math.isfinite(delta) else self.mean * (a / n) + other.mean * (b / n)
        return Moments(
            n,
            mean,
            self.second + other.second + delta * delta * a * b / n,
            self.third
            + other.third
            + delta * delta * delta * (a * b * (a - b) / (n * n))  # ** would raise where * overflows
            + 3 * delta * (a * other.second - b * self.second) / n,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            missing,
            infinite,
            rows,
        )

    @property
    def variance(self) -> float:
        """Divided by weight − 1."""
        return self.second / (self.weight - 1) if self.weight > 1 else math.nan

    @property
    def skewness(self) -> float:
        """√n·Σ(x−m)³ / (Σ(x−m)²)^1.5; NaN for a constant."""
        if not 0 < self.second < math.inf:
            return math.nan
        return math.sqrt(self.weight) * (self.third / self.second) / math.sqrt(self.second)


ManyMoments = tuple[Array, Array, Array]  # weight, mean, squared deviation


def joined_moments(one: ManyMoments, two: ManyMoments) -> ManyMoments:
    """The moments of the rows of both (Chan, Golub and LeVeque)."""
    weight, mean, share = joined_means(one[:2], two[:2])
    return weight, mean, one[2] + two[2] + share * one[0] * (two[1] - one[1]) ** 2


def joined_means(one: tuple[Array, Array], two: tuple[Array, Array]) -> tuple[Array, Array, Array]:
    """Weight and mean of the rows of both, and the share of the second in the weight; 0 where there is none."""
    weight = one[0] + two[0]
    share = np.divide(two[0], weight, out=np.zeros_like(weight), where=weight > 0)
    return weight, one[1] + share * (two[1] - one[1]), share


class ColumnMoments(NamedTuple):
    """Of each column the weight of its finite cells, their mean, squared deviation and ends; cells left out."""

    weight: Array
    mean: Array
    deviation: Array
    low: Array
    high: Array
    missing: Array
    infinite: Array


def column_moments(x: Array, weights: Array | None) -> ColumnMoments:
    """The moments of the columns of a matrix, threaded."""
    p = x.shape[1]
    weight, mean, deviation, low, high = (np.empty(p) for _ in range(5))
    found = ColumnMoments(weight, mean, deviation, low, high, np.empty(p, np.int64), np.empty(p, np.int64))
    _core.column_moments(x, weights, *found)
    return found


def moments_by_class(x: Array, codes: Array, weights: Array | None, n_classes: int) -> ManyMoments:
    """Weight, mean and squared deviation of every column in every class; NaN is missing and left out."""
    weight, mean, deviation = (np.zeros((n_classes, x.shape[1])) for _ in range(3))
    _core.moments_by_class(x, codes, weights, weight, mean, deviation, np.zeros(x.shape[1], np.int64))
    return weight, mean, deviation
