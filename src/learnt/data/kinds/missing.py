"""What is said about cells that were taken as missing, and markers that were not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnt.data.kinds.seen import Seen
from learnt.data.kinds.wording import quoted_text, undone_by_kind, undone_by_missing, words_with_cells
from learnt.data.notes import Note
from learnt.data.table import Array


def missing_notes(seen: Seen) -> tuple[Note, ...]:
    """Of a column that is numeric, boolean or a date: the markers in it. Empty cells need no words."""
    places = np.flatnonzero(seen.markers & ~seen.empty)
    if not len(places) or seen.options.missing is not None:
        return ()
    text = f"In {seen.name!r}, {words_with_cells(seen.words, places)} stand for missing cells."
    return (undone_by_kind(seen.name, _one_stands(text, places), "nominal"),)


def _one_stands(text: str, places: Array) -> str:
    return text.replace(" stand for missing", " stands for missing") if len(places) == 1 else text


def odd_words_note(seen: Seen, places: Array, what: str) -> Note:
    """Words of a column that is otherwise numbers or dates."""
    are = "is not a" if len(places) == 1 else "are not"
    text = (
        f"In {seen.name!r}, {words_with_cells(seen.words, places)} {are} {what}{'' if len(places) == 1 else 's'} and "
    )
    note = undone_by_kind(seen.name, text + f"{'counts' if len(places) == 1 else 'count'} as missing.", "nominal")
    return replace(note, missing=tuple(seen.texts_at(places)))


def missing_labels_note(seen: Seen, places: Array) -> Note:
    """Bare markers in a column whose labels are all quoted."""
    text = f"In {seen.name!r}, {words_with_cells(seen.words, places)} without quotes stand for missing cells."
    return Note(seen.name, _one_stands(text, places), "--missing ''", "missing=[]")


def kept_notes(seen: Seen, places: Array) -> tuple[Note, ...]:
    """Markers that are labels of a nominal column."""
    notes = []
    for i in places.tolist():
        text, count = seen.words.texts[i], int(seen.words.counts[i])
        times = "once" if count == 1 else f"{count:,} times"
        sentence = f"{quoted_text(text)} stands {times} in {seen.name!r} and is kept as a label."
        notes.append(undone_by_missing(seen.name, sentence, [text]))
    return tuple(notes)


def all_missing_note(seen: Seen) -> tuple[Note, ...]:
    places = np.flatnonzero(seen.markers & ~seen.empty)
    if not len(places) or seen.options.missing is not None:
        return ()
    text = f"{seen.name!r} is missing throughout: {words_with_cells(seen.words, places)}."
    return (undone_by_kind(seen.name, text, "nominal"),)
