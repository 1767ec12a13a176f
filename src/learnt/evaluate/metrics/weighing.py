"""Sums and means of rows that count by weight."""

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
