"""The rows of prediction against the columns of fitting, with the words scikit-learn's users know."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError


def match_schema(table: Table, schema: Schema, owner: str) -> Table:
    """`table` in the columns, order and category codes of `schema`; see `Table.matched`."""
    both_named = schema.named and table.schema.named
    if not both_named:
        if table.n_columns != len(schema):
            raise InputError(
                f"X has {table.n_columns} features, but {owner} is expecting {len(schema)} features as input."
            )
        if schema.named:
            warnings.warn(
                f"X does not have valid feature names, but {owner} was fitted with feature names", stacklevel=5
            )
        elif table.schema.named:
            warnings.warn(f"X has feature names, but {owner} was fitted without feature names", stacklevel=5)
    return table.matched(schema)


def unseen_cells(given: Table, same: Table) -> Iterator[tuple[int, Column, Array]]:
    """Where labels of `given` were lost when it was matched as `same`: place in `same`, column of `given`, rows."""
    for j, column in enumerate(same.schema):
        if not column.coded:
            continue
        before = given[column.name] if column.name in given else given.columns[j]
        lost = np.flatnonzero(same.columns[j].missing & ~before.missing)
        if len(lost):
            yield j, before, lost


def with_unseen_texts(given: Any, same: Table, text: Collection[int]) -> Table:
    """`same` with the texts as given: matching drops labels that fitting never saw, but texts can be compared."""
    if not text:
        return same
    table = given if isinstance(given, Table) else Table(given)
    unseen = {j: column for j, column, _ in unseen_cells(table, same) if j in text}
    if not unseen:
        return same
    return Table.of_columns([unseen.get(j, c) for j, c in enumerate(same.columns)], named=same.schema.named)
