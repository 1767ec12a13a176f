"""Mean and scatter of the columns of a matrix, in one pass however the rows are cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.centred_products import ENCODED_ROWS, centred_products, dense, joined_products, sample_mean
from learnt.engine.passes import Batch, Pass, Statistic


@dataclass(frozen=True)
class Scatter(Statistic):
    """The weight W, the mean m, S = Σ w (x − m)(x − m)ᵀ, and how many rows weigh anything."""

    rows: int
    rows_with_weight: int
    weight: float
    mean: Array
    products: Array

    @property
    def finite(self) -> bool:
        """False when a cell was missing, infinite, or so large that its square is."""
        return bool(np.isfinite(self.products).all() and np.isfinite(self.mean).all())

    def column_moments(self) -> tuple[Array, Array]:
        """Mean and variance (over n) of each column."""
        return self.mean, self.products.diagonal() / self.weight

    def _shape(self) -> tuple[int, ...]:
        return (len(self.mean),)

    def _merge(self, other: Scatter) -> Scatter:
        if self.weight + other.weight == 0:
            return self
        with_weight = self.rows_with_weight + other.rows_with_weight
        return Scatter(self.rows + other.rows, with_weight, *joined_products(self, other))


class TakeScatter(Pass):
    """One pass over all rows; `design` None takes a matrix of numbers as it is, unchecked.

    Rows are shifted by the mean of a few of them before they are multiplied, so that numbers far from 0 lose no
    digits.
    """

    def __init__(self, design: Design | None):
        self.design = design

    def summarize(self, batch: Batch) -> Scatter:
        shift = gram = np.zeros(0)
        for x, w in encoded_rows(batch, self.design):
            rows = dense(x)
            if not shift.size:
                shift = np.append(sample_mean(rows, w), 0.0)
                gram = np.zeros((rows.shape[1] + 2, rows.shape[1] + 2))
            for part in _parts(rows):
                _core.add_gram(rows[part], None, None if w is None else w[part], shift, gram)
        shift, weight, with_weight = shift[:-1], float(gram[0, 0]), count_rows_with_weight(batch)
        if weight == 0:
            return Scatter(batch.n_rows, 0, 0.0, shift, np.zeros_like(gram[1:-1, 1:-1]))
        return Scatter(batch.n_rows, with_weight, weight, *centred_products(gram[:-1, :-1], shift))


def _parts(rows: Array) -> Iterator[slice]:
    """All rows at once, or of wide ones so few that Ctrl-C need not wait for long; the sums have the same bits."""
    step = max(len(rows), 1) if rows.shape[1] <= 512 else 2048
    yield from (slice(start, start + step) for start in range(0, max(len(rows), 1), step))


def encoded_rows(batch: Batch, design: Design | None) -> Iterator[tuple[Any, Array | None]]:
    """Matrix, dense or CSR, and weights of a batch, some rows at a time; a matrix that is there already, at once."""
    whole = batch.table.matrix
    if design is None:
        assert whole is not None
        yield whole, batch.weights
        return
    for start in range(0, max(batch.n_rows, 1), ENCODED_ROWS):
        part = batch.rows(start, start + ENCODED_ROWS)
        yield design.encode(part.table), part.weights


def count_rows_with_weight(batch: Batch) -> int:
    return batch.n_rows if batch.weights is None else int(np.count_nonzero(batch.weights))
