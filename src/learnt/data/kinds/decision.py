"""What was decided about a column, and how a block of its cells is read by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from learnt import _core
from learnt.data.cells import TRUE
from learnt.data.form import Form
from learnt.data.notes import Note
from learnt.data.raw import RawColumn, Words
from learnt.data.schema import BOOLEAN_CATEGORIES, Kind
from learnt.data.table import Array, Column


class Reading(Protocol):
    """How texts become numbers."""

    def numbers(self, texts: Sequence[str]) -> Array:
        """One number per text, NaN where it is none."""


@dataclass(frozen=True)
class Decision:
    """What a column is. The same for all its blocks, since it was made from the words of all of them.

    `as_words`: the texts of cells that came as numbers matter ("01067", a decimal comma after all). Deliver the
    column again with all cells as words, and decide again on those; that decision asks no more.
    """

    name: str
    kind: Kind
    form: Form | None = None
    as_words: bool = False
    reading: Reading | None = None  # of numeric columns with words; None: every word is missing
    categories: tuple[str, ...] = ()  # of nominal columns, sorted
    missing: frozenset[str] = frozenset()  # texts that are missing cells of a nominal column, if bare
    missing_numbers: tuple[float, ...] = ()
    notes: tuple[Note, ...] = ()
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {})

    @property
    def places(self) -> dict[str, int]:
        """The code of each label, made when first asked for."""
        if not self._places and self.categories:
            self._places.update(zip(self.categories, range(len(self.categories)), strict=True))
        return self._places


def finish(raw: RawColumn, decision: Decision) -> Column:
    """A block of rows as the column that was decided on."""
    if decision.kind == "numeric":
        return Column(raw.name, "numeric", _numbers(raw, decision), (), decision.form)
    if decision.kind == "boolean":
        codes = np.fromiter(map(_boolean, raw.words.texts), np.int32, len(raw.words))
        return Column(raw.name, "boolean", _spread_codes(raw, codes), BOOLEAN_CATEGORIES)
    codes = _label_codes(raw.words, decision)
    return Column(raw.name, decision.kind, _spread_codes(raw, codes), decision.categories, decision.form)


def _numbers(raw: RawColumn, decision: Decision) -> Array:
    if decision.reading is None or not len(raw.words):
        by_word = np.full(len(raw.words), np.nan)
    else:
        known = raw.words.known.get(decision.reading)  # the words that were decided on, or of the batch before
        if known is None:
            known = raw.words.known[decision.reading] = decision.reading.numbers(raw.words.texts)
        by_word = known
    if raw.numbers is None:
        values: Array = _spread(raw.codes, by_word.astype(np.float64, copy=False))
    elif len(raw.codes) or decision.missing_numbers or _temporal(decision):
        values = raw.numbers.copy() if not _temporal(decision) else np.full(raw.n_rows, np.nan)
        if raw.rows is not None:
            values[raw.rows] = by_word[raw.codes]
    else:
        return raw.numbers
    for number in decision.missing_numbers:
        values[values == number] = np.nan
    return values


def _temporal(decision: Decision) -> bool:
    """Whether plain numbers have no place in the column."""
    return decision.form is not None and decision.form.temporal


def _boolean(text: str) -> int:
    return int(text in TRUE) if text.lower() in ("true", "false") else -1


def _label_codes(words: Words, decision: Decision) -> Array:
    labels, known = words.known.get("labels", ((), None))
    if known is not None and labels is decision.categories:  # the words that were decided on, or of the batch before
        codes: Array = known
        return codes
    places = decision.places
    codes = np.fromiter((places.get(text, -1) for text in words.texts), np.int32, len(words))
    if decision.missing:
        gone = np.fromiter((text in decision.missing for text in words.texts), bool, len(words))
        codes[gone & ~words.quoted] = -1
    words.known["labels"] = decision.categories, codes
    return codes


def _spread_codes(raw: RawColumn, by_word: Array) -> Array:
    """Codes of words as codes of rows; cells that came as numbers have no label and are missing."""
    if raw.numbers is None:
        return _spread(raw.codes, by_word.astype(np.int32, copy=False))
    codes: Array = np.full(raw.n_rows, -1, np.int32)
    if raw.rows is not None:
        codes[raw.rows] = by_word[raw.codes]
    return codes


def _spread(codes: Array, by_word: Array) -> Array:
    """The value of each row's word; −1 or NaN for rows without a word."""
    values: Array = np.empty(len(codes), by_word.dtype)
    _core.spread_words(np.ascontiguousarray(codes, dtype=np.int32), np.ascontiguousarray(by_word), values)
    return values
