"""Rows of files larger than memory: a sample of them, which is all that isolation forests look at."""

from __future__ import annotations

import numpy as np

from learnt.engine.passes import Batch, Pass
from learnt.engine.whole import WholeTable
from learnt.statistics.sample import HashedSample, hash_rows

#: Rows of a scan that are kept: enough for the samples of trees and for the rows held out.
MOST_ROWS = 200_000


class TakeRows(Pass):
    """A sample of the rows of positive weight, with their weights, by the hashes of their numbers."""

    def __init__(self, seed: int, limit: int = MOST_ROWS):
        self.seed, self.limit = seed, limit

    def summarize(self, batch: Batch) -> HashedSample:
        weights = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        counts = np.flatnonzero(weights > 0)
        keys = hash_rows(self.seed, batch.first_row, batch.n_rows)[counts]
        return HashedSample.of(self.limit, keys, batch.table.take(counts), weights[counts])


def sampled_table(sample: HashedSample) -> WholeTable:
    """The rows of a sample as those of a table in memory."""
    table, weights = sample.taken
    return WholeTable(table.n_rows, table, None, weights, np.arange(table.n_rows))
