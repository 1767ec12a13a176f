"""What one look at documents tells: which terms there are, in how many documents, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.data.texts import Texts
from learnt.data.tokens import Tokens
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.prepare.words.documents import text_source
from learnt.statistics.sums import Sums


def texts_in(batch: Batch, tokens: Tokens) -> Texts:
    """The documents of a batch."""
    table: Any = batch.table
    if isinstance(table, Table):
        table = text_source(table, None, lowercase=tokens.lowercase).given
    assert isinstance(table, Texts)
    return table


@dataclass(frozen=True)
class TermCounts(Statistic):
    """The terms in order, as UTF-8 one after the other; for each where it ends, in how many documents it is, and how
    often in all."""

    rows: int
    text: Array
    ends: Array
    documents: Array
    totals: Array

    def _merge(self, other: TermCounts) -> TermCounts:
        text, ends, here, there = _core.join_terms(self.text, self.ends, other.text, other.ends)
        documents, totals = np.zeros((2, len(ends)), np.int64)
        for part, places in ((self, here), (other, there)):
            documents[places] += part.documents
            totals[places] += part.totals
        return TermCounts(self.rows + other.rows, text, ends, documents, totals)


class CountTerms(Pass):
    def __init__(self, tokens: Tokens):
        self.tokens = tokens

    def summarize(self, batch: Batch) -> TermCounts:
        texts = texts_in(batch, self.tokens)
        return TermCounts(texts.n_rows, *self.tokens.count(texts))


@dataclass(frozen=True)
class DocumentCounts(Sums):
    """In how many documents each of some given terms, or hashes, is."""

    rows: int
    documents: Array


class CountDocuments(Pass):
    def __init__(self, tokens: Tokens, columns: Any, n_columns: int):
        self.tokens, self.columns, self.n_columns = tokens, columns, n_columns

    def summarize(self, batch: Batch) -> DocumentCounts:
        texts = texts_in(batch, self.tokens)
        _, indices, _ = self.tokens.encode(texts, self.columns)
        return DocumentCounts(texts.n_rows, np.bincount(indices, minlength=self.n_columns))
