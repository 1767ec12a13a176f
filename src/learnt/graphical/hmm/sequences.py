"""Sequences as they come: a table with an id and an order, a list of arrays or frames, one array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.column import as_kind
from learnt.data.convert import is_a, to_vector
from learnt.data.convert.out import join_tables
from learnt.data.files.scan import Scan
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table, unknown_column
from learnt.data.value_text import value_text
from learnt.errors import InputError, KindError
from learnt.show.words import count_of, label, spell


@dataclass(frozen=True)
class Sequences:
    """Rows put in order, sequence by sequence: sequence s has rows offsets[s] … offsets[s + 1].

    `places` are the numbers those rows had in what was given; `ids` name the sequences, `times` the rows.
    """

    table: Table
    offsets: Array
    places: Array
    listed: bool
    ids: tuple[Any, ...] | None = None
    times: Column | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def give_back(self, values: Array) -> Any:
        """What was found of the rows, in the order and shape they were given: an array, or a list of arrays."""
        if self.listed:
            return [values[a:b] for a, b in zip(self.offsets[:-1], self.offsets[1:], strict=True)]
        out = np.empty_like(values)
        out[self.places] = values
        return out

    def sequence_of(self, row: int) -> int:
        return int(np.searchsorted(self.offsets, row, side="right")) - 1

    def time_text(self, row: int) -> str:
        """The time of a row as the user knows it, or its number within its sequence."""
        if self.times is None:
            return str(row - int(self.offsets[self.sequence_of(row)]))
        value = self.times.values[row]
        if self.times.kind != "numeric":
            return label(self.times.categories[value])
        return value_text(self.times.form, float(value))

    def where(self, row: int) -> str:
        """A row in words, for messages."""
        s = self.sequence_of(row)
        at = f"row {self.time_text(row)}" if self.times is None else f"{self.times.name} {self.time_text(row)}"
        if self.ids is not None:
            return f"{at} of sequence {spell(self.ids[s])}"
        return f"{at} of sequence {s}" if len(self) > 1 else at

    def only(self, kept: Array) -> Sequences:
        """Some of the sequences, as they are."""
        lengths = np.diff(self.offsets)
        rows = np.flatnonzero(np.repeat(kept, lengths))
        return Sequences(
            self.table.take(rows),
            np.concatenate([[0], np.cumsum(lengths[kept])]).astype(self.offsets.dtype),
            self.places[rows],
            self.listed,
            None if self.ids is None else tuple(name for name, there in zip(self.ids, kept, strict=True) if there),
            None if self.times is None else Table.of_columns([self.times]).take(rows).columns[0],
        )

    def row_weights(self, weights: Array | None) -> Array:
        """The weights of sequences, row by row."""
        lengths = np.diff(self.offsets)
        return np.repeat(np.ones(len(self)) if weights is None else weights, lengths)

    @property
    def several(self) -> bool:
        """Whether answers are lists, one for each sequence."""
        return self.listed or self.ids is not None or len(self) != 1

    def sums(self, values: Array) -> Array:
        """Numbers of rows, added up by sequence."""
        upto = np.concatenate([[0.0], np.cumsum(values)])
        found: Array = upto[self.offsets[1:]] - upto[self.offsets[:-1]]
        return found

    def first_and_last(self, s: int) -> tuple[int, int]:
        return int(self.offsets[s]), int(self.offsets[s + 1])


def is_list_of_sequences(X: Any) -> bool:
    """Whether a list holds sequences, not rows: arrays or frames."""
    if not isinstance(X, list | tuple) or not X:
        return False
    return all(
        isinstance(x, np.ndarray | Table)
        or any(is_a(x, module, "DataFrame") for module in ("pandas", "polars"))
        or any(is_a(x, module, "Series") for module in ("pandas", "polars"))
        or is_a(x, "pyarrow", "Table")
        or is_a(x, "pyarrow", "RecordBatch")
        for x in X
    )


def as_table(X: Any) -> Table:
    """One sequence: a table, or a list or vector of the cells of one column."""
    if isinstance(X, Scan):
        raise InputError(
            "Sequences are learnt in memory, not from a scan: learning goes along each of them again and again. Read "
            "the files with read()."
        )
    if isinstance(X, Table):
        return X
    if isinstance(X, np.ndarray) and X.ndim == 1:
        return Table(X[:, None])
    series = is_a(X, "pandas", "Series") or is_a(X, "polars", "Series")
    plain = isinstance(X, list | tuple) and X and not isinstance(X[0], list | tuple | dict | np.ndarray)
    if series or plain:
        column = to_vector(X, "X")
        return Table.of_columns([column.renamed("x0")], named=False)
    if isinstance(X, list | tuple) and X and all(isinstance(x, list | tuple) for x in X) and len(set(map(len, X))) > 1:
        raise InputError(
            "Lists of lists are the rows of one table, and these have different lengths. Give each sequence as an "
            "array: [np.array(x) for x in X]."
        )
    return Table(X)


def read_sequences(
    X: Any, *, sequence: str | None, order: str | None, lengths: Any, schema: Schema | None = None
) -> Sequences:
    """`X` in order; with the `schema` of a fitted model, tables of a list are matched to it before they are joined."""
    if is_list_of_sequences(X):
        if sequence is not None or lengths is not None:
            raise InputError(
                "A list of sequences says where each begins. Give neither 'sequence' nor 'lengths' with it."
            )
        parts = [_ordered(as_table(x), order, place) for place, x in enumerate(X)]
        tables = [part.table for part in parts]
        if schema is not None:
            tables = [table if _alike(table.schema, schema) else table.matched(schema) for table in tables]
        offsets = np.concatenate([[0], np.cumsum([t.n_rows for t in tables])]).astype(np.int64)
        places = np.concatenate([part.places for part in parts])
        times = None if order is None else _stacked_column([part.times for part in parts if part.times is not None])
        return Sequences(stack_tables(tables), offsets, places, True, None, times)
    table = as_table(X)
    if sequence is None:
        return _cut(_ordered(table, order, None), lengths)
    if lengths is not None:
        raise InputError("Give either 'sequence' or 'lengths': both say where a sequence begins.")
    return _by_id(table, sequence, order)


def _by_id(table: Table, sequence: str, order: str | None) -> Sequences:
    ids = _role(table, sequence, "sequence")
    gone = np.flatnonzero(ids.missing)
    if len(gone):
        raise InputError(
            f"Column {sequence!r} has no cell in row {gone[0]}, so that its sequence is not known. Fill it."
        )
    _, first, which = np.unique(ids.values, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first, kind="stable")] = np.arange(len(first))  # sequences in the order they first appear
    which = number[which.ravel()]
    names = tuple(ids.labels()[i] for i in np.sort(first))
    times = None if order is None else _order_column(table, order)
    places = np.argsort(which, kind="stable") if times is None else np.lexsort((times.values, which))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(which, minlength=len(first)))]).astype(np.int64)
    if times is not None:
        times = Column.like(times, times.values[places])
        _check_different(times, which[places], places, names)
    rest = table.drop(*(name for name in (sequence, order) if name is not None))
    return Sequences(rest.take(places), offsets, places, False, names, times)


def _ordered(table: Table, order: str | None, which: int | None) -> Sequences:
    """A table of one sequence."""
    offsets = np.array([0, table.n_rows], np.int64)
    if order is None:
        return Sequences(table, offsets, np.arange(table.n_rows), False)
    times = _order_column(table, order)
    places = np.argsort(times.values, kind="stable")
    times = Column.like(times, times.values[places])
    _check_different(times, np.zeros(len(places), np.int64), places, None if which is None else (which,))
    return Sequences(table.drop(order).take(places), offsets, places, False, None, times)


def _cut(whole: Sequences, lengths: Any) -> Sequences:
    if lengths is None:
        return whole
    sizes = np.asarray(lengths)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 0).any() or sizes.sum() != whole.table.n_rows:
        raise InputError(
            f"lengths={spell(list(np.ravel(sizes))[:6])} do not cut {count_of(whole.table.n_rows, 'row')}. "
            "Expected whole numbers that add up to the number of rows."
        )
    return replace(whole, offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))


def _role(table: Table, name: str, role: str) -> Column:
    if name not in table:
        raise InputError(f"{role}={spell(name)} names a column. {unknown_column(name, table.names)}")
    return table[name]


def _order_column(table: Table, name: str) -> Column:
    column = _role(table, name, "order")
    if column.kind not in ("numeric", "ordinal"):
        raise KindError(
            f"Column {name!r} is {column.kind}: its cells have no order. Give numbers, dates, or ordered categories."
        )
    gone = np.flatnonzero(column.missing)
    if len(gone):
        raise InputError(f"Column {name!r} has no cell in row {gone[0]}, so that its place is not known. Fill it.")
    return column


def _check_different(times: Column, which: Array, places: Array, names: tuple[Any, ...] | None) -> None:
    same = np.flatnonzero((times.values[1:] == times.values[:-1]) & (which[1:] == which[:-1]))
    if not len(same):
        return
    i = int(same[0])
    value = float(times.values[i])
    words = value_text(times.form, value) if times.kind == "numeric" else label(times.categories[int(value)])
    of = "" if names is None else f" of sequence {spell(names[int(which[i])])}"
    raise InputError(
        f"Rows {places[i]} and {places[i + 1]}{of} both have {times.name} {words}, so that their order is not known. "
        "Give each row of a sequence a time of its own, or name the sequences by 'sequence'."
    )


def stack_tables(tables: Sequence[Table]) -> Table:
    """Tables of the same columns below each other; categories of all of them."""
    first = tables[0]
    for number, table in enumerate(tables):
        if table.names != first.names:
            raise InputError(
                f"Sequence {number} has the columns {spell(list(table.names)[:6])}, but sequence 0 has "
                f"{spell(list(first.names)[:6])}. Give all sequences the same columns."
            )
    if all(table.schema == first.schema for table in tables):
        return join_tables(tables)
    columns = [_stacked_column([table.columns[j] for table in tables]) for j in range(first.n_columns)]
    return Table.of_columns(columns, n_rows=sum(t.n_rows for t in tables), named=first.schema.named)


def _stacked_column(parts: Sequence[Column]) -> Column:
    telling = [part for part in parts if not part.missing.all()] or list(parts[:1])
    like = telling[0]
    if like.kind == "numeric":
        wanted = like.schema
    else:
        labels = {value: None for part in telling for value in part.categories}
        order = list(labels) if like.kind == "ordinal" else sorted(labels, key=lambda v: (str(type(v)), v))
        wanted = ColumnSchema(like.name, like.kind, tuple(order), like.form)
    if wanted.kind in ("numeric", "boolean"):
        return Column.like(wanted, np.concatenate([as_kind(part, wanted).values for part in parts]))
    codes = {label: code for code, label in enumerate(wanted.categories)}
    return Column.like(wanted, np.concatenate([_recoded(part, wanted, codes) for part in parts]))


def _recoded(part: Column, wanted: ColumnSchema, codes: dict[Any, int]) -> Array:
    """Codes among all categories, looked up for those of a part alone: parts may be many, and categories too."""
    if part.kind != wanted.kind:
        return as_kind(part, wanted).values
    found: Array = np.array([*(codes.get(label, -1) for label in part.categories), -1], np.int32)[part.values]
    return found


def _alike(given: Schema, schema: Schema) -> bool:
    """Whether columns have the names and kinds of those fitted, so that joining them first changes nothing."""
    kinds = [c.kind for c in given] == [c.kind for c in schema]
    return kinds and given.names == schema.names and given.named == schema.named


def cells_of_sequences(given: Table, name: str, role: str, sequences: Sequences) -> Column:
    """What a column that is constant within each sequence says of it, one cell each."""
    column = _role(given, name, role)
    lengths = np.diff(sequences.offsets)
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        raise InputError(f"Sequence {empty[0]} has no rows, so that column {name!r} says nothing of it. Give an array.")
    rows = column.values[sequences.places]
    first = Column.like(column, rows[sequences.offsets[:-1]])
    gone = Column.like(column, rows).missing & np.repeat(first.missing, lengths)
    uneven = np.flatnonzero((np.repeat(first.values, lengths) != rows) & ~gone)
    if len(uneven):
        raise InputError(
            f"Column {name!r} changes at {sequences.where(int(uneven[0]))}. {role} says one thing of a whole sequence."
        )
    return first


def sequence_weights(weights: Any, sequences: Sequences, given: Table | None) -> Array | None:
    """A weight for each sequence, from an array, or from a column that is constant within each."""
    if weights is None:
        return None
    if isinstance(weights, str):
        assert given is not None
        values = np.asarray(_role(given, weights, "sample_weight").values, dtype=np.float64)[sequences.places]
        first = values[sequences.offsets[:-1].clip(max=max(len(values) - 1, 0))]
        uneven = np.flatnonzero(np.repeat(first, np.diff(sequences.offsets)) != values)
        if len(uneven):
            raise InputError(
                f"Column {weights!r} changes at {sequences.where(int(uneven[0]))}. "
                "A weight is that of a whole sequence: a weight of 2 means that it stands there twice."
            )
    else:
        first = np.asarray(weights, dtype=np.float64)
    if first.shape != (len(sequences),):
        raise InputError(
            f"sample_weight has the shape {first.shape}. Expected one number for each of {len(sequences)} sequences."
        )
    if not np.isfinite(first).all() or (first < 0).any():
        raise InputError("sample_weight has a weight that is missing, infinite or below 0. Expected numbers from 0 on.")
    if not (first * np.diff(sequences.offsets)).any():
        raise InputError("All weights are 0, or those of all sequences that have rows. Give one a positive weight.")
    return np.ascontiguousarray(first)
