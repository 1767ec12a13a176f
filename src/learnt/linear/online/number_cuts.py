"""Where numbers are cut into intervals that a learner of true and false can hold or not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from learnt.data.table import Array
from learnt.engine.training import Training
from learnt.prepare import equal_frequency

_BELOW_ZERO = float(np.nextafter(0.0, -1.0))


class Cuts(NamedTuple):
    """Rising cuts of a column; a value equal to a cut lies below it. One interval may say nothing.

    | column | cuts | silent |
    |---|---|---|
    | mostly 0, or 0 and another value | 0, and a hair below it where there are negative numbers | 0 itself |
    | two values | between them | the smaller one |
    | others | intervals with about equally many rows | none |
    """

    at: Array
    silent: int


def cuts_of(training: Training, n_bins: int) -> list[Cuts | None]:
    """The cuts of each numeric column, None for the others. Rows without weight have no say."""
    cells: list[list[Array]] = [[] for _ in training.schema]
    weights: list[list[Array]] = [[] for _ in training.schema]
    blocks: list[Any] = []
    block_weights: list[Array] = []
    for batch in training.batches():
        w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        if batch.table.sparse is not None:
            blocks.append(batch.table.sparse[w > 0])
            block_weights.append(w[w > 0])
            continue
        for j, column in enumerate(batch.table.columns):
            if column.kind == "numeric":
                there = ~column.missing & (w > 0)
                cells[j].append(column.values[there])
                weights[j].append(w[there])
    if blocks:
        return _of_sparse(blocks, np.concatenate(block_weights), n_bins)
    return [
        _of_column(np.concatenate(cells[j]), np.concatenate(weights[j]), n_bins) if column.kind == "numeric" else None
        for j, column in enumerate(training.schema)
    ]


def _of_column(values: Array, weights: Array, n_bins: int) -> Cuts:
    if not len(values):
        return Cuts(np.zeros(1), 0)
    low, high = float(values.min()), float(values.max())
    two = bool(((values == low) | (values == high)).all())
    if weights[values == 0].sum() > weights.sum() / 2 or (two and (low == 0 or high == 0)):
        return _around_zero(low < 0, high > 0)
    if two:
        return Cuts(np.array([max(low, low / 2 + high / 2) if low < high else low]), 0)
    return Cuts(equal_frequency(values, weights, n_bins), -1)


def _around_zero(negative: bool, positive: bool) -> Cuts:
    cuts = ([_BELOW_ZERO] if negative else []) + ([0.0] if positive or not negative else [])
    return Cuts(np.array(cuts), int(negative))


def _of_sparse(blocks: list[Any], weights: Array, n_bins: int) -> list[Cuts | None]:
    from scipy.sparse import vstack

    x = vstack(blocks, format="csc")
    n_columns, of_cell = x.shape[1], weights[x.indices]
    column = np.repeat(np.arange(n_columns), np.diff(x.indptr))
    missing = np.isnan(x.data)
    there = weights.sum() - np.bincount(column, of_cell * missing, n_columns)
    other = np.bincount(column, of_cell * (~missing & (x.data != 0)), n_columns)
    signs = [np.bincount(column, found, n_columns) > 0 for found in (x.data < 0, x.data > 0)]
    mostly_zero = there - other > there / 2
    found: list[Cuts | None] = []
    for j in range(n_columns):
        if mostly_zero[j]:
            found.append(_around_zero(bool(signs[0][j]), bool(signs[1][j])))
            continue
        cells = x[:, [j]].toarray().ravel()
        known = ~np.isnan(cells)
        found.append(_of_column(cells[known], weights[known], n_bins))
    return found
