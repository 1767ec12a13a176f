"""Columns chosen by trying: add the one that helps a learner most, or leave out the one it misses least.

Folds are made here, not by `learnt.evaluate`, which stands above: the rows in order of the target, dealt out in turn,
so that each fold holds its share of every class, or of every range of numbers.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.errors import InputError
from learnt.learner.settings import clone
from learnt.statistics.sample import hash_rows
from learnt.watch import report, watching

#: A column must be better by this much: rounding is not progress.
_GAIN = 1e-12


@dataclass(frozen=True)
class Path:
    """The columns in the order they were added or left out, with the score reached each time.

    `kept` are the places of those chosen, `start` is the score of no column (forward) or of all (backward), and
    `tried` holds per column the score it had when it was tried last.
    """

    order: list[int]
    reached: list[float]
    kept: list[int]
    start: float
    tried: Array


class TryColumns:
    """`wanted` is how many columns to keep; None: as long as the score gets better (or, leaving out, no worse)."""

    def __init__(self, learner: Any, classes: Array | None, forward: bool, wanted: int | None, cv: Any, seed: int):
        self.learner, self.classes, self.forward = learner, classes, forward
        self.wanted, self.cv, self.seed = wanted, cv, seed

    def walk(self, batch: Batch) -> Path:
        p = batch.table.n_columns
        judge = Judge(self, batch)
        kept: list[int] = [] if self.forward else list(range(p))
        best = start = judge.score_of_nothing() if self.forward else judge.score(kept)
        order, reached, tried = [], [], np.full(p, np.nan)
        while len(kept) < p if self.forward else len(kept) > 1:
            if self.wanted is not None and len(kept) == self.wanted:
                break
            choices = [j for j in range(p) if (j in kept) != self.forward]
            scores = [judge.score(self._changed_columns(kept, j)) for j in choices]
            tried[choices] = scores
            place = int(np.argmax(scores))  # of equal ones the first
            better = scores[place] - best
            enough = bool(kept) and better <= _GAIN if self.forward else better < -_GAIN
            if self.wanted is None and enough:
                break
            kept, best = self._changed_columns(kept, choices[place]), scores[place]
            order.append(choices[place])
            reached.append(best)
            if watching():
                report("columns", learner="SelectFeatures", iteration=len(order), total=p, objective=best)
        return Path(order, reached, kept, start, tried)

    def _changed_columns(self, kept: list[int], j: int) -> list[int]:
        return sorted([*kept, j]) if self.forward else [k for k in kept if k != j]


class Judge:
    """The mean score of a learner over folds that are the same for all choices of columns."""

    def __init__(self, request: TryColumns, batch: Batch):
        assert batch.target is not None
        self.learner, self.table, self.weights = request.learner, batch.table, batch.weights
        self.target = batch.target if request.classes is None else request.classes[batch.target]
        self.splits = self._folds(request, batch) if isinstance(request.cv, numbers.Integral) else request.cv
        for rows in (rows for split in self.splits for rows in split):
            if np.max(rows, initial=0) >= batch.n_rows or np.min(rows, initial=0) < 0:
                raise InputError(
                    f"SelectFeatures: cv names row {np.max(rows)} of {batch.n_rows}. Expected rows counted from 0."
                )

    def _folds(self, request: TryColumns, batch: Batch) -> list[tuple[Array, Array]]:
        if batch.n_rows < 2:
            raise InputError(
                f"SelectFeatures was given {batch.n_rows} row to cross-validate. Expected at least 2. "
                "Use another criterion than 'forward' and 'backward'."
            )
        assert batch.target is not None
        mix = hash_rows(request.seed, 0, batch.n_rows)
        fold = np.empty(batch.n_rows, np.int64)
        fold[np.lexsort((mix, batch.target))] = np.arange(batch.n_rows) % min(request.cv, batch.n_rows)
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1)]

    def score(self, places: list[int]) -> float:
        names = self.table.names
        return self._mean(self.learner, self.table.select([names[j] for j in places]))

    def score_of_nothing(self) -> float:
        """What the best constant answer scores."""
        from learnt.baseline import MajorityClassifier, MeanRegressor

        plain: Any = MajorityClassifier() if self.learner.task == "classification" else MeanRegressor()
        return self._mean(plain, self.table)

    def _mean(self, learner: Any, table: Table) -> float:
        found = []
        for train, test in self.splits:
            weights = None if self.weights is None else (self.weights[train], self.weights[test])
            if weights is not None and not (weights[0].any() and weights[1].any()):
                continue  # rows of weight 0 only
            model = clone(learner).fit(table.take(train), self.target[train], weights and weights[0])
            found.append(model.score(table.take(test), self.target[test], weights and weights[1]))
        there = [score for score in found if not np.isnan(score)]  # R² of a single row is none
        return float(np.mean(there)) if there else 0.0
