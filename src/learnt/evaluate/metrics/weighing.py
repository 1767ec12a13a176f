"""Sums, means and quantiles of rows that count by weight."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from learnt.data.table import Array

#: Rows taken at once: their temporaries stay in the processor's cache.
BLOCK = 1 << 14


def dot(a: Array, b: Array) -> float:
    """Σ a·b by blocks, in one order whatever the number of threads, which BLAS does not promise."""
    return sum_of(np.multiply, a, b)


def sum_of(cells: Callable[..., Array], *columns: Array, weights: Array | None = None) -> float:
    """Σ of what `cells` makes of the columns, by weight, without keeping it for all rows at once."""
    total = 0.0
    for start in range(0, len(columns[0]), BLOCK):
        rows = slice(start, start + BLOCK)
        part = cells(*(column[rows] for column in columns))
        total += float(np.sum(part, dtype=np.float64) if weights is None else np.einsum("i,i->", part, weights[rows]))
    return total


def mean_of(cells: Callable[..., Array], *columns: Array, weights: Array | None = None) -> float:
    """The mean by weight of what `cells` makes of the columns; NaN where there is no weight at all."""
    total = len(columns[0]) if weights is None else float(weights.sum())
    return sum_of(cells, *columns, weights=weights) / total if total else float("nan")


def weighted_mean(values: Array, weights: Array | None) -> float:
    """The mean by weight; NaN where there is no weight at all."""
    return mean_of(np.asarray, values, weights=weights)


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
