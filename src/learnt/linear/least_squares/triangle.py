"""Least squares by an orthogonal triangle: slower than cross products, and right where they lose digits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.linear.least_squares.cross_products import rows_with_target
from learnt.linear.least_squares.tally import NOTHING, Tally
from learnt.statistics.triangle import RowTriangle, shrink_rows


@dataclass(frozen=True)
class Triangle(RowTriangle):
    """Of the rows (1, x − shift, y − shift)."""

    weight: float
    tally: Tally = NOTHING

    def _merge(self, other: Self) -> Self:
        both, tally = super()._merge(other), self.tally.plus(other.tally)
        return replace(both, weight=self.weight + other.weight, tally=tally)


class TakeTriangle(Pass):
    whole: ClassVar[bool] = False  # LAPACK does not thread inside; blocks run side by side

    def __init__(self, design: Design, shift: Array, intercept: bool):
        self.design, self.shift, self.intercept = design, shift, intercept

    def summarize(self, batch: Batch) -> Triangle:
        p = self.design.n_columns
        total: Triangle | None = None
        for x, y, w in rows_with_target(batch, self.design, max(4096, 2 * p)):
            rows = np.empty((len(x), p + 2), order="F")
            rows[:, 0] = self.intercept
            rows[:, 1:-1] = x - self.shift[:-1]
            rows[:, -1] = y - self.shift[-1]
            weight = float(len(x) if w is None else w.sum())
            if w is not None:
                rows *= np.sqrt(w)[:, None]
            part = Triangle(len(x), shrink_rows(rows), weight)
            total = part if total is None else total + part
        assert total is not None
        return replace(total, tally=Tally.of(batch))
