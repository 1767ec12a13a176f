"""One column of a table, and how it takes on another kind or other category codes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.form import Form
from learnt.data.schema import ColumnSchema, Kind, Label
from learnt.errors import InputError, KindError

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A name, a kind and an array: floats with NaN for missing, or int32 codes with −1 for missing."""

    name: str
    kind: Kind
    values: Array
    categories: tuple[Label, ...] = ()
    form: Form | None = None  # dates, money, long texts: how the cells look to people

    @property
    def schema(self) -> ColumnSchema:
        return ColumnSchema(self.name, self.kind, self.categories, self.form)

    @classmethod
    def like(cls, other: Column | ColumnSchema, values: Array) -> Column:
        """A column that is all the other is, but for its cells."""
        return cls(other.name, other.kind, values, other.categories, other.form)

    def renamed(self, name: str) -> Column:
        return Column(name, self.kind, self.values, self.categories, self.form)

    @property
    def missing(self) -> Array:
        """Which cells are missing, as booleans."""
        return np.isnan(self.values) if self.kind == "numeric" else self.values < 0

    def labels(self) -> list[Any]:
        """The cells as the user knows them: numbers, Python's dates, or category labels, None where missing."""
        if self.kind == "numeric":
            if self.form is not None and self.form.temporal:
                from learnt.data.moments import python_moments

                return python_moments(self.values, self.form)
            if self.form is not None and self.form.unit:
                from learnt.data.amounts import Amount

                return [None if math.isnan(v) else Amount(v, self.form) for v in self.values.tolist()]
            return [None if math.isnan(v) else v for v in self.values.tolist()]
        return [self.categories[code] if code >= 0 else None for code in self.values.tolist()]

    def recoded(self, categories: tuple[Label, ...]) -> Column:
        """The same cells in the codes of another category list; labels it lacks become missing."""
        if categories is self.categories or categories == self.categories:
            return self
        place = {label: code for code, label in enumerate(categories)}
        # One extra entry at the end: code −1 indexes it, so that missing stays missing.
        codes = np.array([place.get(label, -1) for label in self.categories] + [-1], dtype=np.int32)
        return Column(self.name, self.kind, codes[self.values], categories, self.form)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The cells as the user knows them: numbers with NaN, booleans, or objects with None where missing."""
        if self.kind == "numeric":
            return np.array(self.values, dtype=dtype, copy=copy)
        if self.kind == "boolean" and not self.missing.any():
            return np.array(self.values == 1, dtype=dtype)
        return np.array([*self.categories, None], dtype=object)[self.values].astype(object if dtype is None else dtype)


def as_kind(column: Column, wanted: ColumnSchema) -> Column:
    """`column` in the kind and codes of `wanted`, where that loses nothing; an error otherwise."""
    if wanted.documents:
        return _as_documents(column, wanted)
    booleans = column.kind == "boolean" and True in wanted.categories
    if column.kind == wanted.kind or booleans or {column.kind, wanted.kind} <= {"nominal", "ordinal"}:
        if not wanted.coded:
            same = wanted.form is None or column.form == wanted.form
            return column if same else replace(column, form=wanted.form)
        codes = column.recoded(wanted.categories).values
        return Column(column.name, wanted.kind, codes, wanted.categories, wanted.form)
    if bool(column.missing.all()):  # nothing in it contradicts the wanted kind
        blank = np.full(len(column), -1, np.int32) if wanted.coded else np.full(len(column), np.nan)
        return Column(column.name, wanted.kind, blank, wanted.categories, wanted.form)
    numbers = [label for label in wanted.categories if isinstance(label, (int, float))]
    if column.kind == "numeric" and wanted.kind != "boolean" and numbers:
        return _numbers_as_codes(column, wanted)
    example = ""
    if wanted.kind == "numeric":
        from learnt.data.kinds.said_numbers import are_texts, as_learnt

        if are_texts(column):
            read = as_learnt(column, "date" if wanted.kind_name == "date" else "numeric", wanted.form)
            if isinstance(read, Column):
                return read if wanted.form is None else replace(read, form=wanted.form)
            example = f" It holds {read}."
    raise KindError(
        f"Column {column.name!r} is {column.kind}, but it was {wanted.kind} when the learner was fitted.{example} "
        f"Give it as {wanted.kind} values, Table(X, kinds={{{column.name!r}: {wanted.kind!r}}}), or fit again on "
        f"Table(X, kinds={{{column.name!r}: {column.kind!r}}}). `read` and `scan` take kinds too."
    )


def _as_documents(column: Column, wanted: ColumnSchema) -> Column:
    """Any cells as texts, with the list of their own: a batch of texts may look like labels, or like numbers."""
    if column.kind == "numeric":
        shown = [None if label is None else str(label) for label in column.labels()]
        texts = sorted({text for text in shown if text is not None})
        place: dict[str | None, int] = {text: code for code, text in enumerate(texts)}
        codes = np.array([place.get(text, -1) for text in shown], np.int32)
        return Column(column.name, wanted.kind, codes, tuple(texts), wanted.form)
    return Column(column.name, wanted.kind, column.values, tuple(map(str, column.categories)), wanted.form)


def _numbers_as_codes(column: Column, wanted: ColumnSchema) -> Column:
    """Numbers where labels are numbers: `kinds={"zip": "nominal"}` need not be said twice."""
    labels = enumerate(wanted.categories)
    pairs = sorted((label, code) for code, label in labels if isinstance(label, (int, float)))
    levels, places = np.array([label for label, _ in pairs]), np.array([code for _, code in pairs])
    spot = np.minimum(np.searchsorted(levels, column.values), len(levels) - 1)
    codes = np.where(levels[spot] == column.values, places[spot], -1).astype(np.int32)
    return Column(column.name, wanted.kind, codes, wanted.categories, wanted.form)


def check_lengths(columns: Sequence[Column]) -> None:
    """Raise for the first column that is not as long as the others."""
    lengths = [len(c) for c in columns]
    other = next((j for j, length in enumerate(lengths) if length != lengths[0]), None)
    if other is not None:
        raise InputError(
            f"Column {columns[other].name!r} has {lengths[other]} cells, but {columns[0].name!r} has {lengths[0]}. "
            "All columns of a table have one cell per row. Make them equally long."
        )
