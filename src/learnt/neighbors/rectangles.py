"""Hyperrectangles over mixed columns: intervals of numbers, sets of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.errors import SavedModelError
from learnt.storable import storable
from learnt.wording import label, number


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
    def none(cls, schema: Schema, capacity: int) -> Rectangles:
        sizes = [len(c.categories) if c.kind in ("nominal", "boolean") else 0 for c in schema]
        shape = (capacity, len(schema))
        return cls(
            np.full(shape, np.inf),
            np.full(shape, -np.inf),
            tuple(np.zeros((capacity, size), dtype=bool) for size in sizes),
            np.full(capacity, -1, np.int32),
            np.ones(capacity),
            np.ones(capacity),
        )

    def first(self, count: int) -> Rectangles:
        """The first ones, as views."""
        sets = tuple(s[:count] for s in self.sets)
        return Rectangles(
            self.low[:count], self.high[:count], sets, self.label[:count], self.tried[:count], self.right[:count]
        )

    def copied(self) -> Rectangles:
        sets = tuple(s.copy() for s in self.sets)
        parts = (self.label, self.tried, self.right)
        return Rectangles(self.low.copy(), self.high.copy(), sets, *(a.copy() for a in parts))

    def grown(self, schema: Schema) -> Rectangles:
        """Room for twice as many."""
        more = Rectangles.none(schema, max(8, 2 * len(self.label)))
        n = len(self.label)
        for name in ("low", "high", "label", "tried", "right"):
            getattr(more, name)[:n] = getattr(self, name)
        for new, old in zip(more.sets, self.sets, strict=True):
            new[:n] = old
        return more

    def contain(self, h: int, cells: Array) -> None:
        """Stretch rectangle h so that a row lies inside; missing cells stretch nothing."""
        there = ~np.isnan(cells)
        self.low[h, there] = np.minimum(self.low[h, there], cells[there])
        self.high[h, there] = np.maximum(self.high[h, there], cells[there])
        for j, members in enumerate(self.sets):
            if members.shape[1] and there[j]:
                members[h, int(cells[j])] = True

    def parts(self, cells: Array, ranges: Array, weights: Array) -> Array:
        """What each column adds to the squared distance of a row from every rectangle, before reliabilities.

        0 inside, else the way to the nearest side as a share of the range; labels 0 or 1; 1 where a cell is missing.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            outside = np.maximum(np.maximum(self.low - cells, cells - self.high), 0.0)
            away = np.where(ranges > 0, np.minimum(outside / ranges, 1.0), (outside > 0).astype(np.float64))
        for j, members in enumerate(self.sets):
            if members.shape[1] and not np.isnan(cells[j]):
                away[:, j] = ~members[:, int(cells[j])]
        away[np.isnan(away)] = 1.0
        squares: Array = weights * away * away
        return squares

    @property
    def reliability(self) -> Array:
        """What distances are multiplied with: 1 for a rectangle that was always right, more for others."""
        return self.tried / self.right

    def size(self, ranges: Array, weights: Array, some: Array) -> Array:
        """The sum of the sides of some, as shares of the ranges: of rectangles around a row the smallest answers."""
        low, high = self.low[some], self.high[some]
        side = np.where(high >= low, high - low, 0.0)
        sides = np.divide(side, ranges, out=np.zeros_like(side), where=ranges > 0)
        for j, members in enumerate(self.sets):
            if members.shape[1]:
                sides[:, j] = np.maximum(members[some].sum(axis=1) - 1, 0) / max(members.shape[1] - 1, 1)
        total: Array = sides @ weights
        return total

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
                found.append(number(low) if low == high else f"{number(low)} to {number(high)}")
        return found

    def check(self, schema: Schema, n_classes: int) -> None:
        """Raise if a file holds rectangles that no table has."""
        n, p = len(self.label), len(schema)
        sizes = [len(c.categories) if c.kind in ("nominal", "boolean") else 0 for c in schema]
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
