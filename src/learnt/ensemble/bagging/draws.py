"""Which rows and columns each member of a bag is fitted to: hashed from the seed, the member and the row."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from learnt.data.row_keys import varying_columns
from learnt.data.table import Array, Table
from learnt.learner.parameters import Domain, Whole
from learnt.statistics.sample import hash_rows
from learnt.tree import Share

SIZE: Domain = Whole(1) | Share(above=0, high=1)

_COLUMNS = 0x9E3779B97F4A7C15  # so that columns are not drawn as rows are


def size_of(setting: Any, n: int) -> int:
    """How many of n are drawn: a number, at most all of them, or a share, at least one."""
    if isinstance(setting, numbers.Integral):
        return min(int(setting), n)
    return max(1, round(float(setting) * n))


def drawn_rows(seed: int, member: int, n: int, size: int, *, replace: bool, weights: Array | None) -> Array:
    """How often each of n rows is drawn. With `weights`, in proportion to them."""
    if not replace:
        if weights is None:
            order = np.argsort(_uniform(seed, member, n), kind="stable")
        else:  # the first of exponential times, at rates that are the weights
            order = np.argsort(-np.log(_uniform(seed, member, n)) / weights, kind="stable")
        return np.bincount(order[:size], minlength=n)
    place = _uniform(seed, member, size)
    if weights is None:
        rows = np.minimum((place * n).astype(np.int64), n - 1)
    else:
        heap = np.cumsum(weights)
        rows = np.minimum(np.searchsorted(heap, place * heap[-1], side="right"), n - 1)
    return np.bincount(rows, minlength=n)


def drawn_columns(seed: int, member: int, columns: Array, size: int) -> Array:
    """Which of these columns are drawn, without repetition, rising."""
    order = np.argsort(_uniform(seed ^ _COLUMNS, member, len(columns)), kind="stable")
    return np.sort(columns[order[:size]])


def columns_to_draw(table: Table, setting: Any) -> Array:
    """All columns where a member gets all; else those that do not have the same cell in all rows, which say nothing."""
    every = np.arange(table.n_columns)
    varying = every if size_of(setting, len(every)) == len(every) else varying_columns(table)
    return varying if len(varying) else every


def _uniform(seed: int, member: int, n: int) -> Array:
    return hash_rows((seed + member) % 2**64, 0, n)
