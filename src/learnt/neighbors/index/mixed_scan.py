"""Neighbours in mixed tables: numbers by their range, labels by equality or by a table, missing cells far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.mixed_cells import MixedCells
from learnt.errors import InputError
from learnt.neighbors.index.questions import Index, Lists
from learnt.neighbors.index.rebuilt import Rebuilt


@dataclass(frozen=True, eq=False)
class MixedSettings:
    """A mixed metric with all that it took from rows."""

    ranges: Array
    column_weights: Array
    power: int
    value_tables: dict[str, Array]
    name: str = "mixed"

    @property
    def is_metric(self) -> bool:
        """Whether the distances of labels, and of missing ones at 1 from all, obey the triangle inequality."""
        return all(_obeys(away) for away in self.value_tables.values())

    def distances(self, a: Any, b: Any) -> Array:
        """All distances between the rows of two tables."""
        return ScanIndex(b, self, "").distances(a)


class ScanIndex(Rebuilt, Index):
    """A scan of `MixedCells` that gives rows up early: columns that tell most come first, vectors run across rows.

    With `tree` the blocks of rows are the leaves of a vantage-point tree, of which a question sees only some.
    """

    built = "_scan"

    def __init__(self, table: Any, metric: Any, why: str, tree: bool = False):
        table = table if isinstance(table, Table) else Table(table)
        if table.n_rows == 0 or table.n_columns == 0:
            raise InputError(f"The table is {table.n_rows} × {table.n_columns}. Give at least one row and one column.")
        self.why, self.n_rows, self.schema = why, table.n_rows, table.schema
        self._mixed = MixedCells(table, metric)
        tables = zip(table.names, self._mixed.tables, strict=True)
        self.settings = MixedSettings(
            self._mixed.ranges,
            self._mixed.weights,
            self._mixed.power,
            {name: away for name, away in tables if away is not None},
        )
        self._cells = self._mixed.split(table)
        self._tree = tree
        self._build()

    def _build(self) -> None:
        order = np.argsort(-self._power_to_separate(), kind="stable").astype(np.int64)
        self._scan = self._mixed.scan(self._cells, order, self._tree)
        self.kind = "vp_tree" if self._tree else "scan"

    @property
    def nbytes(self) -> int:
        return int(self._scan.bytes() + sum(cells.nbytes for cells in self._cells))

    def _power_to_separate(self) -> Array:
        """What each column adds to the distance of two rows on average, judged by a few hundred pairs."""
        rng = np.random.default_rng(0)
        a, b = rng.integers(self.n_rows, size=(2, min(512, 4 * self.n_rows)))
        mean, place = np.zeros(len(self.schema)), [0, 0]
        for j, coded in enumerate(self._mixed.coded):
            cells = self._cells[coded][:, place[coded]]
            place[coded] += 1
            if coded:
                d = ((cells[a] != cells[b]) | (cells[a] < 0)).astype(np.float64)
            else:
                far = np.abs(cells[a] - cells[b]) / (self.settings.ranges[j] or 1.0)
                d = np.where(far < 1, far, 1.0)
            mean[j] = self.settings.column_weights[j] * np.mean(d**self.settings.power)
        return mean

    def _encoded(self, X: Any) -> tuple[tuple[Array, Array], int]:
        table = (X if isinstance(X, Table) else Table(X)).matched(self.schema)
        return self._mixed.split(table), table.n_rows

    def _nearest(self, queries: tuple[Array, Array], k: int, skip: Array | None) -> tuple[Array, Array]:
        m = len(queries[0])
        distances, rows = np.empty((m, k)), np.empty((m, k), np.int64)
        self._scan.nearest(*queries, skip, distances, rows)
        return distances, rows

    def _within(self, queries: tuple[Array, Array], radii: Array, skip: Array | None) -> Lists:
        return self._scan.within(*queries, skip, radii)

    def distances(self, X: Any) -> Array:
        """All distances of the rows of X to the rows of the index, straight from the definition."""
        queries, m = self._encoded(X)
        out = np.empty((m, self.n_rows))
        self._scan.distances(*queries, out)
        return out


def _obeys(away: Array) -> bool:
    if away.size == 0:
        return True
    # Through a missing cell, and through a label; of very many labels through some.
    shortest = np.full_like(away, 2.0)
    for middle in range(0, len(away), 1 + len(away) // 300):
        np.minimum(shortest, away[:, middle, None] + away[None, middle, :], out=shortest)
    return bool(np.array_equal(away, away.T) and np.all(away <= shortest * (1 + 1e-12)))
