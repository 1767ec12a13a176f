"""What one look at columns of text tells: which words there are, and how they go together with the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.data.texts import texts_of
from learnt.data.tokens import Tokens
from learnt.engine.passes import Batch, Pass, Statistic

#: Words as `BagOfWords` has them: two or more letters, digits or underscores, large and small letters the same.
TOKENS = Tokens()


@dataclass(frozen=True)
class WordSums(Statistic):
    """The words of one column in order, as UTF-8 one after the other, where each ends, and its sums over the rows it is
    in; `totals` are those over all rows.

    The sums are weights by class, or for a target of numbers weight, weight · y and weight · y². `least` is the
    smallest weight above 0.
    """

    rows: int
    text: Array
    ends: Array
    sums: Array  # words × sums
    totals: Array
    least: float

    def _shape(self) -> tuple[int, ...]:
        return (len(self.totals),)

    def _merge(self, other: WordSums) -> WordSums:
        text, ends, here, there = _core.join_terms(self.text, self.ends, other.text, other.ends)
        sums = np.zeros((len(ends), len(self.totals)))
        for part, places in ((self, here), (other, there)):
            sums[places] += part.sums
        rows, totals = self.rows + other.rows, self.totals + other.totals
        return WordSums(rows, text, ends, sums, totals, min(self.least, other.least))


@dataclass(frozen=True)
class ColumnWordSums(Statistic):
    """The same of several columns."""

    rows: int
    columns: tuple[WordSums, ...]

    def _merge(self, other: ColumnWordSums) -> ColumnWordSums:
        pairs = zip(self.columns, other.columns, strict=True)
        return ColumnWordSums(self.rows + other.rows, tuple(one + two for one, two in pairs))


class SumWords(Pass):
    """Looks at some columns of text; `n_classes` is 0 for a target of numbers."""

    whole = False

    def __init__(self, names: Sequence[str], n_classes: int):
        self.names, self.n_classes = tuple(names), n_classes

    def summarize(self, batch: Batch) -> ColumnWordSums:
        terms = self._row_terms(batch)
        weights = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        least = float(weights[weights > 0].min(initial=np.inf))
        return ColumnWordSums(batch.n_rows, tuple(self._of_column(batch, name, terms, least) for name in self.names))

    def _row_terms(self, batch: Batch) -> Array:
        """What each row adds to the sums of its words, rows × sums."""
        weights = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        assert batch.target is not None
        if self.n_classes:
            terms = np.zeros((batch.n_rows, self.n_classes))
            terms[np.arange(batch.n_rows), batch.target] = weights
            return terms
        return np.column_stack([weights, weights * batch.target, weights * batch.target**2])

    def _of_column(self, batch: Batch, name: str, terms: Array, least: float) -> WordSums:
        texts = texts_of(batch.table[name], f"column {name!r}")
        (text, ends, _, _), (indptr, indices, _) = TOKENS.count_and_encode(texts)
        row = np.repeat(np.arange(batch.n_rows), np.diff(indptr))
        sums = [np.bincount(indices, weights=each[row], minlength=len(ends)) for each in terms.T]
        return WordSums(batch.n_rows, text, ends, np.column_stack(sums), terms.sum(axis=0), least)
