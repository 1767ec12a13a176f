"""Rows as points: numbers in units of their spread, labels as corners, missing cells with a mark."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Column, Table
from learnt.lazy import cached_property
from learnt.storable import Codes, FiniteNumbers, storable

#: Labels of a column that have a corner of their own; the rarer ones share one.
MOST_LABELS = 32
#: Squares of what lies farther out would be infinite.
FARTHEST = 1e100
#: Two corners are at a distance of 1.
CORNER = np.sqrt(0.5)


@storable
@dataclass(frozen=True, eq=False)
class RowsAsNumbers:
    """How each column of a table becomes columns of a matrix.

    | kind | columns of the matrix | a missing cell |
    |---|---|---|
    | numeric, ordinal | (x − mean)/deviation | the mean; and 1 in a column of its own, if fitted rows had gaps there |
    | nominal, boolean | √½ in the column of its label; labels beyond the 32 most frequent share one | a label too |

    A column that did not vary is divided by its value; of one without any cell only counts whether it is there. A label
    that is new counts as a missing cell. `unit` is a power of two that keeps squares finite; `place` holds for each
    label of each column, one after the other, and at last for a missing cell, which of its columns it is.
    """

    schema: Schema
    unit: FiniteNumbers
    center: FiniteNumbers
    scale: FiniteNumbers
    gaps: FiniteNumbers  # 1 where gaps have a column
    place: Codes

    def __post_init__(self) -> None:
        m = len(self.schema)
        if any(a.shape != (m,) for a in (self.unit, self.center, self.scale, self.gaps)):
            raise ValueError("Each column needs a unit, a center, a scale and whether it has gaps.")
        if self.place.shape != (sum(self._labels),) or (len(self.place) and self.place.min() < 0):
            raise ValueError("The places of labels do not fit the columns.")
        if len(self.place) and self.place.max() > MOST_LABELS + 2:
            raise ValueError("A label has a place beyond the columns.")

    @classmethod
    def of(cls, table: Table, weights: Array, *, standardize: bool) -> RowsAsNumbers:
        m = table.n_columns
        unit, center, scale, gaps = np.ones(m), np.zeros(m), np.ones(m), np.zeros(m)
        places: list[Array] = []
        for j, column in enumerate(table.columns):
            if column.schema.kind in ("nominal", "boolean"):
                places.append(_places(column, weights))
                continue
            there = ~column.missing
            gaps[j] = float(not there.all())
            x = np.asarray(column.values, dtype=np.float64)[there]
            unit[j], center[j], scale[j] = _units(x, weights[there], standardize)
        place = np.concatenate([np.zeros(0, np.int32), *places]).astype(np.int32)
        return cls(table.schema, unit, center, scale, gaps, place)

    @property
    def _labels(self) -> list[int]:
        """Labels of each nominal column, a missing cell counted."""
        return [len(c.categories) + 1 for c in self.schema if c.kind in ("nominal", "boolean")]

    @cached_property
    def widths(self) -> Array:
        """Columns of the matrix for each column of the table."""
        ends, labels = iter(np.split(self.place, np.cumsum(self._labels)[:-1])), []
        for c, gap in zip(self.schema, self.gaps.tolist(), strict=True):
            nominal = c.kind in ("nominal", "boolean")
            labels.append(int(next(ends).max()) + 1 if nominal else 1 + int(gap))
        return np.array(labels, dtype=np.int64)

    @cached_property
    def owner(self) -> Array:
        """Which column of the table each column of the matrix is made of."""
        return np.repeat(np.arange(len(self.schema)), self.widths)

    @property
    def n_columns(self) -> int:
        return int(self.widths.sum())

    def encode(self, table: Table) -> Array:
        z = np.zeros((table.n_rows, self.n_columns))
        at = np.cumsum(self.widths) - self.widths
        ends = iter(np.split(self.place, np.cumsum(self._labels)[:-1]))
        everyone = np.arange(table.n_rows)
        for j, column in enumerate(table.columns):
            if column.schema.kind in ("nominal", "boolean"):
                places = next(ends)
                z[everyone, at[j] + places[column.values]] = CORNER  # a missing cell is −1, the last
                continue
            x = np.where(column.missing, np.nan, column.values)
            with np.errstate(over="ignore", invalid="ignore"):
                z[:, at[j]] = np.nan_to_num((x * self.unit[j] - self.center[j]) * self.scale[j], posinf=FARTHEST)
            if self.gaps[j]:
                z[:, at[j] + 1] = column.missing
        return np.clip(z, -FARTHEST, FARTHEST, out=z)

    def fold(self, parts: Array) -> Array:
        """What columns of the matrix add (rows × columns), by column of the table."""
        folded = np.zeros((len(self.schema), len(parts)))
        np.add.at(folded, self.owner, parts.T)
        return np.ascontiguousarray(folded.T)


def _units(x: Array, weights: Array, standardize: bool) -> tuple[float, float, float]:
    """(unit, center, scale) of a column's cells."""
    if len(x) == 0:
        return 1.0, 0.0, 0.0
    if not standardize:
        return 1.0, 0.0, 1.0
    largest = float(np.abs(x).max())
    unit = 1.0 if largest == 0 else float(np.ldexp(1.0, -int(np.clip(np.frexp(largest)[1], -1000, 1000))))
    y = x * unit
    total = float(weights.sum())
    center = float((weights * y).sum()) / total
    deviation = float(np.sqrt((weights * (y - center) ** 2).sum() / total))
    if deviation <= 1e-12 * max(abs(center), np.finfo(float).tiny):
        return unit, float(y[0]), 1 / (abs(float(y[0])) or 1.0)
    return unit, center, 1 / deviation


def _places(column: Column, weights: Array) -> Array:
    """The column of the matrix for each label, at last for a missing cell: frequent labels one each."""
    k = len(column.categories)
    counts = np.bincount(np.where(column.missing, k, column.values), weights, k + 1)[:k]
    place = np.empty(k + 1, np.int32)
    order = np.argsort(-counts, kind="stable")
    own = min(k, MOST_LABELS)
    place[order] = np.minimum(np.arange(k), own)
    place[k] = int(place[:k].max(initial=-1)) + 1
    return place
