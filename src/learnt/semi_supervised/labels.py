"""A target some of whose cells are missing: those rows are the unlabelled ones."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.engine.target import class_codes
from learnt.engine.training import prepare
from learnt.errors import InputError
from learnt.learner.settings import clone


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

    def fitted(self, learner: Any, codes: Array, columns: Sequence[str] | None = None) -> Any:
        """A clone of the learner, fitted to the rows that `codes` give a class, in some of the columns."""
        known = np.flatnonzero(codes >= 0)
        table = self.table if columns is None else self.table.select(columns)
        weights = None if self.weights is None else self.weights[known]
        return clone(learner).fit(table.take(known), self.classes[codes[known]], weights)

    def named(self, codes: Array) -> Array:
        """The class of each row, None where the code is −1."""
        labels = np.full(len(codes), None, dtype=object)
        labels[codes >= 0] = self.classes[codes[codes >= 0]]
        return labels


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
    _warn_of_codes(classes, len(there) < table.n_rows, owner)
    names = [y] if isinstance(y, str) else []
    features = table.drop(*names)
    checked = prepare(features, None, sample_weight, None, owner, check_cells=True)
    assert isinstance(checked.source, Table)
    if checked.weights is not None:  # a class that only rows of weight 0 have is none
        kept = np.unique(codes[(codes >= 0) & (checked.weights > 0)])
        if not len(kept):
            raise InputError(f"No row with a class has a weight above 0. {owner} needs some to begin with.")
        renumbered = np.full(len(classes) + 1, -1, np.int32)  # the last is the place of −1
        renumbered[kept] = np.arange(len(kept))
        codes, classes = renumbered[codes], classes[kept]
    return PartlyLabelled(checked.source, codes, classes, checked.weights)


def _warn_of_codes(classes: Array, some_missing: bool, owner: str) -> None:
    """Other programs mark rows without a class by −1; two classes −1 and 1 are nothing of the kind."""
    if not some_missing and len(classes) > 2 and classes.dtype.kind in "if" and classes[0] == -1:
        warnings.warn(
            f"{owner} takes −1 for a class like the others, and no row is without one. Make the target of unlabelled "
            "rows missing: None or NaN.",
            stacklevel=4,
        )


def _column(y: Any) -> Column:
    cells = np.asarray(y)
    if cells.ndim != 1:
        raise InputError(f"The target has {cells.ndim} dimensions. Expected one class for each row.")
    return Table({"target": y})["target"]
