"""Landmarks: a few rows, the same whatever the order of rows and columns and however the table was cut."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from learnt.data.table import Array
from learnt.engine.encoded_rows import encoded_rows
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.kernel.distinct_rows import mixed_bits, single_bits


@dataclass(frozen=True)
class DistinctSample(Statistic):
    """The different rows of the `limit` smallest keys, by rising key, with the weight of all rows like them."""

    rows: int
    limit: int
    key: Array
    x: Any
    weight: Array

    @classmethod
    def of(cls, rows: int, limit: int, key: Array, x: Any, weight: Array) -> DistinctSample:
        """Rows of equal keys are equal: of 64 bits, two others share one by chance of 1 in 2⁶⁴."""
        known, first, which = np.unique(key, return_index=True, return_inverse=True)
        total = np.bincount(which.ravel(), weight, len(known)).astype(np.float64)
        return cls(rows, limit, known[:limit], x[first[:limit]], total[:limit])

    def _shape(self) -> tuple[int, ...]:
        return (self.limit, int(self.x.shape[1]))

    def _merge(self, other: Self) -> DistinctSample:  # type: ignore[override]
        if isinstance(self.x, np.ndarray):
            x = np.concatenate([self.x, other.x])
        else:
            from scipy.sparse import vstack

            x = vstack([self.x, other.x], format="csr")
        key, weight = np.concatenate([self.key, other.key]), np.concatenate([self.weight, other.weight])
        return DistinctSample.of(self.rows + other.rows, self.limit, key, x, weight)


class TakeDistinctSample(Pass):
    """`names` of the columns that count, None for those that do not vary: a key knows cells by the names of their
    columns, so that neither the order of columns nor constant ones matter."""

    def __init__(self, design: Any, names: Sequence[str | None], limit: int, seed: int):
        self.design, self.names, self.limit, self.seed = design, names, limit, seed

    def summarize(self, batch: Batch) -> DistinctSample:
        keys = column_keys(self.names, self.seed)
        found: DistinctSample | None = None
        for x, part in encoded_rows(batch, self.design):
            weight = np.ones(part.n_rows) if part.weights is None else part.weights
            there = np.flatnonzero(weight > 0)
            some = DistinctSample.of(part.n_rows, self.limit, row_keys(x[there], keys), x[there], weight[there])
            found = some if found is None else found + some
        assert found is not None
        return found


def column_keys(names: Sequence[str | None], seed: int) -> Array:
    """A 64-bit number for each name, by the seed; 0 for None."""
    start = seed.to_bytes(8, "little")
    digests = (None if name is None else hashlib.blake2b(name.encode(), digest_size=8, key=start) for name in names)
    return np.array([0 if d is None else int.from_bytes(d.digest(), "little") | 1 for d in digests], dtype=np.uint64)


def row_keys(x: Any, columns: Array) -> Array:
    """A 64-bit key for each row, from its cells and the keys of their columns, in any order of these."""
    with np.errstate(over="ignore"):
        found = np.zeros(x.shape[0], np.uint64)
        if isinstance(x, np.ndarray):
            for j in np.flatnonzero(columns):
                found += _cell_keys(x[:, j], columns[j])
        else:
            cells = np.where(columns[x.indices] > 0, _cell_keys(x.data, columns[x.indices]), np.uint64(0))
            cells -= np.where(columns[x.indices] > 0, _cell_keys(np.zeros(1), columns[x.indices]), np.uint64(0))
            np.add.at(found, np.repeat(np.arange(x.shape[0]), np.diff(x.indptr)), cells)
            found += _cell_keys(np.zeros(1), columns[columns > 0]).sum(dtype=np.uint64)  # those that are not stored
        return mixed_bits(found)


def _cell_keys(cells: Array, column: Any) -> Array:
    return mixed_bits(mixed_bits(single_bits(cells) + np.uint64(1)) * column)
