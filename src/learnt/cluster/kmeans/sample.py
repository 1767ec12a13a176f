"""The rows a start is drawn from: all of them, or a hashed sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.cluster.kmeans.lloyd import OverRows
from learnt.cluster.kmeans.rows import Rows
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Statistic


@dataclass(frozen=True)
class Sample(Statistic):
    """Rows with the smallest hashes of (seed, row number): a sample that no cutting changes."""

    rows: int
    limit: int
    key: Array
    x: Any
    weights: Array | None

    def _merge(self, other: Sample) -> Sample:
        if isinstance(self.x, np.ndarray):
            x: Any = np.concatenate([self.x, other.x])
        else:
            from scipy.sparse import vstack

            x = vstack([self.x, other.x], format="csr")
        key = np.concatenate([self.key, other.key])
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights])
        return Sample(self.rows + other.rows, self.limit, key, x, weights).cut()

    def cut(self) -> Sample:
        if len(self.key) <= self.limit:
            return self
        keep = np.sort(np.argpartition(self.key, self.limit)[: self.limit])
        weights = None if self.weights is None else self.weights[keep]
        return Sample(self.rows, self.limit, self.key[keep], self.x[keep], weights)


class TakeSample(OverRows):
    """All rows, by reference, or a hashed sample of `limit` of them."""

    def __init__(self, design: Design, shift: Array, limit: int | None, seed: int):
        super().__init__(design, shift)
        self.limit, self.seed = limit, seed

    def look(self, rows: Rows, first_row: int) -> Sample:
        if self.limit is None:
            return Sample(rows.n_rows, rows.n_rows, np.zeros(0), rows.x, rows.weights)
        key = np.empty(rows.n_rows)
        _core.hash_uniform(self.seed, first_row, key)
        return Sample(rows.n_rows, self.limit, key, rows.x, rows.weights).cut()
