"""R of a QR decomposition of rows: what cross products say of them, without squaring their digits away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Statistic


@dataclass(frozen=True)
class RowTriangle(Statistic):
    """R of the QR decomposition of rows times the roots of their weights. Two of them stack and shrink to one."""

    rows: int
    r: Array

    def _shape(self) -> tuple[int, ...]:
        return (self.r.shape[1],)

    def _merge(self, other: Self) -> Self:
        return replace(self, rows=self.rows + other.rows, r=shrink_rows(np.vstack([self.r, other.r])))


def shrink_rows(rows: Array) -> Array:
    """R of rows = QR, or the rows themselves while there are fewer of them than columns."""
    return rows if rows.shape[0] <= rows.shape[1] else orthogonal_triangle(rows)


def orthogonal_triangle(rows: Array) -> Array:
    r: Any = np.linalg.qr(rows, mode="r")
    return np.asarray(r)
