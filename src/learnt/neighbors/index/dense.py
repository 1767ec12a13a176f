"""Indexes of rows of numbers: all of them compared by blocked products, or a tree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.distance.space import Space, power_of, safe_scale, safe_scales
from learnt.errors import InputError
from learnt.neighbors.index.questions import Index, Lists
from learnt.neighbors.index.rebuilt import Rebuilt
from learnt.statistics.moments import column_moments

#: Rows of a leaf, by measurement (1M × 3; 100k × 2, 6 and 8): questions cost much the same from 16 to 64, more at 8;
#: a tree of leaves of 32 is built in five sixths of the time that leaves of 16 take.
LEAF_SIZE = 32


class CoordinateIndex(Index):
    """What they have in common: the rows in a metric's coordinates, scaled where squares would overflow."""

    space: Space
    _scale: float
    _columns: int
    _nowhere: Array | None  # which rows have no direction, where directions are compared

    def __init__(self, rows: Any, space: Space, why: str, scaled: tuple[Array, float] | None = None):
        x = space.rows(rows) if scaled is None else scaled[0]
        # Rows without a direction get one of their own, in a column more: at a right angle to all others.
        self._nowhere = space.without_direction(x) if scaled is None else None
        self._columns = x.shape[1]
        if self._nowhere is not None:
            x = np.ascontiguousarray(np.column_stack([x, self._nowhere]))
        self.space, self.why, self.n_rows = space, why, len(x)
        if self.n_rows == 0:
            raise InputError("There are no rows to look among. Give at least one.")
        self._scale = safe_scale(x, space) if scaled is None else scaled[1]
        self._x = x if scaled is not None or self._scale == 1 else x.astype(np.float64) * self._scale
        own = rows.matrix if isinstance(rows, Table) else rows
        self._shared = isinstance(own, np.ndarray) and np.may_share_memory(self._x, own)

    @property
    def nbytes(self) -> int:
        return 0 if self._shared else int(self._x.nbytes)

    def _encoded(self, X: Any) -> tuple[Any, int]:
        q = self.space.rows(X).astype(np.float64, copy=False)
        if q.shape[1] != self._columns:
            raise InputError(f"The rows asked about have {q.shape[1]} columns, those of the index {self._columns}.")
        if self._nowhere is not None:
            q = np.column_stack([q, np.zeros(len(q))])
        return q, len(q)

    def _settings(self) -> tuple[str, float, Array | None]:
        return self.space.norm, self.space.power, self.space.weights

    @property
    def _farthest(self) -> float:
        """Beyond it the kernels' powers of differences overflow."""
        power = power_of(self.space)
        if power == 0:  # cells are compared, and no unit would change what comes out
            return math.inf
        return math.ldexp(1.0, int(min(1000.0, 950 / power))) / self._scale

    def _too_far(self, q: Any) -> Array | None:
        """Which queries are so far off that powers of differences overflow; None for none."""
        limit = self._farthest
        if q.size == 0 or max(abs(float(q.min())), abs(float(q.max()))) <= limit:
            return None
        far: Array = self._largest(q) > limit
        return far

    def _largest(self, q: Any) -> Array:
        """The largest absolute value in each row."""
        return np.asarray(np.abs(q).max(axis=1))

    def _roads(self, q: Any, far: Array) -> Iterator[tuple[Array, CoordinateIndex]]:
        """Which queries are put to which index; far ones of very different sizes are not put together."""
        scales = safe_scales(self._largest(q), self.space)
        for scale in np.unique(scales[far]):
            some = far & (scales == scale)
            yield some, self._for_far(q[some])
        if not far.all():
            yield ~far, self

    def _for_far(self, q: Any) -> CoordinateIndex:
        """The same rows in a unit in which these queries can be compared with them."""
        scale = safe_scale(q, self.space)
        return BruteIndex(None, self.space, self.why, (self._x.astype(np.float64) * (scale / self._scale), scale))

    def _nearest(self, queries: Any, k: int, skip: Array | None) -> tuple[Array, Array]:
        distances, rows = np.empty((queries.shape[0], k)), np.empty((queries.shape[0], k), np.int64)
        nowhere = self._without_direction(queries)
        if nowhere is not None:
            asked = np.flatnonzero(~nowhere)
            distances[nowhere], rows[nowhere] = 1.0, self._in_order(nowhere, k, skip)
            own = None if skip is None else skip[asked]
            if len(asked):
                distances[asked], rows[asked] = self._nearest(queries[asked], k, own)
            return distances, rows
        far = self._too_far(queries)
        if far is not None:
            for some, index in self._roads(queries, far):
                own = None if skip is None else skip[some]
                distances[some], rows[some] = index._nearest(queries[some], k, own)
            return distances, rows
        self._ask(queries * self._scale if self._scale != 1 else queries, skip, distances, rows)
        shown = self.space.metric_distances(distances / self._scale)
        if self._nowhere is None:
            return shown, rows
        shown[self._nowhere[rows]] = 1.0  # to the last digit
        order = np.lexsort((rows, shown), axis=-1)
        return np.take_along_axis(shown, order, 1), np.take_along_axis(rows, order, 1)

    def _without_direction(self, q: Any) -> Array | None:
        return self.space.without_direction(q)

    def _in_order(self, some: Array, k: int, skip: Array | None) -> Array:
        """The first k rows for each query that all are equally far from."""
        rows = np.tile(np.arange(k, dtype=np.int64), (int(some.sum()), 1))
        return rows if skip is None else rows + ((skip[some] >= 0)[:, None] & (rows >= skip[some][:, None]))

    def _all_within(self, some: Array, radii: Array, skip: Array | None) -> Lists:
        """The lists of queries that are at 1 from all rows."""
        k = self.n_rows
        there = np.repeat(radii[some, None] >= 1, k, axis=1)
        if skip is not None:
            there &= np.arange(k) != skip[some][:, None]
        start = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
        return start, np.nonzero(there)[1].astype(np.int64), np.ones(int(there.sum()))

    def _within(self, queries: Any, radii: Array, skip: Array | None) -> Lists:
        nowhere = self._without_direction(queries)
        if nowhere is not None:
            rest = None if skip is None else skip[~nowhere]
            parts = [(nowhere, self._all_within(nowhere, radii, skip))]
            if not nowhere.all():
                parts.append((~nowhere, self._within(queries[~nowhere], radii[~nowhere], rest)))
            return _together(parts)
        far = self._too_far(queries)
        if far is not None:
            parts = []
            for some, index in self._roads(queries, far):
                own = None if skip is None else skip[some]
                parts.append((some, index._within(queries[some], radii[some], own)))
            return _together(parts)
        q = queries * self._scale if self._scale != 1 else queries
        start, rows, distances = self._ask_within(q, self.space.search_radii(radii) * self._scale, skip)
        return self.space.shown_within((start, rows, distances / self._scale), radii, self._nowhere)

    def _ask(self, q: Any, skip: Array | None, distances: Array, rows: Array) -> int | None:
        """Overwrites distances and rows; a tree says how many leaves it looked into."""
        raise NotImplementedError

    def _ask_within(self, q: Any, radii: Array, skip: Array | None) -> Lists:
        raise NotImplementedError


def _together(parts: list[tuple[Array, Lists]]) -> Lists:
    """The lists of some queries and of the others, in the order of all."""
    who = np.concatenate([np.repeat(np.flatnonzero(some), np.diff(start)) for some, (start, _, _) in parts])
    rows, distances = (np.concatenate([lists[part] for _, lists in parts]) for part in (1, 2))
    order = np.argsort(who, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(who, minlength=len(parts[0][0])))]).astype(np.int64)
    return start, rows[order], distances[order]


class BruteIndex(CoordinateIndex):
    """Every row compared with every query, |x|² − 2x·q + |q|² by tiles; survivors measured exactly."""

    kind = "brute"

    def __init__(self, rows: Any, space: Space, why: str, scaled: tuple[Array, float] | None = None):
        super().__init__(rows, space, why, scaled)
        p = self._x.shape[1]
        _, mean, _, low, high, _, _ = column_moments(self._x, None)
        # Halves first: the range of the largest numbers is beyond the largest.
        center = np.where(np.isfinite(mean), mean, low / 2 + high / 2)
        self._shift = center if space.norm != "hamming" else np.zeros(p)
        weights = np.ones(p) if space.weights is None else space.weights
        root = {"l2": 0.5, "lp": 1 / space.power, "hamming": 0.0}.get(space.norm, 1.0)
        stretch = weights**root if root else np.ones(p)
        reach = float((np.maximum(high - self._shift, self._shift - low) * stretch).max())
        exponent = math.frexp(reach)[1] if reach > 0 else 0
        # Rows that are one next to the numbers asked about reach nowhere; times the weights a unit stays a number.
        largest = math.frexp(float(stretch.max()))[1]
        self._unit = math.ldexp(1.0, min(-min(max(exponent, -1000), 1000), 1000 - max(largest, 0)))
        self._stretch, self._reach = stretch * self._unit, reach * self._unit

    @property
    def _how(self) -> tuple[str, float, Array | None, Array, Array, float, float]:
        return *self._settings(), self._shift, self._stretch, self._unit, self._reach

    def _ask(self, q: Any, skip: Array | None, distances: Array, rows: Array) -> None:
        _core.brute_nearest(self._x, *self._how, np.ascontiguousarray(q), skip, distances, rows)

    def _ask_within(self, q: Any, radii: Array, skip: Array | None) -> Lists:
        return _core.brute_within(self._x, *self._how, np.ascontiguousarray(q), skip, radii)


class TreeIndex(Rebuilt, CoordinateIndex):
    """A tree with leaves of rows; it is grown again, not stored."""

    built = "_tree"
    _tree: Any

    def __init__(self, rows: Any, space: Space, why: str, leaf_size: int | None = None):
        super().__init__(rows, space, why)
        size = LEAF_SIZE if leaf_size is None else leaf_size
        self._width = min(4096, max(8, -(-size // 8) * 8))
        self._build()

    @property
    def nbytes(self) -> int:
        return super().nbytes + int(self._tree.bytes())


class KdTreeIndex(TreeIndex):
    """A k-d tree: few columns, many rows."""

    kind = "kd_tree"
    _tree: _core.KdTree32 | _core.KdTree64

    def _build(self) -> None:
        kind: Any = _core.KdTree32 if self._x.dtype == np.float32 else _core.KdTree64
        self._tree = kind(self._x, self._width)

    def _ask(self, q: Any, skip: Array | None, distances: Array, rows: Array) -> int:
        return self._tree.nearest(*self._settings(), np.ascontiguousarray(q), skip, distances, rows)

    def _ask_within(self, q: Any, radii: Array, skip: Array | None) -> Lists:
        return self._tree.within(*self._settings(), np.ascontiguousarray(q), skip, radii)


class VpTreeIndex(TreeIndex):
    """A vantage-point tree: rows nearer than the median to a chosen row, and rows farther, again and again."""

    kind = "vp_tree"
    _tree: _core.VpTree32 | _core.VpTree64

    def _build(self) -> None:
        kind: Any = _core.VpTree32 if self._x.dtype == np.float32 else _core.VpTree64
        self._tree = kind(self._x, *self._settings(), self._width)

    def _ask(self, q: Any, skip: Array | None, distances: Array, rows: Array) -> int:
        return self._tree.nearest(np.ascontiguousarray(q), skip, distances, rows)

    def _ask_within(self, q: Any, radii: Array, skip: Array | None) -> Lists:
        return self._tree.within(np.ascontiguousarray(q), skip, radii)
