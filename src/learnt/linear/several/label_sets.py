"""Targets of several labels: which of them a row has, from columns, a matrix, or sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table, unknown_column
from learnt.errors import InputError, KindError
from learnt.show.words import label, plain, spell


def named_columns(table: Table, y: Any) -> list[str] | None:
    """The columns of the table that y names, or None where y is something else: the labels themselves."""
    if not isinstance(y, list | tuple) or not y or not all(isinstance(name, str) for name in y):
        return None
    strange = [name for name in y if name not in table]
    if strange:
        raise InputError(f"y names columns of labels. {unknown_column(strange[0], table.names)}")
    return list(y)


def memberships(y: Any, labels: Sequence[Any] | None = None) -> tuple[Array, list[Any]]:
    """Rows × labels, True where a row has the label; and the labels.

    `y` is a sequence of sets (or lists, or tuples) of labels, or columns of booleans or of 0 and 1: a frame, a dict of
    columns, a matrix, whose columns are then called by their numbers. `labels` are those that are known already.
    """
    if are_sets(y):
        return _of_sets(y, labels)
    if y is None or isinstance(y, str):
        raise InputError(f"y={spell(y)} came. Expected several columns of labels: names, a matrix of 0 and 1, or sets.")
    matrix = _matrix_of(y)
    table = Table(y if matrix is None else matrix)
    found: list[Any] = list(table.names) if table.schema.named else list(range(table.n_columns))
    members = [_membership(column, name) for column, name in zip(table.columns, found, strict=True)]
    if not members:
        raise InputError("y has no columns. Expected one column of 0 and 1 per label.")
    made = np.column_stack(members)
    if labels is None:
        return made, found
    if not table.schema.named and len(found) == len(labels):
        return made, list(labels)
    absent = [name for name in labels if name not in found]
    if absent:
        raise InputError(f"y has no column for the label {label(absent[0])}. It has {found[:8]}.")
    return made[:, [found.index(name) for name in labels]], list(labels)


def are_sets(y: Any) -> bool:
    """Whether a target names the labels of each row, and does not hold a column for each label."""
    if isinstance(y, np.ndarray) and y.dtype == object and y.ndim == 1:
        y = y.tolist()
    if not isinstance(y, list | tuple) or not y:
        return False
    if any(isinstance(row, set | frozenset) for row in y):
        return True
    rows = [row for row in y if isinstance(row, list | tuple)]
    if len(rows) < len(y):
        return False
    cells = [cell for row in rows for cell in row]
    return len({len(row) for row in rows}) > 1 or any(isinstance(cell, str) for cell in cells)


def _of_sets(y: Any, labels: Sequence[Any] | None) -> tuple[Array, list[Any]]:
    for i, row in enumerate(y):
        if not isinstance(row, set | frozenset | list | tuple):
            raise InputError(f"Row {i} of y is {spell(row)}. Expected a set of labels, an empty one if it has none.")
    if labels is None:
        there = {plain(cell) for row in y for cell in row}
        if not there:
            raise InputError("y holds only empty sets, so that no label is known. Give at least one row a label.")
        try:
            labels = sorted(there)
        except TypeError:
            kinds = sorted({type(cell).__name__ for cell in there})
            raise KindError(
                f"The labels are of types {kinds}, which have no common order. Make them all text."
            ) from None
    place = {name: j for j, name in enumerate(labels)}
    made = np.zeros((len(y), len(labels)), dtype=bool)
    for i, row in enumerate(y):
        for cell in row:
            j = place.get(plain(cell))
            if j is None:
                raise InputError(f"Row {i} of y has the label {label(cell)}, which was not there when fitting.")
            made[i, j] = True
    return made, list(labels)


def _matrix_of(y: Any) -> Array | None:
    """A matrix of numbers or booleans as floats; None for what a table is better made from."""
    if hasattr(y, "toarray"):
        y = y.toarray()
    if isinstance(y, list | tuple):
        y = np.asarray(y)
    if not isinstance(y, np.ndarray):
        return None
    if y.ndim != 2:
        raise InputError(f"y is an array of shape {y.shape}. Expected two dimensions: rows × labels.")
    return y.astype(np.float64) if y.dtype.kind in "fiub" else y


def _membership(column: Column, name: Any) -> Array:
    missing = np.flatnonzero(column.missing)
    if len(missing):
        raise InputError(
            f"The label {label(name)} is missing in {len(missing)} row(s), first in row {int(missing[0])}. "
            "A learner cannot learn from those. Leave the rows out, or say 0."
        )
    cells = column.values if column.kind == "numeric" else np.array(column.labels(), dtype=object)
    known = (cells == 0) | (cells == 1)
    if not known.all():
        row = int(np.flatnonzero(~known)[0])
        raise InputError(
            f"The label {label(name)} is {label(cells[row])} in row {row}. Expected 0 or 1, or False or True. "
            "For several classes in one column use a classifier of its own."
        )
    members: Array = np.asarray(cells == 1, dtype=bool)
    return members
