"""Pass 0: what each column holds, in one look: moments, missing and infinite cells, category weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.errors import InputError
from learnt.statistics.counts import weigh_codes
from learnt.statistics.moments import column_moments, joined_moments


@dataclass(frozen=True)
class Survey(Statistic):
    """Per column: weight of the cells that are there, mean and squared deviation (of codes for ordinal
    columns), cells missing and infinite, and for coded columns the weight of each category."""

    schema: Schema
    rows: int
    weight: Array
    mean: Array
    deviation: Array
    missing: Array
    infinite: Array
    categories: tuple[Array, ...]
    row_weight: float
    rows_with_weight: int  # rows of positive weight
    first_infinite: tuple[int, int]  # column, row; (−1, −1) when there is none

    @property
    def variance(self) -> Array:
        """Divided by the weight (maximum likelihood); 0 for a column with nothing in it."""
        return np.divide(self.deviation, self.weight, out=np.zeros_like(self.mean), where=self.weight > 0)

    def check_finite(self) -> None:
        """Raise for the first column with infinite cells."""
        if not self.infinite.any():
            return
        column, row = self.first_infinite
        raise InputError(infinite_cells(self.schema.names[column], int(self.infinite[column]), row))

    def _shape(self) -> tuple[int, ...]:
        return (len(self.schema), *(len(c) for c in self.categories))

    def _merge(self, other: Survey) -> Survey:
        mine, others = (self.weight, self.mean, self.deviation), (other.weight, other.mean, other.deviation)
        return Survey(
            self.schema,
            self.rows + other.rows,
            *joined_moments(mine, others),
            self.missing + other.missing,
            self.infinite + other.infinite,
            tuple(a + b for a, b in zip(self.categories, other.categories, strict=True)),
            self.row_weight + other.row_weight,
            self.rows_with_weight + other.rows_with_weight,
            self.first_infinite if self.first_infinite[0] >= 0 else other.first_infinite,
        )


class TakeSurvey(Pass):
    def summarize(self, batch: Batch) -> Survey:
        return survey(batch.table, batch.weights, batch.first_row)


def survey(table: Table, weights: Array | None = None, first_row: int = 0) -> Survey:
    """The survey of a table, or of a batch of one."""
    p = table.n_columns
    weight, mean, deviation = np.zeros(p), np.zeros(p), np.zeros(p)
    missing, infinite = np.zeros(p, np.int64), np.zeros(p, np.int64)
    categories: list[Array] = [np.zeros(0)] * p
    row_weight = float(table.n_rows if weights is None else weights.sum())
    if table.matrix is not None:
        _moments(table.matrix, weights, slice(None), weight, mean, deviation, missing, infinite)
    elif table.sparse is not None:
        _sparse_moments(table.sparse, weights, row_weight, weight, mean, deviation, missing, infinite)
    else:
        for j, column in enumerate(table.columns):
            if column.kind == "numeric":
                values = column.values.reshape(-1, 1)
                _moments(values, weights, slice(j, j + 1), weight, mean, deviation, missing, infinite)
                continue
            counts = weigh_codes(column.values, len(column.categories), weights)
            codes = np.arange(len(counts))
            categories[j], missing[j] = counts, np.count_nonzero(column.values < 0)
            weight[j] = counts.sum()
            if weight[j] > 0:
                mean[j] = counts @ codes / weight[j]
                deviation[j] = counts @ (codes - mean[j]) ** 2
    found = _first_infinite(table, infinite)
    return Survey(
        table.schema,
        table.n_rows,
        weight,
        mean,
        deviation,
        missing,
        infinite,
        tuple(categories),
        row_weight,
        table.n_rows if weights is None else int(np.count_nonzero(weights)),
        found if found[1] < 0 else (found[0], found[1] + first_row),
    )


def _moments(x: Array, weights: Array | None, at: slice, *outputs: Array) -> None:
    m = column_moments(x, weights)
    for output, found in zip(outputs, (m.weight, m.mean, m.deviation, m.missing, m.infinite), strict=True):
        output[at] = found


def _sparse_moments(x: Any, weights: Array | None, row_weight: float, *outputs: Array) -> None:
    """Of stored and unstored cells alike; the unstored ones are zeros."""
    weight, mean, deviation, missing, infinite = outputs
    p = x.shape[1]
    w = np.ones(x.nnz) if weights is None else np.repeat(weights, np.diff(x.indptr))
    nan, inf = np.isnan(x.data), np.isinf(x.data)
    missing += np.bincount(x.indices[nan], minlength=p)
    infinite += np.bincount(x.indices[inf], minlength=p)
    good = ~(nan | inf)
    at, values, w_good = x.indices[good], x.data[good].astype(np.float64), w[good]
    weight += row_weight - np.bincount(x.indices[~good], weights=w[~good], minlength=p)
    np.divide(np.bincount(at, weights=w_good * values, minlength=p), weight, out=mean, where=weight > 0)
    stored = np.bincount(at, weights=w_good, minlength=p)
    # What the mean lacks is the mean of the differences from it: a constant column has no deviation at all.
    rest = np.bincount(at, weights=w_good * (values - mean[at]), minlength=p) - (weight - stored) * mean
    mean += np.divide(rest, weight, out=np.zeros(p), where=weight > 0)
    deviation += np.bincount(at, weights=w_good * (values - mean[at]) ** 2, minlength=p)
    deviation += (weight - stored) * mean**2


def _first_infinite(table: Table, infinite: Array) -> tuple[int, int]:
    if not infinite.any():
        return -1, -1
    j = int(np.flatnonzero(infinite)[0])
    return j, int(np.flatnonzero(np.isinf(table[table.names[j]].values))[0])


def infinite_cells(column: str, count: int, row: int) -> str:
    """The message for infinite cells, in words scikit-learn's users know."""
    values = "value" if count == 1 else "values"
    return (
        f"Column {column!r} has {count} infinite {values} (first in row {row}). "
        "Replace them or mark them missing. Input X contains infinity."
    )


def check_finite(table: Table, first_row: int = 0) -> None:
    """Raise for infinite cells; missing ones are welcome."""
    if table.matrix is not None:
        if _core.all_finite(table.matrix) or _core.first_nonfinite(table.matrix, True)[0] < 0:
            return
    elif table.sparse is not None:
        if not np.isinf(table.sparse.data).any():
            return
    elif not any(c.kind == "numeric" and np.isinf(c.values).any() for c in table.columns):
        return
    for column in table.columns:
        if column.kind == "numeric" and (count := int(np.isinf(column.values).sum())):
            row = int(np.flatnonzero(np.isinf(column.values))[0]) + first_row
            raise InputError(infinite_cells(column.name, count, row))
