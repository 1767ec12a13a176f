"""Means and centred cross products of a design matrix and its target: all that least squares needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.centred_products import ENCODED_ROWS, centred_products, dense, joined_products, sample_mean
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.engine.training import Training
from learnt.linear.least_squares.tally import NOTHING, Tally


@dataclass(frozen=True)
class CrossProducts(Statistic):
    """Of z = (x, y): the weight W, the mean m, and C = Σ w (z − m)(z − m)ᵀ."""

    rows: int
    weight: float
    mean: Array
    products: Array
    tally: Tally = NOTHING

    @property
    def finite(self) -> bool:
        """False when a cell was missing, infinite, or so large that its square is."""
        return bool(np.isfinite(self.products).all() and np.isfinite(self.mean).all())

    def column_moments(self) -> tuple[Array, Array]:
        """Mean and variance (over n) of the columns of x."""
        return self.mean[:-1], np.maximum(np.diagonal(self.products)[:-1], 0) / self.weight

    def raw(self) -> Array:
        """Σ w z zᵀ, not centred."""
        return self.products + self.weight * np.outer(self.mean, self.mean)

    def _shape(self) -> tuple[int, ...]:
        return (len(self.mean),)

    def _merge(self, other: CrossProducts) -> CrossProducts:
        if self.weight + other.weight == 0:
            return self
        return CrossProducts(self.rows + other.rows, *joined_products(self, other), self.tally.plus(other.tally))


class TakeCrossProducts(Pass):
    """One pass over all rows; `design` None takes a numeric matrix as it is, unchecked.

    Rows are shifted by the mean of a few of them before they are multiplied, so that the later
    correction by the true mean cancels nothing that matters.
    """

    def __init__(self, design: Design | None):
        self.design = design

    def summarize(self, batch: Batch) -> CrossProducts:
        assert batch.target is not None
        shift = gram = np.zeros(0)
        for x, y, w in encoded_rows(batch, self.design, ENCODED_ROWS):
            if not shift.size:
                shift = np.append(sample_mean(x, w), sample_mean(y[:, None], w))
                gram = np.zeros((x.shape[1] + 2, x.shape[1] + 2))
            _core.add_gram(x, y, w, shift, gram)
        weight = float(gram[0, 0])
        if weight == 0:
            return CrossProducts(batch.n_rows, 0.0, shift, np.zeros_like(gram[1:, 1:]))
        tally = Tally.of(batch, look=self.design is not None)
        return CrossProducts(batch.n_rows, weight, *centred_products(gram, shift), tally)


def quick_products(training: Training) -> TakeCrossProducts | None:
    """The quick pass over a numeric matrix of more rows than columns."""
    long = training.is_matrix and (training.n_rows or 0) > len(training.schema)
    return TakeCrossProducts(None) if long else None


def encoded_rows(batch: Batch, design: Design | None, n_rows: int) -> Iterator[tuple[Array, Array, Array | None]]:
    """Matrix, target and weights of a batch, `n_rows` at a time; a matrix that is there already, at once."""
    assert batch.target is not None
    if design is None:
        assert batch.table.matrix is not None
        yield batch.table.matrix, batch.target, batch.weights
        return
    for start in range(0, max(batch.n_rows, 1), n_rows):
        part = batch.rows(start, start + n_rows)
        assert part.target is not None
        yield dense(design.encode(part.table)), part.target, part.weights
