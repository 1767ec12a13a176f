"""Means and centred cross products of a design matrix and its target: all that least squares needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import ENCODED_ROWS, dense, encoded_rows
from learnt.engine.passes import Batch, Pass
from learnt.engine.sizes import squares_overflow
from learnt.engine.training import Training
from learnt.linear.least_squares.tally import NOTHING, Tally
from learnt.statistics.products import Products, products_of


@dataclass(frozen=True)
class CrossProducts(Products):
    """The products of z = (x, y)."""

    tally: Tally = NOTHING

    def column_moments(self) -> tuple[Array, Array]:
        """Mean and variance (over n) of the columns of x."""
        return self.mean[:-1], np.maximum(np.diagonal(self.products)[:-1], 0) / self.weight

    def check_finite(self) -> None:
        """Raise if squares have overflowed, and say whose."""
        if not self.finite:
            of_columns = np.append(np.diagonal(self.products)[:-1], self.mean[:-1])
            raise squares_overflow("The target" if np.isfinite(of_columns).all() else "A column")

    def raw(self) -> Array:
        """Σ w z zᵀ, not centred."""
        return self.products + self.weight * np.outer(self.mean, self.mean)

    def _merge(self, other: Self) -> Self:
        return replace(super()._merge(other), tally=self.tally.plus(other.tally))


class TakeCrossProducts(Pass):
    """One pass over all rows; `design` None takes a numeric matrix as it is, unchecked."""

    def __init__(self, design: Design | None):
        self.design = design

    def summarize(self, batch: Batch) -> CrossProducts:
        weight, mean, products = products_of(rows_with_target(batch, self.design))
        tally = Tally.of(batch, look=self.design is not None) if weight > 0 else NOTHING
        return CrossProducts(batch.n_rows, weight, mean, products, tally)


def quick_products(training: Training) -> TakeCrossProducts | None:
    """The quick pass over a numeric matrix of more rows than columns."""
    long = training.is_matrix and (training.n_rows or 0) > len(training.schema)
    return TakeCrossProducts(None) if long else None


def rows_with_target(
    batch: Batch, design: Design | None, n_rows: int = ENCODED_ROWS
) -> Iterator[tuple[Array, Array, Array | None]]:
    """Dense matrix, target and weights of a batch, some rows at a time."""
    for x, part in encoded_rows(batch, design, n_rows):
        assert part.target is not None
        yield dense(x), part.target, part.weights
