"""What was done to the columns while a file was read, in a few lines beside the result."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from learnt.cli.arguments.inputs import STANDARD_INPUT
from learnt.cli.terminal.console import name, say, width
from learnt.data.notes import Note
from learnt.show.words import printable, wrap_words

MOST_NOTES = 8
TITLE = "What I did to your columns, and the flag that undoes it:"


def say_notes(notes: Sequence[Note], file: str, *, quiet: bool = False) -> None:
    """On standard error, so that results stay alone on standard output."""
    if quiet or not notes:
        return
    say("\n".join([TITLE, *note_lines(notes[:MOST_NOTES]), *_more(len(notes), file), ""]), "dim", to_stderr=True)


def note_lines(notes: Sequence[Note]) -> list[str]:
    return [wrap_words(_note_words(note), width(), "- ", "  ") for note in notes]


def note_facts(notes: Sequence[Note]) -> list[dict[str, Any]]:
    """For programs."""
    return [asdict(note) for note in notes]


def _note_words(note: Note) -> str:
    return printable(f"{note.text}  [{note.flag}]" if note.flag else note.text)


def _more(count: int, file: str) -> list[str]:
    if count <= MOST_NOTES:
        return []
    where = "" if file == STANDARD_INPUT else f": learnt describe {name(shlex.quote(file), 200)} --notes"
    return [f"- and {count - MOST_NOTES:,} more{where}"]
