"""A table as 16-bit codes, column by column: all that a forest is grown from, at two bytes a cell."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from learnt import _core
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Array, Column, Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.statistics.sample import HashedSample, hash_rows

#: Codes a column may have: 255 coarse bins of 256, and one more for missing cells.
MOST_CODES = 255 * 256

#: Cells that a sample of rows holds, and the most and fewest rows of it. Tables of no more rows are coded exactly.
SAMPLE_CELLS, MOST_ROWS, FEWEST_ROWS = 1 << 25, 1 << 18, 1 << 14

_SEED = 20  # of the sample: the same for all forests, so that codes depend on nothing but the rows


def sample_rows(n_columns: int) -> int:
    """How many rows the sample of a table holds."""
    return int(np.clip(SAMPLE_CELLS // max(n_columns, 1), FEWEST_ROWS, MOST_ROWS))


@dataclass(frozen=True)
class TableSample(Statistic):
    """A sample of the rows: the cells of each column whose cells become codes by their size, None for the others.

    `counts` are how often each category occurs in a column that has more of them than there are codes, empty for other
    columns; `ends` are the least and largest number of all rows.

    Beside the sketch of boosting (`statistics/sketch.py`), because codes rest on something else: 65,280 of them need up
    to twice as many rows, each counted once whatever it weighs, and no list of a column's few distinct numbers; rows
    of weight 0 are left out; the seed is another. One sketch for both would change the trees of one of them.
    """

    rows: int
    sample: HashedSample
    counts: tuple[Array, ...]
    ends: Array

    def _merge(self, other: Self) -> Self:
        more = list(zip(self.counts, other.counts, strict=True))
        return replace(
            self,
            rows=self.rows + other.rows,
            sample=self.sample + other.sample,
            counts=tuple(a + b for a, b in more),
            ends=np.stack([np.fmin(self.ends[0], other.ends[0]), np.fmax(self.ends[1], other.ends[1])]),
        )


class TakeSample(Pass):
    """The sample of a table; rows of weight 0 are none."""

    def __init__(self, limit: int):
        self.limit = limit

    def summarize(self, batch: Batch) -> TableSample:
        table, keys = batch.table, hash_rows(_SEED, batch.first_row, batch.n_rows)
        if batch.weights is not None and not batch.weights.all():
            counts = batch.weights > 0
            table, keys = table.take(counts), keys[counts]
        columns = table.columns
        cells = tuple(_numbers(c) if _is_number(c) else None for c in columns)
        counted = tuple(
            _category_counts(c) if c.kind == "nominal" and _too_many(c) else np.empty(0, np.int64) for c in columns
        )
        ends = np.array([(np.nan, np.nan) if c is None else _ends(c) for c in cells]).reshape(-1, 2).T
        return TableSample(len(keys), HashedSample.of(self.limit, keys, *cells), counted, ends)


def _too_many(column: Column | ColumnSchema) -> bool:
    return len(column.categories) > MOST_CODES


def _is_number(column: Column | ColumnSchema) -> bool:
    """Whether cells become codes by their size: numbers, and ordinal ones that have more categories than codes."""
    return column.kind == "numeric" or (column.kind == "ordinal" and _too_many(column))


def _numbers(column: Column) -> Array:
    if column.kind == "numeric":
        return column.values
    numbers: Array = np.where(column.values < 0, np.nan, column.values)
    return numbers


def _ends(cells: Array) -> tuple[float, float]:
    """Least and largest cell; NaN if there is none."""
    return float(np.fmin.reduce(cells, initial=np.nan)), float(np.fmax.reduce(cells, initial=np.nan))


def _category_counts(column: Column) -> Array:
    return np.bincount(column.values[column.values >= 0], minlength=len(column.categories))


@dataclass(frozen=True)
class Coding:
    """How the cells of each column become codes, and codes thresholds.

    `bounds[j]` are, where `ranges[j]` says so, the ends of the ranges that codes stand for, one more than there are
    codes, and otherwise the numbers themselves; none for nominal columns. `kept[j]` are the categories that have a
    code in a nominal column of too many: the most frequent ones. The others count as missing.
    """

    n_codes: Array
    shift: Array
    lost: Array
    nominal: Array
    ranges: Array
    bounds: tuple[Array, ...]
    kept: tuple[Array | None, ...]

    @classmethod
    def of(cls, found: TableSample, schema: Schema) -> Coding:
        """The coding of the columns of `schema`."""
        sample, ranges = found.sample, np.zeros(len(schema), dtype=np.uint8)
        bounds: list[Array] = [np.empty(0)] * len(schema)
        places = [j for j, column in enumerate(schema) if _is_number(column)]
        with ThreadPoolExecutor(_core.get_threads()) as pool:  # sorting takes the time
            made = pool.map(lambda j: _bounds(sample.taken[j], sample.complete, found.ends[:, j]), places)
            for j, (ends, ranged) in zip(places, made, strict=True):
                bounds[j], ranges[j] = ends, ranged
        nominal = np.array([c.kind in ("nominal", "boolean") for c in schema], dtype=bool)
        n_codes = np.array([min(len(c.categories), MOST_CODES) for c in schema], dtype=np.int32)
        for j, column in enumerate(schema):
            if _is_number(column):
                n_codes[j] = max(len(bounds[j]) - int(ranges[j]), 0)
            elif not nominal[j]:
                bounds[j] = np.arange(n_codes[j], dtype=np.float64)
        last = np.maximum(n_codes, 1) - 1
        shift = np.array([max(0, int(code).bit_length() - 8) for code in last], dtype=np.int32)
        shift += (last >> shift) + 1 > 255  # missing cells need the last bin
        lost = np.where(nominal | (n_codes == 0), n_codes, ((last >> shift) + 1) << shift).astype(np.int32)
        kept = tuple(_frequent(counts) if len(counts) else None for counts in found.counts)
        return cls(n_codes, shift, lost, nominal.view(np.uint8), ranges, tuple(bounds), kept)

    def codes(self, table: Table) -> Array:
        """The codes of a table's cells, uint16, columns × rows."""
        out = np.empty((table.n_columns, table.n_rows), dtype=np.uint16)
        for j, column in enumerate(table.columns):
            if _is_number(column):
                self._encode_numbers(j, _numbers(column), out[j])
                continue
            codes = column.values
            if (kept := self.kept[j]) is not None:
                renamed = np.full(len(column.categories) + 1, -1, dtype=np.int32)  # the last for missing cells
                renamed[kept] = np.arange(len(kept), dtype=np.int32)
                codes = renamed[codes]
            out[j] = np.where(codes < 0, self.lost[j], codes)
        return out

    def _encode_numbers(self, j: int, cells: Array, out: Array) -> None:
        """By the upper ends of all codes but the last."""
        ends = self.bounds[j][1:-1] if self.ranges[j] else self.bounds[j][:-1]
        if cells.dtype == np.float32:
            single = ends.astype(np.float32)
            high = single > ends  # rounded up: cells between would change sides
            single[high] = np.nextafter(single[high], np.float32(-np.inf))
            ends = single
        _core.encode_for_forest(cells, ends, int(self.lost[j]), out)

    def arguments(self) -> dict[str, Any]:
        """What the grower takes of it."""
        starts = np.cumsum([0, *(len(b) for b in self.bounds)], dtype=np.int64)
        flat = np.concatenate([*self.bounds, np.empty(0)])
        names = ("n_codes", "shift", "lost", "nominal", "ranges")
        return {name: getattr(self, name) for name in names} | {"bounds": flat, "bound_start": starts}


def _bounds(cells: Array, complete: bool, ends: Array) -> tuple[Array, bool]:
    """The numbers of a column; if there are too many, or some may be unknown, ranges of about as many cells each."""
    cells = np.sort(cells)
    cells = cells[: np.searchsorted(cells, np.nan)].astype(np.float64, copy=False)
    new = np.flatnonzero(cells[1:] != cells[:-1])  # the last place of every number but the largest
    if len(cells) == 0:
        return np.empty(0), False
    if complete and len(new) < MOST_CODES:
        return np.append(cells[new], cells[-1]), False
    if len(new) >= MOST_CODES:  # the last of the numbers that end in the same part of the cells
        part = (new + 1) * (MOST_CODES - 1) // len(cells)
        new = new[np.flatnonzero(np.append(part[1:] != part[:-1], part[-1] < MOST_CODES - 1))]
    low, high = cells[new], cells[new + 1]
    middle = low / 2 + high / 2
    between = np.where((middle >= low) & (middle < high), middle, low)
    return np.concatenate([ends[:1], between, ends[1:]]), True


def _frequent(counts: Array) -> Array:
    """The categories that keep a code, by rising number."""
    return np.sort(np.argsort(-counts, kind="stable")[:MOST_CODES]).astype(np.int32)
