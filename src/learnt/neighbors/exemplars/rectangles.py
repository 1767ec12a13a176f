"""Hyperrectangles over mixed columns: intervals of numbers, sets of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.data.value_text import value_text
from learnt.errors import SavedModelError
from learnt.show.words import label
from learnt.storable import storable


@storable
@dataclass(frozen=True, eq=False)
class Rectangles:
    """One rectangle a row: `low` and `high` of each column (+∞ and −∞: none yet), and the labels of coded ones.

    `sets` holds for each column rectangles × categories, or rectangles × 0 where the column is ordered. `tried` counts
    how often a rectangle was the nearest one, `right` how often it was of the right class, both from 1 on.
    """

    low: Array
    high: Array
    sets: tuple[Array, ...]
    label: Array
    tried: Array
    right: Array

    @classmethod
    def read(cls, kept: _core.RectangleRows, schema: Schema) -> Rectangles:
        """Those that have grown, out of the kernel that lets them grow."""
        n, p, sizes = len(kept), len(schema), label_counts(schema)
        low, high, sets = np.empty((n, p)), np.empty((n, p)), np.empty((n, int(sizes.sum())), np.uint8)
        label, tried, right = np.empty(n, np.int32), np.empty(n), np.empty(n)
        kept.read(low, high, sets, label, tried, right)
        cuts = np.cumsum(sizes)[:-1]
        return cls(low, high, tuple(s.astype(bool) for s in np.split(sets, cuts, axis=1)), label, tried, right)

    def write(self, kept: _core.RectangleRows) -> None:
        """Hand them to the kernel that measures distances."""
        sets = np.ascontiguousarray(np.concatenate(self.sets, axis=1), dtype=np.uint8)
        arrays = (self.low, self.high, sets, self.label, self.tried, self.right)
        kept.write(*(np.ascontiguousarray(a) for a in arrays))

    def parts(self, h: int, cells: Array, ranges: Array, weights: Array) -> Array:
        """What each column adds to the squared distance of a row from rectangle h, before its reliability.

        0 inside, else the way to the nearest side as a share of the range; labels 0 or 1; 1 where a cell is missing.
        """
        outside = np.maximum(np.maximum(self.low[h] - cells, cells - self.high[h]), 0.0)
        share = np.divide(outside, ranges, out=(outside > 0).astype(np.float64), where=ranges > 0)
        away = np.where(np.isnan(cells), 1.0, np.minimum(share, 1.0))
        for j, members in enumerate(self.sets):
            if members.shape[1] and not np.isnan(cells[j]):
                away[j] = not members[h, int(cells[j])]
        squares: Array = weights * away * away
        return squares

    @property
    def reliability(self) -> Array:
        """What distances are multiplied with: 1 for a rectangle that was always right, more for others."""
        return self.tried / self.right

    def words(self, h: int, schema: Schema, weights: Array) -> list[str]:
        """Rectangle h as conditions, an empty text for a column that asks for nothing."""
        found = []
        for j, column in enumerate(schema):
            low, high, members = self.low[h, j], self.high[h, j], self.sets[j]
            if weights[j] == 0 or not low <= high:
                found.append("")
            elif members.shape[1]:
                names = [label(column.categories[c]) for c in np.flatnonzero(members[h])]
                found.append("" if len(names) == members.shape[1] else " or ".join(names))
            elif column.kind == "ordinal":
                ends = [label(column.categories[int(e)]) for e in (low, high)]
                found.append(ends[0] if low == high else f"{ends[0]} to {ends[1]}")
            else:
                ends = [value_text(column.form, float(e)) for e in (low, high)]
                found.append(ends[0] if low == high else f"{ends[0]} to {ends[1]}")
        return found

    def check(self, schema: Schema, n_classes: int) -> None:
        """Raise if a file holds rectangles that no table has."""
        n, p, sizes = len(self.label), len(schema), label_counts(schema).tolist()
        right = n > 0 and all(a.shape == (n, p) and a.dtype == np.float64 for a in (self.low, self.high))
        right = right and [s.shape for s in self.sets] == [(n, size) for size in sizes]
        right = right and all(s.dtype == np.bool_ for s in self.sets) and self.label.dtype == np.int32
        right = right and self.tried.shape == self.right.shape == self.label.shape == (n,)
        if not right or np.isnan(self.low).any() or np.isnan(self.high).any():
            raise SavedModelError("The rectangles do not fit the columns.")
        if self.label.min() < 0 or self.label.max() >= n_classes:
            raise SavedModelError("The rectangles are of classes that are not there.")
        if not (np.all(self.right >= 1) and np.all(self.tried >= self.right) and np.isfinite(self.tried).all()):
            raise SavedModelError("The records of the rectangles make no sense.")
        for j, column in enumerate(schema):  # ends of ordered labels are asked for their names
            there = self.low[:, j] <= self.high[:, j]
            ends = np.concatenate([self.low[there, j], self.high[there, j]])
            if column.kind == "ordinal" and len(ends) and not (0 <= ends.min() <= ends.max() < len(column.categories)):
                raise SavedModelError(f"A rectangle ends beyond the labels of column {column.name[:80]!r}.")


def label_counts(schema: Schema) -> Array:
    """How many labels a column has whose rectangles are sets; 0 of ordered ones."""
    return np.array([len(c.categories) if c.kind in ("nominal", "boolean") else 0 for c in schema], dtype=np.int64)
