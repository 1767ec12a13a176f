"""Labels of files with types that look like amounts or dates: kept as labels, and said."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from learnt.data.column import Column
from learnt.data.kinds.deciding import decide
from learnt.data.kinds.options import ReadOptions
from learnt.data.kinds.said_numbers import are_texts
from learnt.data.kinds.wording import quoted_text, undone_by_kind
from learnt.data.notes import Note
from learnt.data.raw import Words

_LOOKED_AT = 200  # labels of a column


def unread_notes(columns: Iterable[Column], said: Collection[str]) -> tuple[Note, ...]:
    """One note for each column of texts like €1,200 or 31.12.2024 that nobody said to be anything.

    A type, or JSON's quotes, say that these are texts; plain numbers in quotes are often codes and pass in silence.
    """
    return tuple(
        note
        for column in columns
        if column.name not in said and are_texts(column) and (note := _note(column)) is not None
    )


def _note(column: Column) -> Note | None:
    texts = tuple(text for label in column.categories[:_LOOKED_AT] if (text := str(label).strip()))
    n = len(texts)
    words = Words(texts, np.zeros(n, bool), np.ones(n, np.int64), np.zeros(n, np.int64))
    found = decide(column.name, words, 0, 0, ReadOptions())
    if found.kind != "numeric" or found.form is None:
        return None
    kind, what = ("date", "dates") if found.form.temporal else ("numeric", f"numbers in {found.form.unit}")
    text = f"{column.name!r} holds texts such as {quoted_text(texts[0])}, which are kept as labels; they can be {what}."
    return undone_by_kind(column.name, text, "date" if kind == "date" else "numeric")
