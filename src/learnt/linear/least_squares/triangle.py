"""Least squares by an orthogonal triangle: slower than cross products, and right where they lose digits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.linear.least_squares.cross_products import encoded_rows
from learnt.linear.least_squares.tally import NOTHING, Tally


@dataclass(frozen=True)
class Triangle(Statistic):
    """R of the QR decomposition of √w·(1, x − shift, y − shift). Two of them stack and shrink to one."""

    rows: int
    weight: float
    r: Array
    tally: Tally = NOTHING

    def _shape(self) -> tuple[int, ...]:
        return (self.r.shape[1],)

    def _merge(self, other: Triangle) -> Triangle:
        tally = self.tally.plus(other.tally)
        return Triangle(self.rows + other.rows, self.weight + other.weight, shrunk(np.vstack([self.r, other.r])), tally)


class TakeTriangle(Pass):
    whole: ClassVar[bool] = False  # LAPACK does not thread inside; blocks run side by side

    def __init__(self, design: Design, shift: Array, intercept: bool):
        self.design, self.shift, self.intercept = design, shift, intercept

    def summarize(self, batch: Batch) -> Triangle:
        p = self.design.n_columns
        total: Triangle | None = None
        for x, y, w in encoded_rows(batch, self.design, max(4096, 2 * p)):
            rows = np.empty((len(x), p + 2), order="F")
            rows[:, 0] = self.intercept
            rows[:, 1:-1] = x - self.shift[:-1]
            rows[:, -1] = y - self.shift[-1]
            weight = float(len(x) if w is None else w.sum())
            if w is not None:
                rows *= np.sqrt(w)[:, None]
            part = Triangle(len(x), weight, shrunk(rows))
            total = part if total is None else total + part
        assert total is not None
        return replace(total, tally=Tally.of(batch))


def shrunk(rows: Array) -> Array:
    """R of rows = QR, or the rows themselves while there are fewer of them than columns."""
    return rows if rows.shape[0] <= rows.shape[1] else orthogonal_triangle(rows)


def orthogonal_triangle(rows: Array) -> Array:
    r: Any = np.linalg.qr(rows, mode="r")
    return np.asarray(r)
