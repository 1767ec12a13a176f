"""The rows a start is drawn from: all of them, or a hashed sample."""

from __future__ import annotations

import numpy as np

from learnt.cluster.kmeans.lloyd import OverRows
from learnt.cluster.kmeans.rows import Rows
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.statistics.sample import HashedSample, hash_rows


class TakeSample(OverRows):
    """All rows, by reference, or a hashed sample of `limit` of them: matrix and weights."""

    def __init__(self, design: Design, shift: Array, limit: int | None, seed: int):
        super().__init__(design, shift)
        self.limit, self.seed = limit, seed

    def look(self, rows: Rows, first_row: int) -> HashedSample:
        key = np.empty(0) if self.limit is None else hash_rows(self.seed, first_row, rows.n_rows)
        return HashedSample.of(self.limit, key, rows.x, rows.weights, rows=rows.n_rows)
