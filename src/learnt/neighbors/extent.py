"""How far each column reaches: what range-normalised distances are measured by, also when more rows come later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError, SavedModelError
from learnt.neighbors.measure import Measure
from learnt.storable import storable


@storable
@dataclass(frozen=True, eq=False)
class Extent:
    """The least and the greatest cell of each column (of codes, where it has labels), and whether it has gaps.

    A column without a cell reaches from +∞ to −∞, so that extents add: `a + b` is that of all their rows.
    """

    low: Array
    high: Array
    gaps: Array

    @classmethod
    def of(cls, table: Table) -> Extent:
        p = table.n_columns
        low, high, gaps = np.full(p, np.inf), np.full(p, -np.inf), np.zeros(p, dtype=bool)
        for j, column in enumerate(table.columns):
            missing = column.missing
            there = column.values[~missing]
            gaps[j] = missing.any()
            if len(there):
                low[j], high[j] = float(there.min()), float(there.max())
        with np.errstate(over="ignore", invalid="ignore"):
            endless = np.isposinf(high - low) & (low <= high)
        if endless.any():
            name = table.names[int(np.flatnonzero(endless)[0])]
            raise InputError(f"The range of column {name!r} is not finite. Divide it by a large number.")
        return cls(low, high, gaps)

    def __add__(self, other: Extent) -> Extent:
        return Extent(np.minimum(self.low, other.low), np.maximum(self.high, other.high), self.gaps | other.gaps)

    def measure(self, schema: Schema) -> Measure:
        """Distances by the share of the range, sqrt(Σ d²), without columns that are the same in all rows."""
        filled = self.low <= self.high
        varies = filled & ((self.low < self.high) | self.gaps)
        span = np.where(filled, self.high, 0.0) - np.where(filled, self.low, 0.0)
        levels = np.array([max(0, len(c.categories) - 1) for c in schema], dtype=np.float64)
        kinds = np.array([c.kind for c in schema])
        ranges = np.where(kinds == "numeric", span, np.where(kinds == "ordinal", levels, 0.0))
        return Measure("mixed", power=2, ranges=ranges, column_weights=varies.astype(np.float64))

    def check(self, schema: Schema) -> None:
        parts = (self.low, self.high, self.gaps)
        if any(a.shape != (len(schema),) for a in parts) or np.isnan(self.low).any() or np.isnan(self.high).any():
            raise SavedModelError("The extents of the columns do not fit them.")
        if self.low.dtype != np.float64 or self.high.dtype != np.float64 or self.gaps.dtype != np.bool_:
            raise SavedModelError("The extents of the columns are not numbers.")


def cells_of(table: Table) -> Array:
    """All cells as one matrix: numbers, the codes of labels, NaN where one is missing."""
    out = np.empty(table.shape)
    for j, column in enumerate(table.columns):
        out[:, j] = floats(column)
    return out


def floats(column: Column) -> Array:
    return np.where(column.missing, np.nan, column.values).astype(np.float64, copy=False)
