"""A table brought to the columns that a learner was fitted on."""

from __future__ import annotations

from collections.abc import Sequence

from learnt.data.column import as_kind
from learnt.data.naming import nearest_name, some_names
from learnt.data.schema import Schema
from learnt.data.table import Table
from learnt.errors import InputError
from learnt.show.words import spell


def match_columns(table: Table, schema: Schema) -> Table:
    """By name, or by position when either side has no names; a matrix of numbers stays one."""
    matrix = (table.matrix is not None or table.sparse is not None) and schema.all_numeric
    if not (schema.named and table.schema.named):
        return _by_position(table, schema, matrix)
    if matrix and schema.names == table.names:
        return table
    _name_absent(table, schema.names)
    if matrix:
        return table.select(schema.names)
    return Table.of_columns([as_kind(table[c.name], c) for c in schema], n_rows=table.n_rows)


def _by_position(table: Table, schema: Schema, matrix: bool) -> Table:
    if len(schema) != table.n_columns:
        raise InputError(f"The table has {table.n_columns} columns, but {len(schema)} were expected.")
    if matrix:
        return table
    pairs = zip(table.columns, schema, strict=True)
    columns = [as_kind(c.renamed(s.name), s) for c, s in pairs]
    return Table.of_columns(columns, n_rows=table.n_rows, named=schema.named)


def _name_absent(table: Table, names: Sequence[str]) -> None:
    absent = [name for name in names if name not in table]
    if absent:
        near = nearest_name(absent[0], [name for name in table.names if name not in set(names)])
        raise InputError(
            f"Column {spell(absent[0])} is missing from the table"
            + (f" (and {len(absent) - 1} more: {absent[1:4]})" if absent[1:] else "")
            + f". It was there when the learner was fitted. The table has {some_names(table.names)}."
            + (f" Is it {near!r}? Rename it." if near is not None else "")
        )
