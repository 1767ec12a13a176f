"""Rows that differ, in an order of their own: what makes a machine the same for any order of rows, and a row that
stands there twice the same as one of weight 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array

_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """`first`: the number of a row of each kind, in the order of groups, then of its cells; `weights`: of its kind."""

    first: Array
    weights: Array
    #: Where each group begins, and one more.
    starts: Array


def distinct_rows(x: Any, groups: Array, weights: Array | None, n_groups: int) -> DistinctRows:
    """Equal rows of a group become one; rows of weight 0 are left out."""
    w = np.ones(x.shape[0]) if weights is None else weights
    there = np.flatnonzero(w > 0)
    hashes = _row_hashes(x)
    sums = [s[there] for s in _power_sums(x)]
    order = there[np.lexsort((there, hashes[there], *sums, groups[there]))]
    new = np.ones(len(order), dtype=bool)
    alike = np.flatnonzero((hashes[order][1:] == hashes[order][:-1]) & (groups[order][1:] == groups[order][:-1])) + 1
    if len(alike):
        new[alike] = ~_equal_rows(x, order[alike], order[alike - 1])
    first = order[new]
    kind = np.cumsum(new) - 1
    totals = np.bincount(kind, w[order], len(first)) if len(order) else np.zeros(0)
    starts = np.searchsorted(groups[first], np.arange(n_groups + 1)).astype(np.int64)
    return DistinctRows(first, totals, starts)


def _power_sums(x: Any) -> list[Array]:
    """Σ z, Σ z², Σ z³ of each row, in single precision: an order that the order of columns does not change. Rows of
    which these are equal, as those of labels alone, go by their hashes."""
    with np.errstate(over="ignore", invalid="ignore"):  # rows whose sums are beyond numbers go by their hashes too
        return _sums_of_powers(x)


def _sums_of_powers(x: Any) -> list[Array]:
    if isinstance(x, np.ndarray):
        return [np.sort(x**power, axis=1).sum(axis=1).astype(np.float32) for power in (3, 2, 1)]
    rows = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
    inside = np.lexsort((x.data, rows))
    return [np.bincount(rows, x.data[inside] ** power, x.shape[0]).astype(np.float32) for power in (3, 2, 1)]


def mixed_bits(bits: Array) -> Array:
    bits = (bits ^ (bits >> np.uint64(31))) * _ODD
    return np.asarray(bits ^ (bits >> np.uint64(29)))


def single_bits(numbers: Array) -> Array:
    """In single precision, so that a mean that was rounded otherwise does not change the order; −0 and 0 are one."""
    return (numbers + 0.0).astype(np.float32).view(np.uint32).astype(np.uint64)


def _row_hashes(x: Any) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        columns = mixed_bits((np.arange(x.shape[1], dtype=np.uint64) + np.uint64(1)) * _ODD) | np.uint64(1)
        if isinstance(x, np.ndarray):
            found = np.zeros(len(x), np.uint64)
            for j in range(x.shape[1]):
                found += mixed_bits(single_bits(x[:, j]) * columns[j] + np.uint64(j))
            return mixed_bits(found)
        cells = mixed_bits(single_bits(x.data) * columns[x.indices])
        cells[x.data == 0] = 0
        rows = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
        found = np.zeros(x.shape[0], np.uint64)
        np.add.at(found, rows, cells)
        return mixed_bits(found)


def _equal_rows(x: Any, left: Array, right: Array) -> Array:
    if isinstance(x, np.ndarray):
        equal: Array = (x[left] == x[right]).all(axis=1)
        return equal
    return np.asarray(np.asarray((x[left] != x[right]).sum(axis=1)).ravel() == 0)
