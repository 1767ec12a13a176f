"""Rows in one order and layout, copies as one: many steps would make more and more of the last digits of sums."""

from __future__ import annotations

import numpy as np

from learnt.data.row_keys import ORDERED_UP_TO, cells_of, row_keys
from learnt.data.table import Table
from learnt.engine.passes import Batch
from learnt.engine.whole import WholeTable, uneven

#: Tables of more cells are taken as they came.
MOST_CELLS = 5_000_000


def merged_rows(rows: WholeTable) -> Batch:
    """Each row once, with the weight of all its copies, in an order that follows from the cells.

    So the same bits are learnt whatever the order of the rows, and whether a row stands there twice or weighs 2. Of large
    tables, rows stay as they came.
    """
    table, w = rows.table, np.ones(rows.rows) if rows.weights is None else rows.weights
    if rows.rows > ORDERED_UP_TO or rows.rows * table.n_columns > MOST_CELLS:
        return Batch(_row_by_row(table), 0, rows.target, uneven(rows.weights))
    keys = row_keys([*cells_of(table), rows.target])
    _, first, copies = np.unique(keys, return_index=True, return_inverse=True)
    weights = np.bincount(copies, w).astype(np.float64)
    return Batch(_row_by_row(table.take(first)), 0, rows.target[first], uneven(weights))


def _row_by_row(table: Table) -> Table:
    """A matrix of numbers in the layout of C."""
    if table.matrix is None or table.matrix.flags.c_contiguous:
        return table
    return Table.of_matrix(np.ascontiguousarray(table.matrix), table.names if table.schema.named else None)
