"""A target some of whose cells are missing: those rows are the unlabelled ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.engine.target import class_codes
from learnt.engine.training import prepare
from learnt.errors import InputError


@dataclass(frozen=True, eq=False)
class PartlyLabelled:
    """Rows, the code of each one's class (−1: unlabelled), the classes, and the weights of rows, or None."""

    table: Table
    codes: Array
    classes: Array
    weights: Array | None

    @property
    def schema(self) -> Schema:
        return self.table.schema

    @property
    def labelled(self) -> Array:
        """The numbers of the rows that have a class."""
        return np.flatnonzero(self.codes >= 0)

    @property
    def unlabelled(self) -> Array:
        return np.flatnonzero(self.codes < 0)


def partly_labelled(X: Any, y: Any, sample_weight: Any, owner: str) -> PartlyLabelled:
    """What `fit` was given. `y` is an array or the name of a column; None, NaN and missing cells are no class."""
    table = X if isinstance(X, Table) else Table(X)
    y = table.target if y is None else y
    if y is None:
        raise InputError(
            f"{owner} needs a target: an array, or the name of a column, with cells missing where unknown."
        )
    column = table[y] if isinstance(y, str) else _column(y)
    if len(column) != table.n_rows:
        raise InputError(f"There are {table.n_rows} rows and {len(column)} targets.")
    there = np.flatnonzero(~column.missing)
    if not len(there):
        raise InputError(f"No row has a class. {owner} needs some to begin with.")
    codes = np.full(table.n_rows, -1, np.int32)
    codes[there], classes = class_codes(Column.like(column, column.values[there]))
    names = [y] if isinstance(y, str) else []
    features = table.drop(*names)
    checked = prepare(features, None, sample_weight, None, owner, check_cells=True)
    assert isinstance(checked.source, Table)
    return PartlyLabelled(checked.source, codes, classes, checked.weights)


def _column(y: Any) -> Column:
    cells = np.asarray(y)
    if cells.ndim != 1:
        raise InputError(f"The target has {cells.ndim} dimensions. Expected one class for each row.")
    return Table({"target": y})["target"]
