"""Tables with some cells changed: what a model is asked in order to learn what it looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.show.words import plain


def reorder_columns(table: Table, places: Sequence[int], order: Array) -> Table:
    """The table in which these columns, together, take their cells from the rows of `order`."""
    if table.sparse is not None:
        from scipy.sparse import diags

        moved = np.zeros(table.n_columns)
        moved[list(places)] = 1.0
        return _of_matrix((table.sparse @ diags(1 - moved) + table.sparse[order] @ diags(moved)).tocsr(), table)
    if table.matrix is not None:
        matrix = table.matrix.copy()
        matrix[:, list(places)] = table.matrix[order][:, list(places)]
        return _of_matrix(matrix, table)
    moved_places = set(places)
    columns = [_with(c, c.values[order]) if j in moved_places else c for j, c in enumerate(table.columns)]
    return Table.of_columns(columns, n_rows=table.n_rows, named=table.schema.named)


def variants(table: Table, row: int, changes: Sequence[Mapping[int, Any]]) -> Table:
    """That row once for each change; a change gives cells, as stored, by the places of their columns."""
    copies = table.take(np.full(len(changes), row))
    if table.sparse is not None or table.matrix is not None:
        matrix: Any = copies.sparse.tolil() if table.sparse is not None else copies.matrix
        for i, change in enumerate(changes):
            for j, value in change.items():
                matrix[i, j] = value
        return _of_matrix(matrix.tocsr() if table.sparse is not None else matrix, table)
    columns = list(copies.columns)
    for j in sorted({j for change in changes for j in change}):
        values = columns[j].values.copy()
        for i, change in enumerate(changes):
            if j in change:
                values[i] = change[j]
        columns[j] = _with(columns[j], values)
    return Table.of_columns(columns, n_rows=len(changes), named=table.schema.named)


def cell(column: Column, row: int) -> Any:
    """A cell as the user knows it; None where it is missing."""
    return stored_cell(column, column.values[row])


def stored_cell(column: Column, value: Any) -> Any:
    """A stored value as the user knows it."""
    return plain(Column.like(column, np.array([value])).labels()[0])


def _with(column: Column, values: Array) -> Column:
    return Column.like(column, values)


def _of_matrix(matrix: Any, like: Table) -> Table:
    return Table.of_matrix(matrix, like.names, named=like.schema.named)
