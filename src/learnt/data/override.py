"""The user's word on kinds, where it differs from what the types say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.convert.objects import label_of
from learnt.data.form import TEXT
from learnt.data.moments import moment_text
from learnt.data.schema import BOOLEAN_CATEGORIES, KIND_NAMES, ColumnSchema, Kind, KindName, Label
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.errors import InputError, KindError, ParameterError
from learnt.show.words import spell

_BOOLEANS = {"0": 0, "1": 1, "false": 0, "true": 1, "no": 0, "yes": 1}


def with_kinds(table: Table, kinds: Mapping[str, KindName], ordinal: Mapping[str, Sequence[Label]]) -> Table:
    """`table` with some columns read as another kind."""
    _check(table, kinds, ordinal)
    ordinal = {name: _labels(name, labels) for name, labels in ordinal.items()}
    changed = {name: changed_kind(table[name], kind) for name, kind in kinds.items() if name not in ordinal}
    changed |= {name: ordered_column(table[name], labels) for name, labels in ordinal.items()}
    if all(_is_same(table.schema[name], column) for name, column in changed.items()):
        return table
    if table.sparse is not None:
        name = next(iter(changed))
        raise InputError(
            f"Column {name!r} cannot become {changed[name].kind}. Columns of a sparse matrix are numeric. "
            "Give that column apart, in a frame or a dict."
        )
    columns = [changed.get(c.name, c) for c in table.columns]
    return Table.of_columns(
        columns, n_rows=table.n_rows, target=table.target, named=table.schema.named, notes=table.notes
    )


def _is_same(before: ColumnSchema, column: Column) -> bool:
    """Whether a column of numbers stayed what it was."""
    return before.kind == column.kind == "numeric" and before.form == column.form


def _check(table: Table, kinds: Mapping[str, KindName], ordinal: Mapping[str, Sequence[Label]]) -> None:
    for setting, value in (("kinds", kinds), ("ordinal", ordinal)):
        if not isinstance(value, Mapping):
            raise ParameterError(
                f"{setting}={spell(value)} is a {type(value).__name__}. Expected a dict by column name."
            )
        for name in value:
            if name not in table:
                raise InputError(f"{unknown_column(str(name), table.names)} It is named in {setting}.")
    for name, kind in kinds.items():
        if kind not in KIND_NAMES:
            raise ParameterError(f"kinds[{name!r}] is {kind!r}. Expected one of {', '.join(map(repr, KIND_NAMES))}.")
        if name in ordinal and kind != "ordinal":
            raise ParameterError(f"Column {name!r} is {kind!r} in kinds, but listed in ordinal. Say one of the two.")


def _labels(name: str, labels: Iterable[Label]) -> tuple[Label, ...]:
    if not isinstance(labels, (str, bytes, Mapping, Set)) and isinstance(labels, Iterable):
        scalars = tuple(map(label_of, labels))
        if len(set(scalars)) == len(scalars):
            return scalars
    raise ParameterError(f"ordinal[{name!r}] is {labels!r}. Expected a list of different labels, lowest first.")


def changed_kind(column: Column, kind: KindName) -> Column:
    """`column` read as `kind`; an error names the first cell that cannot be."""
    if column.schema.kind_name == kind:
        return column
    if kind == "date":
        from learnt.data.kinds.said_dates import as_dates

        return as_dates(column)
    if kind == "text":
        return replace(_as_labels(column), kind="nominal", form=TEXT)
    if column.kind == kind:  # a date as a number, a text as a label
        return replace(column, form=None)
    if kind == "numeric":
        from learnt.data.kinds.said_numbers import are_texts, as_amounts

        if are_texts(column):
            return as_amounts(column)
        return Column(column.name, "numeric", _each_label(column, _number, "numeric"))
    if kind == "boolean":
        column = _as_labels(column)
        booleans = _each_label(column, _boolean, "boolean")
        codes = np.where(np.isnan(booleans), -1, booleans).astype(np.int32)
        return Column(column.name, "boolean", codes, BOOLEAN_CATEGORIES)
    column = _as_labels(column)
    return Column(column.name, kind, column.values, column.categories)


def ordered_column(column: Column, labels: Sequence[Label]) -> Column:
    """`column` as ordinal over `labels`, lowest first; every cell must be one of them."""
    column = _as_labels(column)
    ordered = column.recoded(tuple(labels))
    outside = (ordered.values < 0) & (column.values >= 0)
    if outside.any():
        row = int(np.argmax(outside))
        raise KindError(
            f"Column {column.name!r} holds {spell(column.categories[column.values[row]])} in row {row}. "
            f"ordinal[{column.name!r}] has only {list(labels)}. Add the label, or make the cell missing."
        )
    return Column(column.name, "ordinal", ordered.values, tuple(labels))


def _as_labels(column: Column) -> Column:
    """Numbers as labels: the distinct values sorted, dates as their texts, integers when all of them are whole."""
    if column.kind != "numeric":
        return column
    missing = np.isnan(column.values)
    levels, codes = np.unique(column.values, return_inverse=True)
    levels = levels[: len(levels) - int(missing.any())]  # NaN sorts last
    codes = np.where(missing, -1, codes).astype(np.int32)
    if column.form is not None and column.form.temporal:
        return Column(column.name, "nominal", codes, tuple(moment_text(v, column.form) for v in levels.tolist()))
    whole = bool(np.all(np.isfinite(levels) & (levels == np.floor(levels))))
    labels = tuple(map(int, levels.tolist())) if whole else tuple(levels.tolist())
    return Column(column.name, "nominal", codes, labels)


def _number(label: Any) -> float:
    if isinstance(label, str) and "_" in label:  # Python's separator, no one else's
        raise ValueError
    return float(label)


def _boolean(label: Any) -> float:
    whole = isinstance(label, float) and label.is_integer()
    try:
        return _BOOLEANS[str(int(label) if whole else label).strip().lower()]
    except KeyError:
        raise ValueError from None


def _each_label(column: Column, value_of: Any, kind: Kind) -> Array:
    """A number for every cell by its label, NaN where missing."""
    by_code = np.full(len(column.categories) + 1, np.nan)  # the last entry serves code −1
    bad = np.zeros(len(by_code), dtype=bool)
    for code, label in enumerate(column.categories):
        try:
            by_code[code] = value_of(label)
        except ValueError:
            bad[code] = True
    bad_cells = bad[column.values]
    if bad_cells.any():  # levels without rows harm nobody
        row = int(np.argmax(bad_cells))
        expected = "a number" if kind == "numeric" else "one of 0, 1, true, false, yes, no"
        raise KindError(
            f"Column {column.name!r} holds {spell(column.categories[column.values[row]])} in row {row}, "
            f"so it cannot be {kind}. Expected {expected}. Correct the cell or make it missing."
        )
    numbers: Array = by_code[column.values]
    return numbers
