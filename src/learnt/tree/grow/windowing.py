"""Windowing: grow from a sample, add rows the tree gets wrong, grow again; the rest need not fit into memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.statistics.sample import HashedSample, hash_rows
from learnt.watch import report, watching

Array = np.ndarray[Any, Any]

GROWTH = 0.2  # of the first window, added in each round at most
MOST_ROUNDS = 10
VAIN_ROUNDS = 2


@dataclass(frozen=True)
class Window(Statistic):
    """A sample of the rows picked: their numbers, table, target and weights; `picked` is the weight of them all."""

    rows: int
    picked: float
    sample: HashedSample

    @property
    def number(self) -> Array:
        number: Array = self.sample.taken[0]
        return number

    def _merge(self, other: Window) -> Window:
        return Window(self.rows + other.rows, self.picked + other.picked, self.sample + other.sample)

    def joined(self, other: Window) -> Window:
        """The rows of both, none left out."""
        return Window(self.rows + other.rows, self.picked + other.picked, self.sample.joined(other.sample))


class Pick(Pass):
    """A hashed sample of the rows with weight; with `wrong`, of those outside the window that it is wrong about.

    `wrong(table, target)` says which rows a tree gets wrong; `window` holds the numbers of rows in the window.
    """

    def __init__(self, seed: int, limit: int, wrong: Callable[[Table, Array], Array] | None = None, window: Any = ()):
        self.seed, self.limit, self.wrong, self.window = seed, limit, wrong, window

    def summarize(self, batch: Batch) -> Window:
        assert batch.target is not None
        key = hash_rows(self.seed, batch.first_row, batch.n_rows)
        number = batch.first_row + np.arange(batch.n_rows)
        weights = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        pick = weights > 0
        if self.wrong is not None:
            pick = pick & ~np.isin(number, self.window) & self.wrong(batch.table, batch.target)
        rows = np.flatnonzero(pick)
        taken = number[rows], batch.table.take(rows), batch.target[rows], weights[rows]
        sample = HashedSample.of(self.limit, key[rows], *taken, rows=batch.n_rows)
        return Window(batch.n_rows, float(weights[rows].sum()), sample)


def grow_in_windows(
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
        tree = grow(*window.sample.taken[1:])
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
