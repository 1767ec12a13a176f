"""What a reader did to the columns, at the top of a page: folded, each line with the flag or setting that undoes it."""

from __future__ import annotations

from collections.abc import Sequence

from learnt.data.notes import Note
from learnt.show.html import Ready, escaped
from learnt.show.words import count_of, printable

TITLE = "What was done to the columns while reading"


def notes_fold(notes: Sequence[Note], *, settings: bool = False) -> Ready:
    """A foldable list; nothing where there are no notes. `settings`: as Python is told, not the command line."""
    if not notes:
        return Ready("")
    items = "".join(f"<li>{escaped(printable(note.text))}{_undoing(note, settings)}</li>\n" for note in notes)
    many = f'<span class="soft">({count_of(len(notes), "note")})</span>'
    return Ready(f'<details class="notes"><summary>{TITLE} {many}</summary>\n<ul>\n{items}</ul></details>\n')


def _undoing(note: Note, settings: bool) -> str:
    how = (note.setting if settings else note.flag) or note.flag or note.setting
    return f' <span class="soft">Undo:</span> <code>{escaped(printable(how))}</code>' if how else ""
