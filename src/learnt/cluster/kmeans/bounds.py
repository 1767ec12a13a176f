"""Lloyd's rounds by bounds: the same labels to the bit, without comparing every row with every centre."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from learnt import _core
from learnt.cluster.kmeans.lloyd import Assign, Assigned
from learnt.cluster.kmeans.rows import Rows
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Pass

#: Centres to a group, with one lower bound per row: fewer bounds reject less, more take longer to look at.
GROUP = 48

#: Bytes of the centres from which on bounds pay: a row is then compared with so much that keeping bounds is little
#: beside it. Measured from 2 to 64 columns by benchmarks/kmeans_many.py.
_CENTER_BYTES = 8_000

#: Rows of fewer bytes begin with plain rounds: while centres still run, bounds reject little and plain rounds are fast.
_ROW_BYTES, _PLAIN_ROUNDS = 256, 10

#: Bounds may take this much memory, or as much as the rows, before plain rounds are preferred.
_BYTES = 256_000_000


def worthwhile(rows: Rows, k: int) -> bool:
    """Whether rounds by bounds are the faster ones."""
    return (
        rows.dense
        and k >= 64
        and k * _row_bytes(rows) >= _CENTER_BYTES
        and rows.n_rows * (-(-k // GROUP) + 2) * rows.x.dtype.itemsize <= max(_BYTES, rows.x.nbytes)
    )


def plain_rounds(rows: Rows) -> int:
    """How many rounds to go without bounds first."""
    return 0 if _row_bytes(rows) >= _ROW_BYTES else _PLAIN_ROUNDS


def _row_bytes(rows: Rows) -> int:
    return int(rows.x.shape[1] * rows.x.dtype.itemsize)


class AssignByBounds(Assign):
    """Keeps, for rows in memory, bounds on their distances from round to round, after `wait` rounds without.

    Centres are grouped once, by where they are when bounds begin. `compared` is the share of pairs of a row and a
    group that the last round had to look at.
    """

    def __init__(self, design: Design, shift: Array, rows: Rows, k: int, wait: int = 0):
        super().__init__(design, shift)
        self.rows, self.wait = rows, wait
        self.order = np.empty(k, np.int32)
        self.before: Array | None = None
        self.compared = 1.0

    def _begin(self, centers: Array) -> None:
        k, n, real = len(centers), self.rows.n_rows, self.rows.x.dtype
        _core.group_centers(self.rows.as_centers(centers), GROUP, self.order)
        self.label = np.zeros(n, np.int32)
        self.upper, self.norms = np.empty(n, real), np.empty(n, real)
        self.lower = np.empty((n, -(-k // GROUP)), real)

    def _assign(self, centers: Array) -> Array:
        if self.before is None:
            self._begin(centers)
        now = self.rows.as_centers(centers)
        pairs = _core.assign_bounded(
            self.rows.x, now, self.before, self.shift, self.order, GROUP, self.label, self.upper, self.lower, self.norms
        )
        self.compared = pairs / max(self.lower.size, 1)
        # as_centers copies whenever centres are float64 and rows are not; else they might be the caller's own
        self.before = now.copy() if now is centers else now
        return now

    def sums(self, centers: Array) -> Generator[Pass, Any, Assigned]:
        if self.wait > 0:
            self.wait -= 1
            return (yield from super().sums(centers))
        now = self._assign(centers)
        sums, weight = np.zeros(now.shape), np.zeros(len(now))
        inertia = _core.sum_labelled(self.rows.x, self.rows.weights, now, self.label, sums, weight)
        return Assigned(self.rows.n_rows, sums, weight, inertia)

    def labels(self, centers: Array, wanted: bool) -> Generator[Pass, Any, Assigned]:
        if self.before is None:
            return (yield from super().labels(centers, wanted))
        found = yield from self.sums(centers)
        return Assigned(found.rows, found.sums, found.weight, found.inertia, self.label if wanted else None)
