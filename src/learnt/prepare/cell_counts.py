"""Which cells are there: the weight of each category, and how many cells of a column are missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass
from learnt.statistics.counts import weigh_codes
from learnt.statistics.sums import Sums


@dataclass(frozen=True)
class CellCounts(Sums):
    """Per column the weight of each category (of a numeric column: none) and the rows without a cell.

    Rows of weight 0 do not count.
    """

    rows: int
    row_weight: float
    categories: tuple[Array, ...]
    gaps: Array


class CountCells(Pass):
    def summarize(self, batch: Batch) -> CellCounts:
        table, weights = batch.table, batch.weights
        if weights is not None and not weights.all():
            table, weights = table.take(weights > 0), weights[weights > 0]
        return CellCounts(
            batch.n_rows,
            float(table.n_rows if weights is None else weights.sum()),
            _category_weights(table, weights),
            gaps_of(table),
        )


def _category_weights(table: Table, weights: Array | None) -> tuple[Array, ...]:
    if table.schema.all_numeric:
        return (np.zeros(0),) * table.n_columns
    none = np.zeros(0)
    return tuple(
        none if c.kind == "numeric" else weigh_codes(c.values, len(c.categories), weights) for c in table.columns
    )


def gaps_of(table: Table) -> Array:
    """How many cells of each column are missing."""
    if table.sparse is not None:
        return np.bincount(table.sparse.indices[np.isnan(table.sparse.data)], minlength=table.n_columns)
    if table.matrix is not None:
        return np.array([np.count_nonzero(np.isnan(table.matrix[:, j])) for j in range(table.n_columns)], np.int64)
    return np.array([np.count_nonzero(c.missing) for c in table.columns], np.int64)
