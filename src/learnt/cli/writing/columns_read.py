"""What `learnt describe --notes` lists: what each column was read as, what was done to it, and how to change that."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Any

from learnt.cli.arguments.reading import KIND_NAMES
from learnt.cli.terminal.console import name, say, show_table, width
from learnt.data.form import Form
from learnt.data.notes import Note
from learnt.data.table import Table
from learnt.data.value_text import value_text
from learnt.show.words import label, printable, shorten_text, wrap_words

MOST_LABELS = 3
OTHER = {"numeric": "nominal", "nominal": "text", "text": "nominal"}  # what a column is most likely meant as instead


def show_columns(table: Table) -> None:
    """A line for each column, then what was done to the file and to its columns."""
    show_table(
        ("column", "kind", "cells such as"), [(name(c), str(table.kinds[c]), _cells(table, c)) for c in table.names]
    )
    if table.notes:
        say("\nwhat was done", "bold")
    for note in table.notes:
        undo = f" Undo: {note.flag}" if note.flag else ""
        say(wrap_words(printable(note.text) + printable(undo), width(), "- ", "  "))
    if table.names:
        say(f"\nAnother kind: --kind COLUMN=KIND, such as {_flag(table, table.names[0])}.", "dim")
        say(f"The kinds are {', '.join(KIND_NAMES)}.", "dim")


def column_facts(table: Table) -> dict[str, Any]:
    """The same for programs."""
    columns = [{"name": c, "kind": table.kinds[c], "to_change": _flag(table, c)} for c in table.names]
    return {"rows": table.n_rows, "columns": columns, "notes": [asdict(note) for note in table.notes]}


def _flag(table: Table, column: str) -> str:
    """The flag that undoes what was done to it, or one that takes it for something else."""
    done = next((note.flag for note in _about(table, column) if note.flag), None)
    other = OTHER.get(str(table.kinds[column]), "nominal")
    return done or f"--kind {shlex.quote(f'{column}={other}')}"


def _about(table: Table, column: str) -> list[Note]:
    return [note for note in table.notes if note.column == column]


def _cells(table: Table, column: str) -> str:
    """The first different cells."""
    form = table.schema[column].form
    some = dict.fromkeys(v for v in table.rows(0, 100)[column].labels() if v is not None)
    shown = [shorten_text(_text(value, form), 20) for value in list(some)[:MOST_LABELS]]
    return ", ".join(shown) if shown else "no values in the first 100 rows"


def _text(value: Any, form: Form | None) -> str:
    if not isinstance(value, float):
        return label(value)
    return f"{value:.6g}" if form is None else value_text(form, value)
