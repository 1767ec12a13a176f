"""Neighbours in mixed tables: numbers by their range, labels by equality or by a table, missing cells far."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.mixed_cells import MixedCells
from learnt.errors import InputError
from learnt.neighbors.questions import Index, Lists


class ScanIndex(Index):
    """A scan of `MixedCells` that gives rows up early: columns that tell most come first, vectors run across rows."""

    kind = "scan"

    def __init__(self, table: Any, metric: Any, why: str):
        table = table if isinstance(table, Table) else Table(table)
        if table.n_rows == 0 or table.n_columns == 0:
            raise InputError(f"The table is {table.n_rows} × {table.n_columns}. Give at least one row and one column.")
        self.why, self.n_rows, self.schema = why, table.n_rows, table.schema
        self._mixed = MixedCells(table, metric)
        self.ranges, self.weights, self.power, self.tables = (
            self._mixed.ranges,
            self._mixed.weights,
            self._mixed.power,
            self._mixed.tables,
        )
        self._cells = self._mixed.split(table)
        self._build()

    def _build(self) -> None:
        order = np.argsort(-self._power_to_separate(), kind="stable").astype(np.int64)
        self._scan = self._mixed.scan(self._cells, order)

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
                far = np.abs(cells[a] - cells[b]) / (self.ranges[j] or 1.0)
                d = np.where(far < 1, far, 1.0)
            mean[j] = self.weights[j] * np.mean(d**self.power)
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

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_scan"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._build()
