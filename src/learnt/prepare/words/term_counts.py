"""What one look at documents tells: which terms there are, in how many documents, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.data.texts import Texts, characters, encoded_terms
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.prepare.words.documents import text_source
from learnt.statistics.sums import Sums

#: indptr, indices and data of a matrix in compressed rows.
Rows = tuple[Array, Array, Array]


@dataclass(frozen=True)
class Tokens:
    """How documents are taken apart: lower case or as written, how many words a term has, which words are left out."""

    lowercase: bool = True
    ngram_range: tuple[int, int] = (1, 1)
    stop_words: tuple[str, ...] = ()
    single: bool = False  # whether counts are float32

    def texts(self, batch: Batch) -> Texts:
        table: Any = batch.table
        if isinstance(table, Table):
            table = text_source(table, None, lowercase=self.lowercase).given
        assert isinstance(table, Texts)
        return table

    def rules(self, texts: Texts) -> Any:
        stops = _core.Terms(*encoded_terms(list(dict.fromkeys(self.stop_words)))) if self.stop_words else None
        return _core.TokenRules(self.lowercase, *self.ngram_range, stops, None if texts.ascii else characters())

    def encode(self, texts: Texts, columns: Any) -> Rows:
        """Counts in the columns of a vocabulary, or of so many hashes."""
        rules = self.rules(texts)
        if isinstance(columns, int):
            return _core.hash_words(texts.documents, rules, columns, self.single)
        return _core.encode_words(texts.documents, rules, columns, self.single)

    def count_and_encode(self, texts: Texts) -> tuple[TermCounts, Rows]:
        """All terms, and the counts of each document, in one look."""
        counts, rows = _core.count_and_encode_words(texts.documents, self.rules(texts), self.single)
        return TermCounts(texts.n_rows, *counts), rows


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
        texts = self.tokens.texts(batch)
        return TermCounts(texts.n_rows, *_core.count_words(texts.documents, self.tokens.rules(texts)))


@dataclass(frozen=True)
class DocumentCounts(Sums):
    """In how many documents each of some given terms, or hashes, is."""

    rows: int
    documents: Array


class CountDocuments(Pass):
    def __init__(self, tokens: Tokens, columns: Any, n_columns: int):
        self.tokens, self.columns, self.n_columns = tokens, columns, n_columns

    def summarize(self, batch: Batch) -> DocumentCounts:
        texts = self.tokens.texts(batch)
        _, indices, _ = self.tokens.encode(texts, self.columns)
        return DocumentCounts(texts.n_rows, np.bincount(indices, minlength=self.n_columns))
