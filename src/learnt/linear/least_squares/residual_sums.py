"""Sums of squares by looking at every residual, for where cross products cannot tell a small rest from rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.linear.least_squares.tally import Tally


@dataclass(frozen=True)
class ResidualSums(Statistic):
    """The weight, Σ w (y − ŷ)² and Σ w (y − c)²."""

    rows: int
    weight: float
    residual: float
    total: float
    tally: Tally

    def _merge(self, other: ResidualSums) -> ResidualSums:
        return ResidualSums(
            self.rows + other.rows,
            self.weight + other.weight,
            self.residual + other.residual,
            self.total + other.total,
            self.tally.plus(other.tally),
        )


class TakeResidualSums(Pass):
    """ŷ = intercept + coef · x; `center` is c, the mean of y or 0."""

    def __init__(self, design: Design, coef: Array, intercept: float, center: float):
        self.design, self.coef, self.intercept, self.center = design, coef, intercept, center

    def summarize(self, batch: Batch) -> ResidualSums:
        weight = residual = total = 0.0
        for start in range(0, batch.n_rows, ENCODED_ROWS):
            part = batch.rows(start, start + ENCODED_ROWS)
            assert part.target is not None
            fitted = weighted_sums(self.design.encode(part.table), self.coef, self.intercept)
            w = np.ones(part.n_rows) if part.weights is None else part.weights
            weight += float(w.sum())
            missed = np.where(w > 0, part.target - fitted, 0.0)  # a row of weight 0 may hold any cells
            residual += float(w @ missed**2)
            total += float(w @ (part.target - self.center) ** 2)
        return ResidualSums(batch.n_rows, weight, residual, total, Tally.of(batch))


def weighted_sums(x: Any, coef: Array, intercept: float) -> Array:
    """intercept + coef · x of each row of a dense or sparse matrix."""
    if not isinstance(x, np.ndarray):
        sums: Array = x @ coef + intercept
        return sums
    out = np.empty(len(x))
    _core.predict_linear(x, coef, intercept, out)
    return out
