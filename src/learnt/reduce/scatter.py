"""Mean and scatter of the columns of a matrix, in one pass however the rows are cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import dense, encoded_rows
from learnt.engine.passes import Batch, Pass
from learnt.statistics.products import Products, products_of


@dataclass(frozen=True)
class Scatter(Products):
    """The products of rows x, and how many rows weigh anything."""

    rows_with_weight: int

    def column_moments(self) -> tuple[Array, Array]:
        """Mean and variance (over n) of each column."""
        return self.mean, self.products.diagonal() / self.weight

    def _merge(self, other: Self) -> Self:
        return replace(super()._merge(other), rows_with_weight=self.rows_with_weight + other.rows_with_weight)


class TakeScatter(Pass):
    """One pass over all rows; `design` None takes a matrix of numbers as it is, unchecked."""

    def __init__(self, design: Design | None):
        self.design = design

    def summarize(self, batch: Batch) -> Scatter:
        blocks = ((dense(x), None, part.weights) for x, part in encoded_rows(batch, self.design))
        return Scatter(batch.n_rows, *products_of(blocks), count_rows_with_weight(batch))


def count_rows_with_weight(batch: Batch) -> int:
    return batch.n_rows if batch.weights is None else int(np.count_nonzero(batch.weights))
