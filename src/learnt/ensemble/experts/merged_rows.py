"""Rows in one order and layout, copies as one: many steps would make more and more of the last digits of sums."""

from __future__ import annotations

import numpy as np

from learnt.data.row_keys import ORDERED_UP_TO, cells_of, keys_of_points, order_of_points
from learnt.data.table import Column, Table
from learnt.engine.passes import Batch
from learnt.engine.whole import WholeTable, uneven

#: Tables of more cells are taken as they came.
MOST_CELLS = 5_000_000


def merged_rows(rows: WholeTable) -> Batch:
    """Each row once, with the weight of all its copies, in an order that follows from the cells.

    So the same bits are learnt whatever the order of rows, and whether a row stands there twice or weighs 2. Of large
    tables, rows stay as they came.
    """
    table, w = rows.table, np.ones(rows.rows) if rows.weights is None else rows.weights
    if rows.rows > ORDERED_UP_TO or rows.rows * table.n_columns > MOST_CELLS:
        return Batch(_in_one_form(table), 0, rows.target, uneven(rows.weights))
    points = np.column_stack([*cells_of(table), rows.target])
    _, first, copies = np.unique(keys_of_points(points), return_index=True, return_inverse=True)
    weights, order = np.bincount(copies, w).astype(np.float64), order_of_points(points[first])
    places = first[order]
    return Batch(_in_one_form(table.take(places)), 0, rows.target[places], uneven(weights[order]))


def _in_one_form(table: Table) -> Table:
    """Numbers in double precision, and a matrix of them in the layout of C."""
    if table.sparse is not None:
        return table
    if table.matrix is not None:
        matrix = np.ascontiguousarray(table.matrix, dtype=np.float64)
        return Table.of_matrix(matrix, table.names if table.schema.named else None)
    if all(c.values.dtype != np.float32 for c in table.columns):
        return table
    columns = [c if c.values.dtype != np.float32 else Column.like(c, c.values.astype(float)) for c in table.columns]
    return Table.of_columns(columns, named=table.schema.named)
