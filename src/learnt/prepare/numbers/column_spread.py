"""Where the numbers of each column lie: ends, mean and spread, in one pass, however large or small they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Statistic
from learnt.statistics.moments import column_moments
from learnt.storable import storable

#: Squares of numbers between these neither overflow nor vanish, summed over any table.
_SAFE = 1e-120, 1e140


@storable
@dataclass(frozen=True)
class ColumnSpread(Statistic):
    """Per column of a table the weight of its numbers, the smallest and largest, mean and √(Σ w (x − mean)² / Σ w).

    The root, not the sum, is kept: squares of numbers beyond 1e154 have no place, and `hypot` adds without them.
    Columns that are not numeric, or have no cell, weigh 0, with ends ∞ and −∞.
    """

    rows: int
    weight: Array
    low: Array
    high: Array
    mean: Array
    spread: Array

    def _shape(self) -> tuple[int, ...]:
        return (len(self.weight),)

    def _merge(self, other: ColumnSpread) -> ColumnSpread:
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        # Each by its share: a difference may be larger than any number.
        mean = self.mean * (1 - share) + other.mean * share
        between = 2 * np.sqrt(share * (1 - share)) * np.abs(other.mean / 2 - self.mean / 2)
        within = np.hypot(np.sqrt(1 - share) * self.spread, np.sqrt(share) * other.spread)
        return ColumnSpread(
            self.rows + other.rows,
            weight,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            mean,
            np.hypot(within, between),
        )


def column_spread(batch: Batch) -> ColumnSpread:
    """The spread of the numeric columns of a batch."""
    table, weights = batch.table, batch.weights
    if weights is not None and not weights.all():  # rows of weight 0 have no part in the ends
        table, weights = table.take(weights > 0), weights[weights > 0]
    p = table.n_columns
    found = [np.zeros(p), np.full(p, np.inf), np.full(p, -np.inf), np.zeros(p), np.zeros(p)]
    for at, x in _matrices(table):
        for output, part in zip(found, _spread(x, weights), strict=True):
            output[at] = part
    return ColumnSpread(batch.n_rows, *found)


def _matrices(table: Table) -> Any:
    """The numeric columns as 2-D arrays, and their places; sparse ones made dense a few at a time."""
    if table.matrix is not None:
        yield slice(None), table.matrix
    elif table.sparse is not None:
        columns = table.sparse.tocsc()
        step = max(1, 2**22 // max(table.n_rows, 1))
        for start in range(0, table.n_columns, step):
            yield slice(start, start + step), np.asarray(columns[:, start : start + step].todense())
    else:
        for j, column in enumerate(table.columns):
            if column.kind == "numeric":
                yield slice(j, j + 1), column.values.reshape(-1, 1)


def _spread(x: Array, weights: Array | None) -> tuple[Array, ...]:
    weight, mean, deviation, low, high, _, _ = column_moments(x, weights)
    size = np.fmax(np.abs(low), np.abs(high))
    spread = np.sqrt(np.divide(deviation, weight, out=np.zeros_like(weight), where=weight > 0))
    some = (weight > 0) & (low < high)
    for j in np.flatnonzero(some & ((size > _SAFE[1]) | (high / 2 - low / 2 < _SAFE[0]))):
        # Measured in a unit of their own, a power of two, such numbers lie near 1.
        shift = -int(np.frexp(size[j])[1])
        scaled = column_moments(np.ldexp(x[:, j : j + 1].astype(np.float64), shift), weights)
        mean[j], spread[j] = np.ldexp([scaled.mean[0], np.sqrt(scaled.deviation[0] / weight[j])], -shift)
    empty = weight == 0
    low[empty], high[empty] = np.inf, -np.inf
    mean[empty] = spread[empty] = 0.0
    same = low == high
    mean[same], spread[same] = low[same], 0.0  # exactly: rounding must not make a column of one number vary
    return weight, low, high, mean, spread
