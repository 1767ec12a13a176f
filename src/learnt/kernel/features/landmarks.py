"""Landmarks: a few rows, the same whatever the order of rows and columns and however the table was cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from learnt.data.table import Array
from learnt.engine.encoded_rows import encoded_rows
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.kernel.distinct_rows import mixed_bits, single_bits

_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class DistinctSample(Statistic):
    """The different rows of the `limit` smallest keys, by rising key, with the weight of all rows like them.

    A key has two halves: one that does not know which column a cell stands in, so that the order of columns does not
    matter, and one that does, for rows of the same cells in other columns.
    """

    rows: int
    limit: int
    key: Array  # rows × 2
    x: Any
    weight: Array

    @classmethod
    def of(cls, rows: int, limit: int, key: Array, x: Any, weight: Array) -> DistinctSample:
        """Rows of equal keys are equal: of 128 bits, no two others share one."""
        order = np.lexsort((key[:, 1], key[:, 0]))
        new = np.ones(len(order), dtype=bool)
        new[1:] = (key[order[1:]] != key[order[:-1]]).any(axis=1)
        kind = np.cumsum(new) - 1
        total = np.bincount(kind, weight[order]).astype(np.float64)
        first = order[new][:limit]
        return cls(rows, limit, key[first], x[first], total[:limit])

    def _shape(self) -> tuple[int, ...]:
        return (self.limit, int(self.x.shape[1]))

    def _merge(self, other: Self) -> DistinctSample:
        if isinstance(self.x, np.ndarray):
            x = np.concatenate([self.x, other.x])
        else:
            from scipy.sparse import vstack

            x = vstack([self.x, other.x], format="csr")
        key, weight = np.concatenate([self.key, other.key]), np.concatenate([self.weight, other.weight])
        return DistinctSample.of(self.rows + other.rows, self.limit, key, x, weight)


class TakeDistinctSample(Pass):
    """`varying` are the columns that count: those that do not vary change nothing."""

    def __init__(self, design: Any, varying: Array, limit: int, seed: int):
        self.design, self.varying, self.limit, self.seed = design, varying, limit, seed

    def summarize(self, batch: Batch) -> DistinctSample:
        found: DistinctSample | None = None
        for x, part in encoded_rows(batch, self.design):
            weight = np.ones(part.n_rows) if part.weights is None else part.weights
            there = np.flatnonzero(weight > 0)
            key = row_keys(x, self.varying, self.seed)
            if found is not None and len(found.key) == self.limit:  # others cannot be among the smallest any more
                there = there[key[there, 0] <= found.key[-1, 0]]
            some = DistinctSample.of(part.n_rows, self.limit, key[there], x[there], weight[there])
            found = some if found is None else found + some
        assert found is not None
        return found


def row_keys(x: Any, varying: Array, seed: int) -> Array:
    """Two 64-bit keys for each row, from its cells that are not 0; the second knows their columns."""
    start = np.uint64(seed)
    found = np.zeros((x.shape[0], 2), np.uint64)
    with np.errstate(over="ignore"):
        columns = mixed_bits(np.arange(1, x.shape[1] + 1, dtype=np.uint64) * _ODD + start) | np.uint64(1)
        if isinstance(x, np.ndarray):
            for j in np.flatnonzero(varying):
                for half, key in enumerate(_cell_keys(x[:, j], start, columns[j])):
                    found[:, half] += key
        else:
            rows, counts = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr)), varying[x.indices]
            for half, key in enumerate(_cell_keys(x.data, start, columns[x.indices])):
                np.add.at(found[:, half], rows[counts], key[counts])
        return mixed_bits(found)


def _cell_keys(cells: Array, start: Any, column: Any) -> tuple[Array, Array]:
    plain = np.where(cells == 0, np.uint64(0), mixed_bits(single_bits(cells) * _ODD + start))
    return plain, np.asarray(plain * column)
