"""Mean, variance, confidence limits, covariance, correlation and outliers of one sample.

All of them take grouped data: `frequencies` says how often each value was seen. Where relative
frequencies are given (they sum to 1), `n` says how many observations stand behind them. Missing
values (NaN, None) are left out, together with their partner where there are two samples.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.errors import InputError, ParameterError
from learnt.show.words import spell
from learnt.statistics.quantiles import frequency_quantiles

Array = np.ndarray[Any, Any]

FENCE = 1.5  # Tukey's fences stand this many interquartile ranges outside the quartiles


def mean(x: Any, *, frequencies: Any = None) -> float:
    """Σ f·x / Σ f, for counts and for relative frequencies alike.

    >>> mean([1, 2, 3, 4])
    2.5
    >>> mean([10, 20], frequencies=[3, 1])
    12.5
    """
    (x,), f = _observations([x], frequencies)
    return _mean(x, f)


def variance(x: Any, *, frequencies: Any = None, n: float | None = None, ddof: int = 1) -> float:
    """Σ f·(x − m)² / (n − ddof), where n = Σ f; `ddof=0` divides by n.

    Relative frequencies do not tell n: give it, or ask for `ddof=0`, which does not need it.

    >>> variance([1, 2, 3, 4], ddof=0)
    1.25
    >>> variance([10, 20], frequencies=[3, 1])
    25.0
    >>> variance([10, 20], frequencies=[0.75, 0.25], n=4)
    25.0
    """
    return covariance(x, x, frequencies=frequencies, n=n, ddof=ddof)


def covariance(x: Any, y: Any, *, frequencies: Any = None, n: float | None = None, ddof: int = 1) -> float:
    """Σ f·(x − m_x)(y − m_y) / (n − ddof).

    >>> covariance([1, 2, 3], [2, 4, 9])
    3.5
    """
    (x, y), f = _observations([x, y], frequencies)
    total = float(f.sum()) if n is None else float(n)
    if total <= ddof:
        if n is None and math.isclose(total, 1.0) and len(f) > 1:  # relative frequencies
            raise ParameterError(
                "The frequencies sum to 1, so they do not tell the number of observations. "
                "Dividing by n − 1 needs it. Give n=, or divide by n with ddof=0."
            )
        return math.nan
    products = float(f @ ((x - _mean(x, f)) * (y - _mean(y, f))))
    return products * (total / float(f.sum())) / (total - ddof)


def correlation(x: Any, y: Any, *, frequencies: Any = None) -> float:
    """Pearson's r = cov(x, y) / (s_x·s_y); NaN when either sample is constant.

    >>> correlation([1, 2, 3], [6, 4, 2])
    -1.0
    """
    (x, y), f = _observations([x, y], frequencies)
    if len(x) == 0 or x.min() == x.max() or y.min() == y.max():
        return math.nan
    x, y = x - _mean(x, f), y - _mean(y, f)
    x, y = x / np.abs(x).max(), y / np.abs(y).max()  # squares of tiny or huge numbers stay in range
    r = float(f @ (x * y) / math.sqrt(float(f @ (x * x)) * float(f @ (y * y))))
    return max(-1.0, min(1.0, r))


def confidence_limits(
    x: Any, *, level: float = 0.95, frequencies: Any = None, n: float | None = None
) -> tuple[float, float]:
    """Limits that hold the population's mean with probability `level`: m ± t·s/√n, Student's t, n − 1.

    >>> low, high = confidence_limits([4.1, 5.0, 5.6, 4.7])
    >>> round(low, 3), round(high, 3)
    (3.856, 5.844)
    """
    (values,), f = _observations([x], frequencies)
    total = float(f.sum()) if n is None else float(n)
    return limits_of_mean(_mean(values, f), variance(x, frequencies=frequencies, n=n), total, level)


def limits_of_mean(mean: float, variance: float, n: float, level: float) -> tuple[float, float]:
    """The same from what is known already; NaN when fewer than two observations were made."""
    if not 0 < level < 1:
        raise ParameterError(f"level is {spell(level)}. Expected a probability between 0 and 1, such as 0.95.")
    if not n > 1:
        return math.nan, math.nan
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, (1 + level) / 2)) * math.sqrt(variance / n)
    return mean - half, mean + half


def outliers(x: Any, *, frequencies: Any = None, factor: float = FENCE) -> Array:
    """Positions of the values outside Tukey's fences, q1 − factor·IQR and q3 + factor·IQR.

    Where the quartiles coincide the fences would shut out every other value; then nothing is
    called an outlier.

    >>> outliers([10, 12, 11, 13, 12, 11, 95])
    array([6])
    """
    cells = numbers(x, "x")
    (values,), f = _observations([x], frequencies)
    order = np.argsort(values, kind="stable")
    q1, q3 = frequency_quantiles(values[order], (0.25, 0.75), None if frequencies is None else f[order])
    low, high = fences(q1, q3, factor)
    return np.flatnonzero((cells < low) | (cells > high))


def fences(q1: float, q3: float, factor: float = FENCE) -> tuple[float, float]:
    spread = q3 - q1
    return (q1 - factor * spread, q3 + factor * spread) if spread > 0 else (-math.inf, math.inf)


def numbers(data: Any, what: str) -> Array:
    """One float per observation, NaN where missing."""
    if isinstance(data, np.ndarray) and data.dtype == np.float64 and data.ndim == 1:
        return data
    from learnt.data.convert import to_vector

    column = to_vector(data, what)
    if column.kind == "boolean":
        return np.where(column.values < 0, np.nan, column.values)
    if column.kind != "numeric":
        raise InputError(
            f"{what} holds {column.kind} values such as {column.categories[0]!r}. Expected numbers. "
            "Count categories with learnt.describe."
        )
    return np.asarray(column.values, dtype=np.float64)


def frequencies_of(data: Any, n_rows: int, what: str = "frequencies") -> Array:
    """Checked frequencies: as many as rows, finite, none negative, not all zero."""
    f = numbers(data, what)
    if len(f) != n_rows:
        raise InputError(f"{what} has {len(f)} values, but there are {n_rows} observations. Give one for each.")
    bad = np.flatnonzero(~(np.isfinite(f) & (f >= 0)))
    if len(bad):
        raise InputError(
            f"{what} has {f[bad[0]]!s} in row {bad[0]}. Frequencies are finite numbers from 0 up. "
            "Leave out the row or set its frequency to 0."
        )
    return f


def _observations(samples: list[Any], frequencies: Any) -> tuple[list[Array], Array]:
    """The samples without missing cells, of frequency above 0, and their frequencies."""
    names = ("x", "y")
    values = [numbers(sample, name) for sample, name in zip(samples, names, strict=False)]
    if len({len(v) for v in values}) > 1:
        raise InputError(
            f"x has {len(values[0])} values and y has {len(values[1])}. Expected pairs. Give as many of both."
        )
    for v, name in zip(values, names, strict=False):
        infinite = np.flatnonzero(np.isinf(v))
        if len(infinite):
            raise InputError(
                f"{name} has {len(infinite)} infinite values (first in row {infinite[0]}). "
                "Expected finite numbers. Replace them or mark them missing."
            )
    f = np.ones(len(values[0])) if frequencies is None else frequencies_of(frequencies, len(values[0]))
    kept = (f > 0) & ~np.any([np.isnan(v) for v in values], axis=0)
    return ([v[kept] for v in values], f[kept]) if not kept.all() else (values, f)


def _mean(x: Array, f: Array) -> float:
    return float(f @ x / f.sum()) if len(x) else math.nan
