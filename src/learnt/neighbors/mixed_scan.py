"""Neighbours in mixed tables: numbers by their range, labels by equality or by a table, missing cells far."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.schema import ColumnSchema
from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.neighbors.questions import Index, Lists


class ScanIndex(Index):
    """A scan that gives rows up early: columns that tell most come first, and vectors run across rows.

        distance = Σ_j w_j d_j,  or  sqrt(Σ_j w_j d_j²) with power 2
        d = min(|a − b| / range, 1) of numbers,  0 or 1 of labels (or a table's entry),  1 where a cell is missing

    Each d is a truncated metric and a missing cell is as far from all as can be, so the triangle
    inequality holds; only a row with missing cells is not at distance 0 from itself.
    """

    kind = "scan"

    def __init__(self, table: Any, metric: Any, why: str):
        table = table if isinstance(table, Table) else Table(table)
        if table.n_rows == 0 or table.n_columns == 0:
            raise InputError(f"The table is {table.n_rows} × {table.n_columns}. Give at least one row and one column.")
        self.why, self.n_rows, self.schema = why, table.n_rows, table.schema
        self.ranges = _ranges(table, getattr(metric, "ranges", None))
        weights = getattr(metric, "column_weights", None)
        self.weights = _each_column("column weights", np.ones(len(self.schema)) if weights is None else weights, table)
        self.power = int(getattr(metric, "power", None) or 1)
        if self.power not in (1, 2):
            raise ParameterError(f"The power of the mixed metric is {self.power}. Expected 1 or 2.")
        tables = getattr(metric, "value_tables", None) or {}
        self.tables = [_entries(c, tables.get(c.name)) for c in self.schema]
        # A coded column that has a range is ordered: its codes are numbers.
        self._coded = np.array([c.coded and not self.ranges[j] > 0 for j, c in enumerate(self.schema)], dtype=np.uint8)
        self._cells = self._split(table)
        self._build()

    def _build(self) -> None:
        order = np.argsort(-self._power_to_separate(), kind="stable").astype(np.int64)
        ranges = np.where(self._coded, 0.0, self.ranges)
        self._scan = _core.MixedScan(*self._cells, self._coded, self.weights, ranges, self.tables, order, self.power)

    @property
    def nbytes(self) -> int:
        return int(self._scan.bytes() + sum(cells.nbytes for cells in self._cells))

    def _split(self, table: Table) -> tuple[Array, Array]:
        """Numbers and codes apart, row by row."""
        numbers = np.empty((table.n_rows, int(np.sum(self._coded == 0))))
        codes = np.empty((table.n_rows, int(np.sum(self._coded))), np.int32)
        place = [0, 0]
        for column, coded in zip(table.columns, self._coded, strict=True):
            at = place[coded]
            place[coded] += 1
            if coded:
                codes[:, at] = column.values
            else:
                numbers[:, at] = np.where(column.missing, np.nan, column.values)
                infinite = np.isinf(numbers[:, at])
                if infinite.any():
                    raise InputError(
                        f"Row {int(np.flatnonzero(infinite)[0])} is infinite in column {column.name!r}. "
                        "Expected a number or a missing cell."
                    )
        return numbers, codes

    def _power_to_separate(self) -> Array:
        """What each column adds to the distance of two rows on average, judged by a few hundred pairs."""
        rng = np.random.default_rng(0)
        a, b = rng.integers(self.n_rows, size=(2, min(512, 4 * self.n_rows)))
        mean, place = np.zeros(len(self.schema)), [0, 0]
        for j, coded in enumerate(self._coded):
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
        return self._split(table), table.n_rows

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


def _each_column(what: str, values: Any, table: Table) -> Array:
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    # Ranges may be any size; the scan's sums of weights are float32.
    most = 1e30 if what == "column weights" else np.finfo(np.float64).max
    if numbers.shape != (table.n_columns,) or not np.all((numbers >= 0) & (numbers <= most)):
        raise ParameterError(
            f"The {what} are {numbers!r}. Expected {table.n_columns} numbers from 0 to {most:g}, one for each column."
        )
    return numbers


def _ranges(table: Table, given: Any) -> Array:
    """Largest minus smallest of numbers, levels less one of ordered labels, 0 of the others."""
    if given is not None:
        return _each_column("ranges", given, table)
    ranges = np.zeros(table.n_columns)
    for j, column in enumerate(table.columns):
        if column.kind == "ordinal":
            ranges[j] = max(0, len(column.categories) - 1)
        elif column.kind == "numeric":
            there = column.values[np.isfinite(column.values)]
            ranges[j] = float(there.max()) - float(there.min()) if len(there) else 0.0
    if not np.all(np.isfinite(ranges)):
        worst = table.names[int(np.flatnonzero(~np.isfinite(ranges))[0])]
        raise InputError(f"The range of column {worst!r} is not finite. Divide the column by a large number.")
    return ranges


def _entries(column: ColumnSchema, entries: Any) -> Array | None:
    if entries is None:
        return None
    square, size = np.ascontiguousarray(entries, dtype=np.float64), len(column.categories)
    if square.shape != (size, size) or not np.all((square >= 0) & (square <= 1e30)):
        raise ParameterError(
            f"The value distances of column {column.name!r} have the shape {square.shape}. "
            f"Expected {size} × {size} finite numbers of at least 0, one for each pair of its categories."
        )
    return square
