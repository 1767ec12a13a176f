"""What is said of rows that a model is given: labels it has not seen, columns it does not use or that moved far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from learnt.cli.terminal.console import say, width
from learnt.data.notes import Note
from learnt.data.schema import Schema
from learnt.data.table import Table
from learnt.learner.differences import UnseenLabels, extra_columns
from learnt.learner.moved import Moved
from learnt.show.words import printable, wrap_words

MOST_NOTES = 12


class NewRows:
    """Looks at the rows as they pass, on any thread, and tells once when all have."""

    def __init__(self, schema: Schema, notes: Mapping[str, Any]):
        self._schema, self._target = schema, notes.get("target")
        self._extra: tuple[Note, ...] = ()
        self.file_notes: tuple[Note, ...] = ()  # what was done to the file while it was read
        self._unseen, self._moved = UnseenLabels(schema), Moved(notes.get("columns"), schema)

    def look_at_names(self, names: Sequence[str]) -> None:
        """The columns of the file; that of the target may be among them."""
        self._extra = extra_columns(names, self._schema, self._target)

    def look(self, table: Table) -> None:
        self._unseen.look(table)
        self._moved.look(table)

    def seen(self) -> tuple[Any, Any]:
        """What was found, for another to `add`."""
        return self._unseen.counted(), self._moved.tallies()

    def add(self, seen: tuple[Any, Any]) -> None:
        """What another found in other rows."""
        self._unseen.add(seen[0])
        self._moved.add(seen[1])

    def notes(self) -> tuple[Note, ...]:
        return (*self.file_notes, *self._extra, *self._unseen.notes(), *self._moved.notes())

    def say(self, *, quiet: bool = False) -> None:
        say_about_rows(self.notes(), quiet=quiet)


def say_about_rows(notes: Sequence[Note], *, quiet: bool = False) -> None:
    """On standard error, beside the answers."""
    if quiet:
        return
    for note in notes[:MOST_NOTES]:
        say(wrap_words(printable(note.text), width(), "! ", "  "), "yellow", to_stderr=True)
    if len(notes) > MOST_NOTES:
        say(f"! … and {len(notes) - MOST_NOTES:,} more like these", "yellow", to_stderr=True)
