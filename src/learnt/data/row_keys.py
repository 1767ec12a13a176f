"""Rows as bytes: which are copies of each other, and an order of rows that is not the one they came in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnt.data.table import Array, Column, Table

#: Rows that are put in order before any are drawn; more would take long.
ORDERED_UP_TO = 10_000


def cells_of(table: Table) -> list[Array]:
    """Numbers and codes of each column, NaN where a cell is missing."""
    return [np.where(c.missing, np.nan, c.values).astype(np.float64) for c in table.columns]


def varying_columns(table: Table) -> Array:
    """The positions of the columns that do not have the same cell in all rows: the others say nothing."""
    return np.array([j for j, column in enumerate(table.columns) if _varies(column)], np.intp)


def _varies(column: Column) -> bool:
    gaps = column.missing
    return not gaps.all() if gaps.any() else bool((column.values != column.values[:1]).any())


def row_keys(cells: Sequence[Array]) -> Array:
    """Rows as bytes, equal where all cells are: a missing cell is one too."""
    return keys_of_points(np.column_stack(cells))


def keys_of_points(points: Array) -> Array:
    """The same of a matrix of numbers. Bytes rise with the numbers, column by column: so the order of keys stays the
    same in other units, and if a number differs in its last digit. −0 and 0 are equal."""
    bits = (np.ascontiguousarray(points, dtype=np.float64) + 0.0).view(np.uint64)
    sign = np.uint64(1 << 63)
    rising = np.where(bits & sign, ~bits, bits | sign).astype(">u8")
    keys: Array = np.ascontiguousarray(rising).view(np.dtype((np.void, rising.shape[1] * 8))).ravel()
    return keys


def order_of_points(points: Array) -> Array:
    """An order of rows that follows from their numbers alone: neither the order they came in, nor that of the columns,
    their names or units decide. By the sums over the columns, each as a share of its range, added from the smallest on;
    rows of the same numbers in other columns go by those."""
    if points.shape[1] == 0:
        return np.arange(len(points))
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = points.min(axis=0), points.max(axis=0)
        span = np.where(high > low, high - low, 1.0)
        shares = np.sort(np.nan_to_num((points.astype(np.float64) - low) / span), axis=1)
    _, cells = np.unique(keys_of_points(points), return_inverse=True)
    return np.lexsort((cells, (shares * shares).sum(axis=1), shares.sum(axis=1)))


def places_to_draw(keys: Array, weights: Array | None) -> Array | None:
    """Where rows that are drawn by their number stand: copies side by side, whole weights as so many copies.

    So neither the order of the rows nor whether a row stands there twice or weighs 2 changes what is drawn. None for
    tables that are larger, which are drawn from as they came.
    """
    there = np.arange(len(keys)) if weights is None else np.flatnonzero(weights)
    if len(keys) > ORDERED_UP_TO:
        return None
    places: Array = there[np.argsort(keys[there], kind="stable")]
    if weights is None or not are_copies(weights):
        return places
    return np.repeat(places, weights[places].astype(np.int64))


def are_copies(weights: Array) -> bool:
    """Whether weights are whole numbers that stand for not too many copies."""
    return bool(np.all(weights == np.floor(weights))) and float(weights.sum()) <= 10 * len(weights)
