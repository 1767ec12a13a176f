"""A column of text in two tables: which words come more often, or less, than they did."""

from __future__ import annotations

import numpy as np

from learnt import _core
from learnt.data.table import Array, Column
from learnt.data.texts import Texts, decoded_terms, texts_of
from learnt.data.tokens import Tokens
from learnt.drift.columns import FEW, ColumnDrift, chi_squared
from learnt.show.numbers import percent
from learnt.show.words import label, short_name

TOKENS = Tokens()
#: New words of a text are many and mean little each: they are told if in this share of the rows or more.
OFTEN = 0.01


def is_text(column: Column) -> bool:
    return column.schema.kind_name == "text"


def compare_texts(old: Column, new: Column) -> ColumnDrift:
    """A χ² test of each word, in how many rows it is, then and now; the least p-value, times the number of words."""
    n = np.array([len(old), len(new)], float)
    words, rows = _rows_with_words(texts_of(old), texts_of(new))
    gaps = np.array([[float(column.missing.sum())] for column in (old, new)])
    every = np.column_stack([rows, gaps])
    shares = every / np.maximum(1, n)[:, None]
    frequent = np.flatnonzero(every.sum(axis=0) * n.min() / n.sum() >= FEW)
    each = [chi_squared(np.column_stack([every[:, j], n - every[:, j]])) for j in frequent.tolist()]
    p = min(1.0, len(each) * min(each, default=1.0))
    moved = np.abs(shares[1] - shares[0])
    most = int(moved.argmax())
    what = "missing" if most == len(words) else f"with {label(short_name(words[most], 30))}"
    then, now = (f"{what} {percent(share, 0)}" for share in shares[:, most])
    fresh = np.flatnonzero((rows[0] == 0) & (shares[1, :-1] >= OFTEN))
    unseen = tuple(words[j] for j in fresh[np.argsort(-rows[1, fresh], kind="stable")].tolist())
    missing = (float(shares[0, -1]), float(shares[1, -1]))
    return ColumnDrift(old.name, "text", "χ² of words", float(moved[most]), p, p, then, now, missing, unseen)


def _rows_with_words(old: Texts, new: Texts) -> tuple[list[str], Array]:
    """The words of both, and in how many rows of each they are."""
    (text, ends, before, _), (more, more_ends, after, _) = (TOKENS.count(texts) for texts in (old, new))
    joined, joined_ends, here, there = _core.join_terms(text, ends, more, more_ends)
    rows = np.zeros((2, len(joined_ends)))
    rows[0, here], rows[1, there] = before, after
    return decoded_terms(joined, joined_ends), rows
