"""How a table differs from the one a model was fitted on: columns absent, extra or of another kind, labels unseen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from threading import Lock
from typing import Any

from learnt.data.column import as_kind
from learnt.data.naming import absent_columns
from learnt.data.notes import Note
from learnt.data.schema import Schema
from learnt.data.table import Table
from learnt.errors import InputError, KindError
from learnt.learner.matching import unseen_cells
from learnt.show.words import few_of, label, list_of, short_name, shorten_text

MOST_LABELS = 3
MOST_NAMES = 6


class UnseenLabels:
    """Labels that a model never saw, counted by column, batch by batch and on any thread."""

    def __init__(self, schema: Schema):
        # A bag of words has no list of labels: its words are looked up one by one.
        self._schema = schema if all(c.categories or c.documents or not c.coded for c in schema) else None
        self._rows = 0
        self._cells: dict[str, Counter[Any]] = {}
        self._lock = Lock()

    def look(self, table: Table) -> None:
        """Count those of some rows; errors about columns are left to whoever predicts."""
        if self._schema is None or self._schema.all_numeric:
            return
        try:
            same = table.matched(self._schema)
        except InputError:
            return
        found = [(column, lost) for _, column, lost in unseen_cells(table, same)]
        with self._lock:
            self._rows += table.n_rows
            for column, lost in found:
                codes = Counter(column.values[lost].tolist())
                labels = column.categories if column.kind != "numeric" else None
                counted = {labels[int(code)] if labels else code: count for code, count in codes.items()}
                self._cells.setdefault(column.name, Counter()).update(counted)

    def counted(self) -> tuple[int, dict[str, Counter[Any]]]:
        """What was counted, for another to `add`."""
        return self._rows, self._cells

    def add(self, counted: tuple[int, dict[str, Counter[Any]]]) -> None:
        """What another counted in other rows."""
        rows, cells = counted
        with self._lock:
            self._rows += rows
            for name, labels in cells.items():
                self._cells.setdefault(name, Counter()).update(labels)

    def notes(self) -> tuple[Note, ...]:
        """A sentence for each column that holds any, most cells first."""
        ranked = sorted(self._cells.items(), key=lambda pair: (-pair[1].total(), pair[0]))
        return tuple(Note(name, self._words(name, cells)) for name, cells in ranked)

    def _words(self, name: str, cells: Counter[Any]) -> str:
        commonest = sorted(cells, key=lambda value: (-cells[value], str(value)))
        which = few_of([shorten_text(label(value), 40) for value in commonest], MOST_LABELS)
        many = "cells" if self._rows != 1 else "cell"
        return (
            f"{cells.total():,} of {self._rows:,} {many} of '{short_name(name, 60)}' "
            f"{'holds a label' if cells.total() == 1 else 'hold labels'} the model has not seen ({which}); "
            f"{'it counts' if cells.total() == 1 else 'they count'} as missing."
        )


def extra_columns(names: Sequence[str], schema: Schema, target: str | None = None) -> tuple[Note, ...]:
    """A sentence about columns that the model does not use. Its target is no news; where nobody knows which that is, a
    single column is taken for it."""
    extra = [name for name in names if schema.place(name) is None and name != target] if schema.named else []
    if not extra or (target is None and len(extra) == 1):
        return ()
    which = list_of([f"'{short_name(name, 40)}'" for name in extra], most=MOST_NAMES)
    many = "A column is" if len(extra) == 1 else f"{len(extra):,} columns are"
    return (Note(None, f"{many} not used by the model: {which}."),)


def differences(table: Table, schema: Schema) -> tuple[Note, ...]:
    """All of it, for a table at hand."""
    notes: list[Note] = []
    if schema.named and table.schema.named:
        absent = [name for name in schema.names if name not in table]
        if absent:
            notes.append(Note(None, absent_columns(absent, table.names, schema.names)))
        notes += extra_columns(table.names, schema)
        there = Schema(tuple(c for c in schema if c.name in table))
        table = table.select(list(there.names))
    else:
        there = schema
    for given, wanted in zip(table.columns, there, strict=False):
        try:
            as_kind(given, wanted)
        except KindError:
            now, then = given.schema.kind_name, wanted.kind_name
            words = f"'{short_name(wanted.name, 60)}' is {now}, but was {then} when the model was fitted."
            notes.append(Note(wanted.name, words, f"--kind {wanted.name}={then}", _kind_setting(wanted)))
    unseen = UnseenLabels(there)
    unseen.look(table)
    return (*notes, *unseen.notes())


def _kind_setting(column: Any) -> str:
    return f"kinds={{{column.name!r}: {column.kind_name!r}}}"
