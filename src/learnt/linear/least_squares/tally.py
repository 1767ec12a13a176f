"""Counts that least squares takes along on its way over the rows, for those who later ask how sure it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch


class Tally(NamedTuple):
    """Of the rows with a positive weight: how many, how many of them with missing cells, and Σ log w."""

    rows: int = 0
    incomplete: int = 0
    log_weight: float = 0.0

    @classmethod
    def of(cls, batch: Batch, *, look: bool = True) -> Tally:
        """`look` False takes it as known that no cell is missing."""
        gaps = incomplete_rows(batch.table) if look else np.zeros(batch.n_rows, dtype=bool)
        if batch.weights is None:
            return cls(batch.n_rows, int(gaps.sum()))
        some = batch.weights > 0
        return cls(int(some.sum()), int((gaps & some).sum()), float(np.log(batch.weights[some]).sum()))

    def plus(self, other: Tally) -> Tally:
        return Tally(self.rows + other.rows, self.incomplete + other.incomplete, self.log_weight + other.log_weight)


NOTHING = Tally()


def incomplete_rows(table: Table) -> Array:
    """Which rows have a missing cell."""
    gaps = np.zeros(table.n_rows, dtype=bool)
    if table.matrix is not None:
        gaps |= np.isnan(table.matrix).any(axis=1)
    elif table.sparse is not None:
        rows = np.repeat(np.arange(table.n_rows), np.diff(table.sparse.indptr))
        gaps[rows[np.isnan(table.sparse.data)]] = True
    else:
        for column in table.columns:
            gaps |= column.missing
    return gaps
