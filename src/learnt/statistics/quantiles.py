"""Weighted medians and quantiles. The definitions differ, as their users do; they stand here side by side.

| function | answer | for |
|---|---|---|
| `weighted_median` | halfway between two numbers where both divide the weight | fills, exemplars, robust weights |
| `weighted_quantile` | the same at any share, with scikit-learn's tolerance | metrics |
| `frequency_quantiles` | interpolated, as NumPy does of each value repeated | descriptions |
| `quantiles_by_group` | the smallest number that reaches the share of its group's weight | leaves of boosted trees |
| `median_places` | which column of a row is the median, never between two | votes of members |
"""

from __future__ import annotations

import math

import numpy as np

from learnt import _core
from learnt.data.table import Array

#: Running sums of weights this close to a half are a half.
ROUNDING = 1e-12


def middle_places(weights: Array) -> tuple[int, int]:
    """The first and the last place at which half of the weight lies on either side; one place, or two neighbours."""
    below = np.cumsum(weights)
    half = below[-1] / 2
    low, high = np.searchsorted(below, [half * (1 - ROUNDING), half * (1 + ROUNDING)])
    return int(low), min(int(high), len(below) - 1)


def weighted_median(values: Array, weights: Array | None) -> float:
    """Half of the weight lies on either side; halfway between two numbers where both divide it so."""
    if len(values) == 0:
        return float("nan")
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values)
    low, high = middle_places(weights[order])
    return float(values[order[low]] / 2 + values[order[high]] / 2)


def weighted_quantile(values: Array, weights: Array | None, share: float) -> float:
    """The value below which `share` of the weight lies; halfway between two where the share ends at one of them."""
    if not len(values):
        return float("nan")
    if weights is None:
        if share == 0.5:
            return float(np.median(values))
        weights = np.ones(len(values))
    kept = weights > 0
    if not kept.any():
        return float("nan")
    if not kept.all():
        values, weights = values[kept], weights[kept]
    order = np.argsort(values)
    upto = np.cumsum(weights[order])
    wanted = share * upto[-1] or np.nextafter(0.0, 1.0)
    place = min(int(np.searchsorted(upto, wanted)), len(order) - 1)
    low = values[order[place]]
    if upto[place] - wanted > np.finfo(np.float64).eps:
        return float(low)
    return float((low + values[order[min(place + 1, len(order) - 1)]]) / 2)


def frequency_quantiles(ordered: Array, shares: tuple[float, ...], weights: Array | None = None) -> list[float]:
    """Quantiles of an ascending sample, interpolated linearly at (n − 1)·share as NumPy does.

    Weights are frequencies: the answer is the one for each value repeated that many times.
    """
    if len(ordered) == 0:
        return [math.nan] * len(shares)
    steps = None if weights is None else np.cumsum(weights)
    n = len(ordered) if steps is None else float(steps[-1])
    found = []
    for share in shares:
        position = max(0.0, (n - 1) * share)
        k, part = math.floor(position), position - math.floor(position)
        places = np.array([k, k + 1])
        if steps is not None:  # the k-th observation is the first value whose running count exceeds k
            places = np.searchsorted(steps, places * (1 + 1e-12), side="right")
        a, b = ordered[np.minimum(places, len(ordered) - 1)].tolist()
        found.append(a if a == b else a * (1 - part) + b * part)
    return found


def quantiles_by_group(groups: Array, values: Array, weights: Array | None, share: float, n_groups: int) -> Array:
    """By group the smallest of its values that reaches the share of their weight; NaN without rows."""
    found = np.full(n_groups, np.nan)
    w = None if weights is None else np.ascontiguousarray(weights, np.float64)
    _core.quantiles_by_group(groups, np.ascontiguousarray(values, np.float64), w, share, found)
    return found


def median_places(numbers: Array, weights: Array) -> Array:
    """Which column of each row is its weighted median: the first, by size, with half of the weight up to it."""
    order = np.argsort(numbers, axis=1, kind="stable")
    upto = np.cumsum(weights[order], axis=1)
    middle = (upto >= 0.5 * upto[:, -1:]).argmax(axis=1)
    places: Array = order[np.arange(len(numbers)), middle]
    return places
