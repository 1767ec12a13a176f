"""Sums of encoded rows by class, and how far rows lie from what stands for their class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass
from learnt.statistics.counts import weigh_codes
from learnt.statistics.sums import Sums

#: Cells of encoded rows held at a time: 32 MB.
CELLS = 4 << 20


def dense_blocks(design: Design, table: Table) -> Iterator[tuple[slice, Array]]:
    """Encoded rows, a few at a time, as float64."""
    step = max(1, CELLS // max(design.n_columns, 1))
    for first in range(0, table.n_rows, step):
        stop = min(first + step, table.n_rows)
        yield slice(first, stop), dense(design.encode(table.rows(first, stop)))


def dense(x: Any) -> Array:
    return np.ascontiguousarray(x if isinstance(x, np.ndarray) else x.toarray(), dtype=np.float64)


@dataclass(frozen=True)
class ClassSums(Sums):
    """The weight of each class, and the weighted sum of its encoded rows, less a given shift."""

    rows: int
    weight: Array
    total: Array


class TakeClassSums(Pass):
    def __init__(self, design: Design, shift: Array, n_classes: int):
        self.design, self.shift, self.n_classes = design, shift, n_classes

    def summarize(self, batch: Batch) -> ClassSums:
        from scipy.sparse import csr_matrix

        y, n = batch.target, batch.n_rows
        assert y is not None
        w = np.ones(n) if batch.weights is None else batch.weights
        weight, total = weigh_codes(y, self.n_classes, w), np.zeros((self.n_classes, self.design.n_columns))
        for some, z in dense_blocks(self.design, batch.table):
            size = len(z)
            members = csr_matrix((w[some], (y[some], np.arange(size))), shape=(self.n_classes, size))
            total += members @ (z - self.shift)
        return ClassSums(n, weight, total)


@dataclass(frozen=True)
class Spread(Sums):
    """The weight of the rows, and the weighted sum of their squared distances from their own class."""

    rows: int
    weight: float
    squares: float


class TakeSpread(Pass):
    def __init__(self, class_distances: Callable[[Table], Array]):
        self.class_distances = class_distances

    def summarize(self, batch: Batch) -> Spread:
        y, n = batch.target, batch.n_rows
        assert y is not None
        w = np.ones(n) if batch.weights is None else batch.weights
        own = self.class_distances(batch.table)[np.arange(n), y]
        counts = w > 0
        return Spread(n, float(w.sum()), float(w[counts] @ own[counts] ** 2))


def as_probabilities(distances: Array, width: float) -> Array:
    """Probabilities as if each class were a round Gaussian of the same width: p(c) ∝ exp(−d_c² / 2 width)."""
    nearest = distances.min(axis=1, keepdims=True)
    if not width > 0:  # rows lie where their class does: only the nearest counts
        share = np.zeros(distances.shape)
        share[np.arange(len(distances)), distances.argmin(axis=1)] = 1.0
        return share
    with np.errstate(over="ignore", invalid="ignore"):
        odds = np.exp(-(distances - nearest) * (distances + nearest) / (2 * width))
    share = np.where(distances == nearest, 1.0, np.where(np.isnan(odds), 0.0, odds))  # all may be infinitely far
    shares: Array = share / share.sum(axis=1, keepdims=True)
    return shares
