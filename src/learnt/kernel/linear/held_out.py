"""Rows that a machine has not seen, from which its probabilities are learnt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import encoded_rows
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.kernel.linear.asks import AskedRows, scores_of

#: Up to so many rows every one is held out once, by five folds.
_FEW_ROWS = 2000
_FOLDS = 5


def held_out_folds(codes: Array, cost: Array, most: int) -> Iterator[Array]:
    """The rows of each fold: class by class in turn, so that every fold has rows of each; of many rows, one fold."""
    order = np.argsort(codes, kind="stable")
    order = order[cost[order] > 0]
    n = len(order)
    if n > _FEW_ROWS:
        yield np.sort(order[np.linspace(0, n - 1, min(n // _FOLDS, most)).astype(np.int64)])
        return
    rank = np.zeros(len(codes), np.int64)
    starts = np.searchsorted(codes[order], codes[order])
    rank[order] = np.arange(n) - starts
    for f in range(_FOLDS):
        some: Array = order[rank[order] % _FOLDS == f]
        if len(some):
            yield some


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


class TakeHeldOut(Pass):
    """Scores of the rows that `rows` leaves out, by coefficients in the units of the columns."""

    def __init__(self, rows: AskedRows, design: Design, coef: Array, intercept: Array):
        self.rows, self.design, self.coef, self.intercept = rows, design, coef, intercept

    def summarize(self, batch: Batch) -> HeldOut:
        parts = []
        for x, part in encoded_rows(batch, self.design):
            assert part.target is not None
            held = np.flatnonzero(self.rows.is_held_out(part.first_row, part.n_rows))
            w = np.ones(len(held)) if part.weights is None else part.weights[held]
            held, w = held[w > 0], w[w > 0]
            scores = [scores_of(x[held], b, float(b0)) for b, b0 in zip(self.coef, self.intercept, strict=True)]
            parts.append(HeldOut(part.n_rows, np.stack(scores, axis=1), part.target[held].astype(np.int64), w))
        total = parts[0]
        for part_found in parts[1:]:
            total = total + part_found
        return total
