"""Rows that a machine has not seen, from which its probabilities are learnt.

A row's fold is drawn by its cells: the same however rows are ordered, repeated, cut into files or stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import encoded_rows
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.kernel.linear.asks import AskedRows, Folds, scores_of
from learnt.statistics.sums import ArraySums

#: Up to so many rows every one is held out once, by five folds; beyond, about so many rows are held out.
_FEW_ROWS = 2000
_HELD = 3500
_FOLDS = 5


def folds_for(weight: float, n_rows: int, scale: Array) -> Folds:
    """The folds of so many rows, counted by their weight, so that a row of weight 2 is two."""
    if weight <= _FEW_ROWS and n_rows <= 10 * _FEW_ROWS:
        return Folds(_FOLDS, _FOLDS, scale)
    return Folds(max(_FOLDS, -(-round(max(weight, float(n_rows))) // _HELD)), 1, scale)


def useful_folds(counts: Array) -> list[int]:
    """Of weights by fold and class, the folds without which every class still has rows."""
    total = counts.sum(axis=0)
    left = total - counts
    return [f for f in range(len(counts)) if counts[f].any() and (left[f][total > 0] > 1e-12 * total[total > 0]).all()]


def fold_counts(fold: Array, codes: Array, weights: Array, folds: Folds, n_classes: int) -> Array:
    """Weights by fold and class; those of rows in folds that are not used come last."""
    place = np.minimum(fold, folds.used) * n_classes + codes
    return np.bincount(place, weights, (folds.used + 1) * n_classes).reshape(-1, n_classes)


class CountFolds(Pass):
    def __init__(self, rows: AskedRows, design: Design, n_classes: int):
        self.rows, self.design, self.n_classes = rows, design, n_classes

    def summarize(self, batch: Batch) -> ArraySums:
        folds = self.rows.folds
        assert folds is not None
        counts = np.zeros((folds.used + 1, self.n_classes))
        for x, part in encoded_rows(batch, self.design):
            assert part.target is not None
            w = np.ones(part.n_rows) if part.weights is None else part.weights
            counts += fold_counts(folds.of(x), part.target, w, folds, self.n_classes)
        return ArraySums(batch.n_rows, (counts,))


@dataclass(frozen=True)
class HeldOut(Statistic):
    """Scores, classes and weights of rows that were held out."""

    rows: int
    scores: Array
    codes: Array
    weights: Array

    def _merge(self, other: HeldOut) -> HeldOut:
        return HeldOut(
            self.rows + other.rows,
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.weights, other.weights]),
        )

    @classmethod
    def of(cls, x: Any, codes: Array, weights: Array, fold: Array, machines: Machines) -> HeldOut:
        """Every row by the machines of its fold."""
        parts: list[tuple[Array, Array, Array]] = []
        for f, (coef, intercept) in machines.items():
            held = np.flatnonzero((fold == f) & (weights > 0))
            scores = [scores_of(x[held], b, float(b0)) for b, b0 in zip(coef, intercept, strict=True)]
            parts.append((np.stack(scores, axis=1), codes[held].astype(np.int64), weights[held]))
        return cls(len(codes), *(np.concatenate(some) for some in zip(*parts, strict=True)))


#: Coefficients and intercepts of the machines that have not seen a fold.
Machines = dict[int, tuple[Array, Array]]


class TakeHeldOut(Pass):
    """Scores of rows by machines that have not seen them, with coefficients in the units of the columns."""

    def __init__(self, rows: AskedRows, design: Design, machines: Machines):
        self.rows, self.design, self.machines = rows, design, machines

    def summarize(self, batch: Batch) -> HeldOut:
        total: HeldOut | None = None
        assert self.rows.folds is not None
        for x, part in encoded_rows(batch, self.design):
            assert part.target is not None
            w = np.ones(part.n_rows) if part.weights is None else part.weights
            found = HeldOut.of(x, part.target, w, self.rows.folds.of(x), self.machines)
            total = found if total is None else total + found
        assert total is not None
        return total
