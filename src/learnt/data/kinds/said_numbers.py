"""Labels that are numbers or dates because the user says so, or because a model has learnt them as such."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from learnt.data.column import Array, Column
from learnt.data.form import Form
from learnt.data.kinds.deciding import decide
from learnt.data.kinds.decision import Decision
from learnt.data.kinds.numbers import Bodies, Writing
from learnt.data.kinds.options import ReadOptions
from learnt.data.raw import Words
from learnt.errors import FileError, KindError
from learnt.show.words import spell

Said = Literal["numeric", "date"]


def are_texts(column: Column) -> bool:
    """Whether the labels of a column are texts, which could be read otherwise."""
    return column.kind == "nominal" and all(isinstance(label, str) for label in column.categories)


def as_amounts(column: Column) -> Column:
    """A column of texts as the numbers, of a unit perhaps, that the user says it holds."""
    words = words_of(column)
    try:
        return read_by(column, decision_of_said(column.name, words), words)
    except FileError as error:
        raise KindError(
            f"Column {column.name!r} holds {_cell(words, error)}, so it cannot be numeric. Expected a number. "
            "Correct the cell or make it missing."
        ) from None


def decision_of_said(name: str, words: Words) -> Decision:
    """How texts are read that the user says are numbers; an error is about the first that is none."""
    return _decided(name, words, "numeric", ReadOptions())


def as_learnt(column: Column, said: Said, form: Form | None) -> Column | str:
    """A column of texts as the numbers or dates a model learnt; or a cell, in words, that is none."""
    words = words_of(column)
    try:
        return read_by(column, decision_of_learnt(column.name, words, said, form), words)
    except FileError as error:
        return _cell(words, error)


def decision_of_learnt(
    name: str, words: Words, said: Said, form: Form | None, options: ReadOptions | None = None
) -> Decision:
    """How texts of a column that a model knows are read: a few odd words are missing, as those of text files are."""
    free = replace(options or ReadOptions(), kinds={}, ordinal={})
    found = decide(name, words, 0, 0, free)
    temporal = found.form is not None and found.form.temporal
    fits = found.kind == "numeric" and temporal == (said == "date")
    return as_finely_as(form, found if fits else _decided(name, words, said, free), words)


def as_finely_as(form: Form | None, decision: Decision, words: Words) -> Decision:
    """The point of 1.200 € sets thousands apart if a model learnt amounts of two decimals; a new file may not tell."""
    writing = decision.reading
    if form is None or form.decimals is None or not isinstance(writing, Writing) or writing.group:
        return decision
    bodies = Bodies.of(words.texts)
    read = ~np.isnan(bodies.numbers(writing))
    if not read.any() or bodies.decimals(writing, read) <= form.decimals:
        return decision
    other = replace(writing, decimal="," if writing.decimal == "." else ".", group=writing.decimal)
    return decision if np.isnan(bodies.numbers(other)[read]).any() else replace(decision, reading=other)


def _decided(name: str, words: Words, said: Said, options: ReadOptions) -> Decision:
    return decide(name, words, 0, 0, replace(options, kinds={name: said}))


def _cell(words: Words, error: FileError) -> str:
    """The cell that an error is about, whose line is that of the first row with the word."""
    place = int(np.flatnonzero(words.lines == error.line)[0])
    return f"{spell(words.texts[place])} in row {(error.line or 1) - 1}"


def words_of(column: Column) -> Words:
    """The labels that rows have, with how many and the first of them, counted from 1."""
    codes, first, counts = np.unique(column.values, return_index=True, return_counts=True)
    held = codes >= 0
    texts = tuple(str(column.categories[code]).strip() for code in codes[held].tolist())
    return Words(texts, np.zeros(len(texts), bool), counts[held].astype(np.int64), first[held].astype(np.int64) + 1)


def read_by(column: Column, decision: Decision, words: Words) -> Column:
    """The cells by what was decided of their words."""
    by_code: Array = np.full(len(column.categories) + 1, np.nan)  # the last entry serves code −1
    held = np.unique(column.values[column.values >= 0])
    if decision.reading is not None:
        by_code[held] = decision.reading.numbers(words.texts)
    return Column(column.name, "numeric", by_code[column.values], (), decision.form)
