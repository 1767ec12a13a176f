"""Windowing: grow from a sample, add rows the tree gets wrong, grow again; the rest need not fit into memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Column, Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.watch import report, watching

Array = np.ndarray[Any, Any]

GROWTH = 0.2  # of the first window, added in each round at most
MOST_ROUNDS = 10
VAIN_ROUNDS = 2


@dataclass(frozen=True)
class Window(Statistic):
    """Rows with the smallest hashes of (seed, row number) among those picked; `picked` is the weight of them all."""

    rows: int
    limit: int
    picked: float
    key: Array
    number: Array
    table: Table
    target: Array
    weights: Array

    def _merge(self, other: Window) -> Window:
        return self.joined(other).cut()

    def joined(self, other: Window) -> Window:
        return Window(
            self.rows + other.rows,
            self.limit,
            self.picked + other.picked,
            np.concatenate([self.key, other.key]),
            np.concatenate([self.number, other.number]),
            _stacked(self.table, other.table),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.weights, other.weights]),
        )

    def cut(self) -> Window:
        if len(self.key) <= self.limit:
            return self
        keep = np.sort(np.lexsort((self.number, self.key))[: self.limit])
        arrays = self.key[keep], self.number[keep], self.table.take(keep), self.target[keep], self.weights[keep]
        return Window(self.rows, self.limit, self.picked, *arrays)


class Pick(Pass):
    """A hashed sample of the rows with weight; with `wrong`, of those outside the window that it is wrong about.

    `wrong(table, target)` says which rows a tree gets wrong; `window` holds the numbers of rows in the window.
    """

    def __init__(self, seed: int, limit: int, wrong: Callable[[Table, Array], Array] | None = None, window: Any = ()):
        self.seed, self.limit, self.wrong, self.window = seed, limit, wrong, window

    def summarize(self, batch: Batch) -> Window:
        from learnt import _core

        assert batch.target is not None
        key = np.empty(batch.n_rows)
        _core.hash_uniform(self.seed, batch.first_row, key)
        number = batch.first_row + np.arange(batch.n_rows)
        weights = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        pick = weights > 0
        if self.wrong is not None:
            pick = pick & ~np.isin(number, self.window) & self.wrong(batch.table, batch.target)
        rows = np.flatnonzero(pick)
        arrays = key[rows], number[rows], batch.table.take(rows), batch.target[rows], weights[rows]
        return Window(batch.n_rows, self.limit, float(weights[rows].sum()), *arrays).cut()


def windowed(
    size: int,
    grow: Callable[[Table, Array, Array], Any],
    wrong: Callable[[Any, Table, Array], Array],
    seed: int,
    learner: str = "",
) -> Generator[Pass, Any, Any]:
    """The tree of the window with which it gets the fewest of all other rows wrong.

    `grow(table, target, weights)` makes a tree, `wrong(tree, table, target)` says which rows it gets wrong.
    The window begins with `size` rows. Each round adds at most a fifth as many of the rows outside that the
    tree gets wrong, until there are none, or two rounds in turn found no fewer than the best, or ten rounds
    are over: the first rows of a rare corner often draw its border too wide, which the next ones mend.
    """
    window: Window = yield Pick(seed, size)
    most, best, fewest, vain = math.ceil(GROWTH * size), None, math.inf, 0
    for round_ in range(1, MOST_ROUNDS + 1):
        tree = grow(window.table, window.target, window.weights)
        found: Window = yield Pick(seed, most, _Wrong(wrong, tree), window.number)
        if watching():
            report("window", learner=learner, iteration=round_, total=MOST_ROUNDS, objective=found.picked)
        if found.picked < fewest:
            best, fewest, vain = tree, found.picked, 0
        else:
            vain += 1
        if fewest == 0 or vain == VAIN_ROUNDS:
            break
        window = window.joined(found)
    return best


@dataclass(frozen=True)
class _Wrong:
    """`wrong` of one tree, as something that can be sent to other processes."""

    wrong: Callable[[Any, Table, Array], Array]
    tree: Any

    def __call__(self, table: Table, target: Array) -> Array:
        return self.wrong(self.tree, table, target)


def first_size(window: int | float, n_rows: int | None) -> int:
    """How many rows a window begins with: the number itself, or that share of the rows."""
    if isinstance(window, float) and window <= 1:
        return max(1, math.ceil(window * (n_rows or 0)))
    return int(window)


def _stacked(one: Table, other: Table) -> Table:
    """The rows of both; they have the same columns."""
    if one.matrix is not None and other.matrix is not None:
        matrix = np.concatenate([one.matrix, other.matrix])
        return Table.of_matrix(matrix, one.names, named=one.schema.named)
    columns = [
        Column(a.name, a.kind, np.concatenate([a.values, b.values]), a.categories)
        for a, b in zip(one.columns, other.columns, strict=True)
    ]
    return Table.of_columns(columns, n_rows=one.n_rows + other.n_rows, named=one.schema.named)
