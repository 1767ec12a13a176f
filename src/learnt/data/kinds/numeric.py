"""Columns of numbers, however they are written, and of nearly nothing but numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnt.data.kinds.decision import Decision, Reading
from learnt.data.kinds.markers import missing_numbers
from learnt.data.kinds.missing import all_missing_note, missing_notes, odd_words_note
from learnt.data.kinds.nearly import nearly_all
from learnt.data.kinds.numbers import Bodies, Writing, candidate_writings, with_infinities
from learnt.data.kinds.seen import Seen
from learnt.data.kinds.wording import quoted_text, undone_by_kind
from learnt.data.notes import Note
from learnt.data.table import Array
from learnt.errors import FileError
from learnt.show.words import spell

_ZEROS = 0.01  # of the numbers of a column begin with a zero: then they are labels
_LOOKED_AT = 1000  # words, for one that shows the writing best
_USUAL_SHARE = 0.5  # of the numbers must have the unit that some have


def as_plain_numbers(seen: Seen) -> Decision:
    """A column of numbers and missing cells only, or of nothing at all."""
    notes = missing_notes(seen) if seen.n_numbers else all_missing_note(seen)
    return Decision(seen.name, "numeric", missing_numbers=missing_numbers(seen.options), notes=notes)


def as_numbers(seen: Seen, *, said: bool = False) -> Decision | None:
    """Numeric if all words, or nearly all cells, are numbers in one writing; None if not."""
    if len(seen.rest) == 0:
        return as_plain_numbers(seen)
    if not said and not _worth_a_look(seen):
        return None
    bodies = Bodies.of(seen.texts)
    writing = _best_writing(seen, bodies)
    values = with_infinities(seen.texts, bodies.numbers(writing))
    readable = ~np.isnan(values)
    n_readable = seen.n_numbers + int(seen.counts[readable].sum())
    others = seen.rest[~readable]
    if said and len(others):
        raise not_readable(seen, others, "number")
    if not said and (has_leading_zeros(seen) or not nearly_all(n_readable, _cells(seen, others), len(others))):
        return None
    if seen.n_numbers and writing.decimal != seen.options.decimal:
        return Decision(seen.name, "numeric", as_words=True, reading=writing)
    keep_known(seen, writing, values)
    notes = [*missing_notes(seen), *_writing_notes(seen, bodies, writing, values)]
    if len(others):
        notes.append(odd_words_note(seen, others, "number"))
    decimals = None if seen.n_numbers else bodies.decimals(writing, readable)  # of plain numbers nobody knows
    return Decision(
        seen.name,
        "numeric",
        form=writing.form(decimals),
        reading=writing,
        missing_numbers=missing_numbers(seen.options),
        notes=tuple(notes),
    )


def has_leading_zeros(seen: Seen) -> bool:
    """Whether whole numbers are written with zeros in front, as postal codes are."""
    zeros = [i for i, text in enumerate(seen.texts) if text[0] == "0" and len(text) > 1 and _is_whole(text)]
    if not zeros:
        return False
    whole = np.fromiter((_is_whole(text) for text in seen.texts), bool, len(seen.texts))
    return bool(seen.counts[zeros].sum() >= _ZEROS * (seen.n_numbers + seen.counts[whole].sum()))


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _cells(seen: Seen, places: Array) -> int:
    return int(seen.words.counts[places].sum())


def _worth_a_look(seen: Seen) -> bool:
    """Some texts tell whether it can be numbers at all, before millions are taken apart."""
    if not seen.n_numbers and not seen.has_figures:
        return False
    if len(seen.rest) <= len(seen.sample):
        return True
    bodies = Bodies.of(seen.sample)
    fits = np.zeros(len(seen.sample), dtype=bool)
    for writing in candidate_writings(seen.options.decimal):
        fits |= bodies.matches(writing)
    return bool(fits.mean() > 0.5)


def _best_writing(seen: Seen, bodies: Bodies) -> Writing:
    """The writing that reads the most cells, of equals the one that fits the file; with the unit most have."""
    best, most = Writing(seen.options.decimal), -1
    everything = int(seen.counts[bodies.there()].sum())
    for writing in candidate_writings(seen.options.decimal):
        cells = int(seen.counts[bodies.matches(writing)].sum())
        if cells > most:
            best, most = writing, cells
        if cells == everything:
            break
    plain = replace(best)
    for unit, first in bodies.units()[:1]:
        best = replace(best, unit=unit, unit_first=first)
        with_unit = int(seen.counts[bodies.matches(best) & bodies.has_unit(unit)].sum())
        bare = seen.n_numbers + int(seen.counts[bodies.matches(best) & bodies.has_unit("")].sum())
        if with_unit < _USUAL_SHARE * (with_unit + bare):
            return plain
    return best


def keep_known(seen: Seen, reading: Reading, values: Array) -> None:
    """Spare whoever reads these very words by the decision the reading."""
    numbers = np.full(len(seen.words), np.nan)
    numbers[seen.rest] = values
    seen.words.known[reading] = numbers


def _writing_notes(seen: Seen, bodies: Bodies, writing: Writing, values: Array) -> list[Note]:
    """How numbers were read that are not plain ones."""
    readable = ~np.isnan(values)
    if not (writing.unit or writing.group or writing.decimal != seen.options.decimal) or not readable.any():
        return []
    longest = max(np.flatnonzero(readable)[:_LOOKED_AT].tolist(), key=lambda i: len(seen.texts[i]))
    example = f"{quoted_text(seen.texts[longest])} is {_plain(float(values[longest]))}"
    unit = f" in {writing.unit}" if writing.unit else ""
    doubt = ""
    if writing.group in (",", ".") and bool(bodies.matches(Writing(writing.group))[readable].all()):
        doubt = f" The {'comma' if writing.group == ',' else 'point'} could also be a decimal sign."
    note = undone_by_kind(seen.name, f"{seen.name!r} is read as numbers{unit}: {example}.{doubt}", "nominal")
    if doubt:
        note = Note(note.column, note.text, f"--decimal {spell(writing.group)}", f"decimal={writing.group!r}")
    return [note]


def _plain(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def not_readable(seen: Seen, others: Array, what: str) -> FileError:
    """The user says that a column is numbers or dates, and the first of these words is neither."""
    first = min(others.tolist(), key=lambda i: int(seen.words.lines[i]))
    line = int(seen.words.lines[first])
    return FileError(
        f"Column {seen.name!r} holds {quoted_text(seen.words.texts[first])}. A {what} was expected. "
        "Correct the cell, empty it, name the text in missing=, or read the column as nominal.",
        line=line if line > 0 else None,
    )
