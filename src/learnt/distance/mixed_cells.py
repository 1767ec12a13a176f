"""Mixed tables as the kernels read them: numbers by their range, labels by equality or a table, missing cells far."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.show.words import spell

Cells = tuple[Array, Array]


class MixedCells:
    """The mixed metric for tables of one schema.

        distance = Σ_j w_j d_j,  or  sqrt(Σ_j w_j d_j²) with power 2
        d = min(|a − b| / range, 1) of numbers,  0 or 1 of labels (or a table's entry),  1 where a cell is missing

    Each d is a truncated metric and a missing cell is as far from all as can be, so the triangle
    inequality holds; only a row with missing cells is not at distance 0 from itself.
    """

    def __init__(self, table: Table, metric: Any):
        self.schema: Schema = table.schema
        self.ranges = _ranges(table, getattr(metric, "ranges", None))
        weights = getattr(metric, "column_weights", None)
        self.weights = _each_column("column weights", np.ones(len(self.schema)) if weights is None else weights, table)
        self.power = int(getattr(metric, "power", None) or 1)
        if self.power not in (1, 2):
            raise ParameterError(f"The power of the mixed metric is {self.power}. Expected 1 or 2.")
        tables = getattr(metric, "value_tables", None) or {}
        self.tables = [_entries(c, tables.get(c.name)) for c in self.schema]
        # A coded column that has a range is ordered: its codes are numbers.
        self.coded = np.array([c.coded and not self.ranges[j] > 0 for j, c in enumerate(self.schema)], dtype=np.uint8)

    def split(self, table: Table) -> Cells:
        """Numbers and codes apart, row by row."""
        numbers = np.empty((table.n_rows, int(np.sum(self.coded == 0))))
        codes = np.empty((table.n_rows, int(np.sum(self.coded))), np.int32)
        place = [0, 0]
        for column, coded in zip(table.columns, self.coded, strict=True):
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

    def scan(self, cells: Cells, order: Array | None = None, tree: bool = False) -> _core.MixedScan:
        """The kernel over these rows; `order` is that in which columns are looked at. It borrows the cells."""
        ranges = np.where(self.coded, 0.0, self.ranges)
        looked = np.arange(len(self.schema)) if order is None else order
        return _core.MixedScan(*cells, self.coded, self.weights, ranges, self.tables, looked, self.power, tree)

    def distances(self, a: Cells, b: Cells) -> Array:
        """All distances between rows of `split`."""
        out = np.empty((len(a[0]), len(b[0])))
        if out.size:
            self.scan(b).distances(*a, out)
        return out


def _each_column(what: str, values: Any, table: Table) -> Array:
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    # Ranges may be any size; the scan's sums of weights are float32.
    most = 1e30 if what == "column weights" else np.finfo(np.float64).max
    if numbers.shape != (table.n_columns,) or not np.all((numbers >= 0) & (numbers <= most)):
        raise ParameterError(
            f"The {what} are {spell(numbers)}. Expected {table.n_columns} numbers from 0 to {most:g}, one for each "
            "column."
        )
    return numbers


def _ranges(table: Table, given: Any) -> Array:
    """Largest minus smallest of numbers, levels less one of ordered labels, 0 of the others.

    Given ones so small that cells are beyond all numbers in their units are 0: different cells are 1 apart then, too.
    """
    if given is None:
        return column_ranges(table)
    ranges = _each_column("ranges", given, table)
    for j, column in enumerate(table.columns):
        if 0 < ranges[j] < 1e-290 and column.kind == "numeric":
            there = column.values[np.isfinite(column.values)]
            if np.abs(there).max(initial=0.0) > 1e300 * ranges[j]:
                ranges = np.where(np.arange(len(ranges)) == j, 0.0, ranges)
    return ranges


def column_ranges(table: Table) -> Array:
    """Largest minus smallest of numbers, levels less one of ordered labels, 0 of the others."""
    ranges = np.zeros(table.n_columns)
    for j, column in enumerate(table.columns):
        if column.kind == "ordinal":
            ranges[j] = max(0, len(column.categories) - 1)
        elif column.kind == "numeric":
            there = column.values[np.isfinite(column.values)]
            ranges[j] = float(there.max()) - float(there.min()) if len(there) else 0.0
    if not np.all(np.isfinite(ranges)):
        worst = table.names[int(np.flatnonzero(~np.isfinite(ranges))[0])]
        raise InputError(f"The range of column {spell(worst)} is not finite. Divide the column by a large number.")
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
