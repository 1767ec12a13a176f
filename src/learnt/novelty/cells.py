"""Rows as their cells, in one matrix of numbers, and the order in which rows are drawn and cut into folds."""

from __future__ import annotations

import numpy as np

from learnt import _core
from learnt.data.row_keys import cells_of, varying_columns
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS


def cell_matrix(table: Table) -> Array:
    """Numbers, ranks and codes of categories; NaN where a cell is missing. A matrix of numbers is not copied."""
    if table.matrix is not None:
        return table.matrix
    return np.column_stack(cells_of(table)) if table.n_columns else np.zeros((table.n_rows, 0))


def category_counts(schema: Schema) -> Array:
    """How many categories each column has; 0 for numbers and ranks."""
    coded = [len(c.categories) if c.kind in ("nominal", "boolean") else 0 for c in schema]
    return np.array(coded, dtype=np.int32)


def content_order(table: Table, seed: int) -> Array:
    """An order of rows that hangs on their cells and the seed alone: copies of a row stand side by side.

    So neither the order of the rows, nor whether a row stands there twice or weighs 2, nor a column with the same cell
    in all rows changes what is drawn.
    """
    varying = varying_columns(table)
    if len(varying) < table.n_columns:
        table = table.select([table.names[j] for j in varying.tolist()])
    keys = np.full(table.n_rows, seed, np.uint64)
    for start in range(0, table.n_rows, ENCODED_ROWS):
        part = table.rows(start, start + ENCODED_ROWS)
        _core.mix_row_keys(cell_matrix(part), keys[start : start + ENCODED_ROWS])
    return np.argsort(keys, kind="stable")
