"""Rows with gaps beside complete rows of numbers, under a metric that needs all cells: as new rows come to clusters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.metric import Metric
from learnt.distance.mixed_cells import column_ranges
from learnt.distance.space import space_of

Lists = tuple[Array, Array, Array]


def distances_with_gaps(metric: Metric, a: Table, b: Table) -> Array:
    """All distances between rows of `a`, which may have gaps, and complete rows `b`.

    A missing cell is as far from all as the column of `b` is wide, which is what the mixed metric says of one: it
    leaves open which row is nearest, and a row of nothing but gaps is near none.
    """
    gone = gaps_of(metric, a)
    if gone is None or gaps_of(metric, b) is not None:
        return metric.distances(a, b)
    found, widths = np.empty((a.n_rows, b.n_rows)), column_ranges(b)
    patterns, which = np.unique(gone, axis=0, return_inverse=True)
    for k, lost in enumerate(patterns):
        rows = np.flatnonzero(which.reshape(-1) == k)
        found[rows] = _one_pattern(metric, a.take(rows), b, lost, widths)
    return found


def gaps_of(metric: Any, table: Table) -> Array | None:
    """Rows × columns: which cells are missing; None where none is, or where the metric has no parts for columns."""
    space = space_of(metric) if isinstance(metric, Metric) else None
    if space is None or space.turn is not None or space.name == "cosine" or table.sparse is not None:
        return None
    gone = np.column_stack([column.missing for column in table.columns])
    return gone if gone.any() else None


def _one_pattern(metric: Metric, a: Table, b: Table, lost: Array, widths: Array) -> Array:
    there = [name for name, gone in zip(a.names, lost, strict=True) if not gone]
    space = space_of(metric)
    assert space is not None
    weights = np.ones(len(lost)) if metric.column_weights is None else metric.column_weights
    near = np.zeros((a.n_rows, b.n_rows))
    if there:
        own = None if metric.column_weights is None else weights[~lost]
        near = replace(metric, column_weights=own).distances(a.select(there), b.select(list(_same(a, b, there))))
    if space.norm == "max":
        return np.maximum(near, float(np.max(widths[lost] * weights[lost], initial=0.0)))
    if space.norm == "hamming":  # a share of the columns
        return np.asarray((near * weights[~lost].sum() + weights[lost].sum()) / weights.sum())
    power = {"l1": 1.0, "l2": 2.0}.get(space.norm, space.power)
    unit = float(widths[lost].max(initial=0.0)) or 1.0  # in which no power overflows
    far = unit * float(np.sum(weights[lost] * (widths[lost] / unit) ** power)) ** (1 / power)
    if power == 2:
        return np.asarray(np.hypot(near, far))
    longer = np.maximum(np.maximum(near, far), np.finfo(np.float64).tiny)
    return np.asarray(longer * ((near / longer) ** power + (far / longer) ** power) ** (1 / power))


def _same(a: Table, b: Table, names: list[str]) -> Any:
    """The names of the same columns in the other table, whose names may be made up."""
    places = {name: j for j, name in enumerate(a.names)}
    return (b.names[places[name]] for name in names)


class GappedIndex:
    """An index of complete rows that also answers rows with gaps, by all distances."""

    def __init__(self, index: Any, metric: Metric, rows: Table):
        self.index, self.metric, self.rows = index, metric, rows

    def query(self, table: Table, k: int, skip: Any = None) -> tuple[Array, Array]:
        gappy = self._gappy(table)
        if len(gappy) == 0:
            found: tuple[Array, Array] = self.index.query(table, k, skip)
            return found
        away, rows = np.empty((table.n_rows, k)), np.empty((table.n_rows, k), np.int64)
        whole = np.setdiff1d(np.arange(table.n_rows), gappy)
        if len(whole):
            away[whole], rows[whole] = self.index.query(table.take(whole), k)
        far = distances_with_gaps(self.metric, table.take(gappy), self.rows)
        rows[gappy] = np.argsort(far, axis=1, kind="stable")[:, :k]
        away[gappy] = np.take_along_axis(far, rows[gappy], axis=1)
        return away, rows

    def radius(self, table: Table, r: Any, skip: Any = None) -> Lists:
        gappy = self._gappy(table)
        if len(gappy) == 0:
            found: Lists = self.index.radius(table, r, skip)
            return found
        lists: list[tuple[Array, Array]] = [(np.empty(0, np.int64), np.empty(0))] * table.n_rows
        whole = np.setdiff1d(np.arange(table.n_rows), gappy)
        if len(whole):
            start, rows, away = self.index.radius(table.take(whole), r)
            for i, first, last in zip(whole.tolist(), start[:-1], start[1:], strict=True):
                lists[i] = rows[first:last], away[first:last]
        far = distances_with_gaps(self.metric, table.take(gappy), self.rows)
        for i, own in zip(gappy.tolist(), far, strict=True):
            near = np.flatnonzero(own <= r)
            near = near[np.argsort(own[near], kind="stable")]
            lists[i] = near, own[near]
        start = np.concatenate([[0], np.cumsum([len(rows) for rows, _ in lists])]).astype(np.int64)
        return start, np.concatenate([rows for rows, _ in lists]), np.concatenate([away for _, away in lists])

    def _gappy(self, table: Table) -> Array:
        gone = gaps_of(self.metric, table)
        return np.empty(0, np.int64) if gone is None else np.flatnonzero(gone.any(axis=1))
