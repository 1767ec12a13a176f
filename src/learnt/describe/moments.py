"""Weight, mean and sums of powers of deviations: a statistic that adds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

BLOCK = 1 << 15  # rows: a block of doubles and its temporaries stay in the second-level cache


@dataclass(frozen=True, slots=True)
class Moments:
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

    @classmethod
    def of(cls, values: Array, weights: Array | None = None) -> Moments:
        """Two passes inside each block, blocks added in order: no cancellation far from the origin."""
        total = cls()
        with np.errstate(over="ignore", invalid="ignore"):  # beyond 1e100 powers may be infinite
            for start in range(0, len(values), BLOCK):
                block = values[start : start + BLOCK].astype(np.float64, copy=False)
                w = None if weights is None else weights[start : start + BLOCK]
                total = total + cls._of_block(block, w)
        return total

    @classmethod
    def _of_block(cls, x: Array, w: Array | None) -> Moments:
        finite = np.isfinite(x)
        missing = infinite = 0.0
        if not finite.all():
            counts = np.ones(len(x)) if w is None else w
            missing = float(counts[np.isnan(x)].sum())
            infinite = float(counts[np.isinf(x)].sum())
            x, w = x[finite], None if w is None else w[finite]
        if len(x) == 0:
            return cls(missing=missing, infinite=infinite)
        weight = float(len(x)) if w is None else float(w.sum())
        low, high = float(x.min()), float(x.max())
        # The mean of equal values is that value, not its neighbour: a constant has no variance.
        mean = low if low == high else float(x.mean() if w is None else w @ x / weight)
        if not math.isfinite(mean):  # the sum overflowed
            mean = float((x / len(x)).sum() if w is None else (w / weight) @ x)
        d = x - mean
        square = d * d
        wd = d if w is None else w * d
        return cls(weight, mean, float(d @ wd), float(square @ wd), low, high, missing, infinite)

    def __add__(self, other: Moments) -> Moments:
        missing, infinite = self.missing + other.missing, self.infinite + other.infinite
        if self.weight == 0 or other.weight == 0:
            full = other if self.weight == 0 else self
            return Moments(
                full.weight, full.mean, full.second, full.third, full.minimum, full.maximum, missing, infinite
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
