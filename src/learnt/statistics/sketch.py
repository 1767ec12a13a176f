"""A sketch of a table's columns: where their values lie, by weight, from one look at rows that need not fit in memory.

Boosting cuts its bins by it. A forest has a sample of its own (`ensemble/forest/codes.py`): its codes are finer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.statistics.counts import weigh_codes
from learnt.statistics.sample import HashedSample, hash_rows, smallest_keys

SAMPLE = 1 << 17  # rows that are kept; fewer than these are all looked at
MOST_VALUES = 256  # distinct numbers of a column that are kept
_SEED = 0x62696E73  # one for all, so that the sketch of a table does not depend on a learner's seed


@dataclass(frozen=True)
class Sketch(Statistic):
    """What quantiles of all columns are read off: of numbers a sample of rows and, while they are few, all distinct
    values; of categories the weight of each.

    Of the sample it keeps the numbers, sample × numeric columns, and the weights.
    """

    rows: int
    schema: Schema
    sample: HashedSample
    many: Array  # by numeric column: whether it has more distinct values than are kept
    distinct: tuple[Array, ...]  # by numeric column, if few: rising values and their weights, side by side
    categories: tuple[Array, ...]  # by coded column: the weight of each

    @property
    def exact(self) -> bool:
        return len(self.sample.taken) < 2 or self.sample.taken[1] is None  # weights are rounded, counts are not

    def _merge(self, other: Sketch) -> Sketch:
        distinct = [_joined(a, b) for a, b in zip(self.distinct, other.distinct, strict=True)]
        many = self.many | other.many | np.array([len(d) > MOST_VALUES for d in distinct], bool)
        return Sketch(
            self.rows + other.rows,
            self.schema,
            self.sample + other.sample,
            many,
            tuple(d[:0] if m else d for m, d in zip(many, distinct, strict=True)),
            tuple(a + b for a, b in zip(self.categories, other.categories, strict=True)),
        )


class TakeSketch(Pass):
    """The sketch of all rows."""

    def summarize(self, batch: Batch) -> Sketch:
        return sketch(batch.table, batch.weights, batch.first_row)


def sketch(table: Table, weights: Array | None = None, first_row: int = 0) -> Sketch:
    """The sketch of a table, or of a batch of one."""
    hashes = hash_rows(_SEED, first_row, table.n_rows)
    sampled = _within_reach(hashes, first_row + table.n_rows)
    columns = [c for c in table.columns if c.kind == "numeric"]
    if table.matrix is not None:
        numbers = table.matrix[sampled]
    else:
        dtype = np.result_type(np.float32, *(c.values.dtype for c in columns))
        numbers = np.empty((len(hashes[sampled]), len(columns)), dtype)
        for j, column in enumerate(columns):
            numbers[:, j] = column.values[sampled]
    w = None if weights is None else np.ascontiguousarray(weights, np.float64)
    many, distinct = np.zeros(len(columns), bool), []
    for j, column in enumerate(columns):
        values, heavy, many[j] = _core.distinct_numbers(column.values, w, MOST_VALUES)
        rising = np.argsort(values)
        distinct.append(np.column_stack([values, heavy])[rising[:0] if many[j] else rising])
    coded = (c for c in table.columns if c.kind != "numeric")
    categories = tuple(weigh_codes(c.values, len(c.categories), w) for c in coded)
    taken = numbers, None if w is None else w[sampled]
    return Sketch(
        table.n_rows,
        table.schema,
        HashedSample.of(SAMPLE, hashes[sampled], *taken, rows=table.n_rows),
        many,
        tuple(distinct),
        categories,
    )


def _within_reach(hashes: Array, n_rows: int) -> Any:
    """Which rows may be among the sample, there being so many up to the last of them: keys are evenly spread, so that
    of all rows the sample ends near its share of them. It is next to impossible (10 deviations) that it ends later.

    Rows of a stream are copied several times on their way into a sample, most of them for nothing.
    """
    if n_rows <= SAMPLE:
        return slice(None)
    reach = (SAMPLE + 10 * SAMPLE**0.5) / n_rows
    near = np.flatnonzero(hashes < reach)
    return near if len(near) <= SAMPLE else near[smallest_keys(hashes[near], SAMPLE)]


def _joined(a: Array, b: Array) -> Array:
    both = np.concatenate([a, b])
    values, place = np.unique(both[:, 0], return_inverse=True)
    return np.column_stack([values, np.bincount(place, both[:, 1], len(values))])
