"""Which rows can reach a place in a tree: for each column the cells that the tests above have left."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array
from learnt.tree import TreeArrays


@dataclass(frozen=True)
class Cells:
    """Cells of one column: numbers in (low, high], or the codes that are True; and whether one may be missing."""

    low: float
    high: float
    codes: Array | None  # None for numbers
    missing: bool

    @classmethod
    def every(cls, column: ColumnSchema, missing: bool) -> Cells:
        codes = np.ones(len(column.categories), dtype=bool) if column.coded else None
        return cls(-math.inf, math.inf, codes, missing)

    @property
    def is_empty(self) -> bool:
        known = self.low < self.high if self.codes is None else bool(self.codes.any())
        return not known and not self.missing


@dataclass(frozen=True)
class Region:
    """The cells left of every column."""

    cells: tuple[Cells, ...]

    @classmethod
    def whole(cls, schema: Schema, missing: bool = True) -> Region:
        """All rows there could be, those with `missing` cells among them or not."""
        return cls(tuple(Cells.every(column, missing) for column in schema))

    def branches(self, tree: TreeArrays, node: int, column: int) -> list[Region | None]:
        """What is left of it behind each branch of a test of this column; None where no row can go."""
        here = self.cells[column]
        found: list[Region | None] = []
        for child in range(int(tree.n_children[node])):
            cells = _behind(here, tree, node, child)
            rest = (*self.cells[:column], cells, *self.cells[column + 1 :])
            found.append(None if cells.is_empty else Region(rest))
        return found


def _behind(cells: Cells, tree: TreeArrays, node: int, child: int) -> Cells:
    missing = cells.missing and int(tree.missing[node]) == child
    threshold = float(tree.threshold[node])
    if cells.codes is None:
        if child == 0:
            return replace(cells, high=min(cells.high, threshold), missing=missing)
        return replace(cells, low=max(cells.low, threshold), missing=missing)
    n = len(cells.codes)
    if tree.route_start[node] < 0:
        goes = (np.arange(n) > threshold).astype(np.int64)
    else:
        goes = tree.routes_of(node, n)
        goes = np.where(goes < 0, tree.missing[node], goes)
    return replace(cells, codes=cells.codes & (goes == child), missing=missing)
