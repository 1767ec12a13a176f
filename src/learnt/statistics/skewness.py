"""Intervals of the mean of skewed numbers, where few far ones make Student's t reach too little to one side."""

from __future__ import annotations

import math

import numpy as np

from learnt.data.table import Array


def skewed_interval(
    values: Array, level: float, *, error: float | None = None, weights: Array | None = None
) -> tuple[float, float]:
    """Student's t of the mean after Hall's transformation, which takes the skewness out of it.

    `error` is the standard error of the mean where it is not spread/√n: smaller where the values are a large part of
    all there are. They then count as so many independent ones as would have it.

    Reference: P. Hall, On the removal of skewness by transformation, JRSS B 54, 1992.
    """
    from scipy.special import stdtrit

    m = len(values)
    mean = float(np.average(values, weights=weights))
    spread = math.sqrt(float(np.average((values - mean) ** 2, weights=weights)) * m / (m - 1))
    if spread == 0 or error == 0:
        return mean, mean
    n = m if error is None else (spread / error) ** 2
    skewness = float(np.average(((values - mean) / spread) ** 3, weights=weights))
    reach = float(stdtrit(m - 1, (1 + level) / 2)) / math.sqrt(n)
    return mean - spread * _unskewed(reach, skewness, n), mean - spread * _unskewed(-reach, skewness, n)


def _unskewed(y: float, skewness: float, n: float) -> float:
    """The w for which w + a·w²/3 + a²·w³/27 + a/(6n) = y: of a mean whose values have the skewness a, w = (mean − its
    expectation) / their standard deviation, the sum on the left is nearly symmetric about 0."""
    y -= skewness / (6 * n)
    return y if abs(skewness) < 1e-6 else 3 * (math.cbrt(1 + skewness * y) - 1) / skewness
