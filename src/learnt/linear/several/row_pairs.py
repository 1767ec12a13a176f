"""Pairs of rows of one query, the better one first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.errors import InputError

#: More pairs than this are refused: their places alone would take a gigabyte.
MOST = 1 << 26


@dataclass(frozen=True)
class Pairs:
    """Places of the better and the worse row of each pair, and how much the pair counts."""

    better: Array
    worse: Array
    weights: Array

    def __len__(self) -> int:
        return len(self.better)


def pairs_of(relevance: Array, queries: Array, weights: Array | None) -> Pairs:
    """All pairs of rows of one query that differ in relevance. A pair counts as often as copies of its rows would
    make it: by the product of their weights; rows without weight make none."""
    there = np.arange(len(relevance)) if weights is None else np.flatnonzero(weights)
    order = there[np.lexsort((relevance[there], queries[there]))]
    level = _runs(queries[order], relevance[order])
    query_starts = _starts(queries[order])
    # Within a query rows stand by rising relevance: a row is better than all from the query's first to its level's.
    first = query_starts[np.cumsum(np.isin(np.arange(len(order)), query_starts)) - 1] if len(order) else query_starts
    counts = level - first
    total = int(counts.sum())
    if total > MOST:
        raise InputError(
            f"The rows make {total:,} pairs within queries. Expected at most {MOST:,}. Give groups= of fewer rows "
            "each, or a part of the rows."
        )
    better = np.repeat(np.arange(len(order)), counts)
    offset = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    worse = np.repeat(first, counts) + offset
    better, worse = order[better], order[worse]
    return Pairs(better, worse, np.ones(total) if weights is None else weights[better] * weights[worse])


def _starts(values: Array) -> Array:
    """Where each run of equal values begins."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1])) if len(values) else np.zeros(0, np.intp)


def _runs(queries: Array, relevance: Array) -> Array:
    """For each row the place where the run of its query and relevance begins."""
    if not len(queries):
        return np.zeros(0, np.intp)
    new = np.append(True, (queries[1:] != queries[:-1]) | (relevance[1:] != relevance[:-1]))
    begins: Array = np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))
    return begins


def query_codes(groups: Any, n_rows: int) -> Array:
    """A number per row, the same for rows of one query; None puts all rows into one."""
    from learnt.data.convert import to_vector

    if groups is None:
        return np.zeros(n_rows, np.int64)
    column = groups if isinstance(groups, Column) else to_vector(groups, "groups")
    if len(column) != n_rows:
        raise InputError(f"X has {n_rows} rows, groups has {len(column)}. Give the query of every row.")
    missing = np.flatnonzero(column.missing)
    if len(missing):
        raise InputError(f"The query of row {int(missing[0])} is missing. Expected one for every row.")
    codes: Array = np.unique(column.values, return_inverse=True)[1].ravel()
    return codes


def with_ranks(table: Table, y: Any) -> tuple[Table, Any]:
    """Features and target, where ordered labels have become their ranks; other targets stay as they are."""
    from learnt.data.convert import to_vector

    name = table.target if y is None else y
    if isinstance(name, str):
        if name in table and table[name].kind == "ordinal":
            return table.drop(name), _ranks(table[name])
        return table, y
    column = to_vector(y, "y") if not isinstance(y, np.ndarray) and np.ndim(y) == 1 else y
    return table, _ranks(column) if isinstance(column, Column) and column.kind == "ordinal" else y


def _ranks(column: Column) -> Array:
    return np.where(column.missing, np.nan, column.values)
