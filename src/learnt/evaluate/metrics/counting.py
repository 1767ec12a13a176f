"""How often each class was answered with each: the table that accuracy, kappa and their kin are read from.

Classes are codes from 0. A table of counts has a row per true class and a column per answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array

#: Beyond this many classes the whole table of counts costs more than the three sums of it that most metrics need.
MOST_CROSSED = 64


def confusion_counts(truth: Array, answer: Array, n_classes: int, weights: Array | None = None) -> Array:
    """Rows (or their weights) by true class and answer: whole numbers unless weights are fractions."""
    cells = truth.astype(np.intp)
    cells *= n_classes
    cells += answer
    return _tally(cells, n_classes * n_classes, weights).reshape(n_classes, n_classes)


def _tally(codes: Array, n_codes: int, weights: Array | None) -> Array:
    counts = np.bincount(codes, weights, n_codes)
    return counts.astype(np.int64) if weights is not None and weights.dtype.kind in "iub" else counts


@dataclass(frozen=True)
class Tallies:
    """Per class: how many rows (or how much weight) were answered right, are of it, and were answered with it."""

    hits: Array
    true: Array
    answered: Array

    @property
    def total(self) -> float:
        return float(self.true.sum())

    @property
    def accuracy(self) -> float:
        return float(self.hits.sum()) / self.total if self.total else float("nan")

    def balanced_accuracy(self, *, adjusted: bool = False) -> float:
        """The mean recall of the classes that are there; adjusted: 0 for a guess, 1 at best."""
        there = self.true > 0
        if not there.any():
            return float("nan")
        score = float((self.hits[there] / self.true[there]).mean())
        if not adjusted:
            return score
        n_classes = int(there.sum())
        if n_classes == 1:  # chance is always right: (score − 1) / 0
            return float("nan") if score == 1 else float("-inf")
        return (score - 1 / n_classes) / (1 - 1 / n_classes)

    def kappa(self) -> float:
        """Cohen's κ = 1 − wrong / expected wrong; NaN where no answer could be wrong by chance."""
        if not self.total or np.count_nonzero(self.true + self.answered) < 2:
            return float("nan")
        # Summed without subtracting from 1, which would lose the digits of a rare class.
        by_chance = float((self.true / self.total) @ (self.total - self.answered))
        return 1 - float((self.true - self.hits).sum()) / by_chance if by_chance else float("nan")

    def matthews(self) -> float:
        """Correlation of truth and answer as indicators (R_k); 0 where one of them is constant."""
        true, answered, total = self.true.astype(np.float64), self.answered.astype(np.float64), self.total
        together = float(self.hits.sum()) * total - true @ answered
        spread = (total**2 - answered @ answered) * (total**2 - true @ true)
        return float(together / np.sqrt(spread)) if spread > 0 else 0.0


def tallies(truth: Array, answer: Array, n_classes: int, weights: Array | None = None) -> Tallies:
    """The sums of a table of counts: its diagonal, its rows and its columns."""
    if n_classes <= MOST_CROSSED:
        counts = confusion_counts(truth, answer, n_classes, weights)
        return Tallies(np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0))
    right = truth == answer
    hits = _tally(truth[right], n_classes, None if weights is None else weights[right])
    return Tallies(hits, _tally(truth, n_classes, weights), _tally(answer, n_classes, weights))
