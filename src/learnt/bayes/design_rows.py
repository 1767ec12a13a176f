"""Rows drawn from a model, as a table in the user's columns."""

from __future__ import annotations

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Column, Table


def drawn_table(design: Design, x: Array) -> Table:
    """Rows of a design as a table: ranks are rounded, of several indicators the largest wins."""
    columns = []
    for j, column in enumerate(design.schema):
        first, n_levels = int(design.starts[j]), len(column.categories)
        if column.kind == "numeric":
            values: Array = np.ascontiguousarray(x[:, first])
        elif n_levels == 0:
            values = np.full(len(x), -1, np.int32)
        elif column.kind == "ordinal":
            values = np.clip(np.rint(x[:, first]), 0, n_levels - 1).astype(np.int32)
        else:
            values = _categories(x, first, n_levels, int(design.reference[j]))
        columns.append(Column.like(column, values))
    return Table.of_columns(columns, n_rows=len(x), named=design.schema.named)


def _categories(x: Array, first: int, n_levels: int, reference: int) -> Array:
    """The level with the largest indicator; the one left out has what the others leave of 1."""
    width = n_levels - (reference >= 0)
    shown = x[:, first : first + width]
    levels = shown if reference < 0 else np.insert(shown, reference, 1 - shown.sum(axis=1), axis=1)
    largest: Array = levels.argmax(axis=1).astype(np.int32)
    return largest
