"""Indexes of rows of numbers: all of them compared by blocked products, or a k-d tree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.distance.space import Space, power_of, safe_scale
from learnt.errors import InputError
from learnt.neighbors.questions import Index, Lists

#: Rows of a leaf, by measurement (1M × 3; 100k × 2, 6 and 8): questions cost much the same from 16 to 64, more at 8;
#: a tree of leaves of 32 is built in five sixths of the time that leaves of 16 take.
LEAF_SIZE = 32


class DenseIndex(Index):
    """What both have in common: the rows in a metric's coordinates, scaled where squares would overflow."""

    def __init__(self, rows: Any, space: Space, why: str, scaled: tuple[Array, float] | None = None):
        x = space.rows(rows) if scaled is None else scaled[0]
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

    def _encoded(self, X: Any) -> tuple[Array, int]:
        q = self.space.rows(X).astype(np.float64, copy=False)
        if q.shape[1] != self._x.shape[1]:
            raise InputError(f"The rows asked about have {q.shape[1]} columns, those of the index {self._x.shape[1]}.")
        return q, len(q)

    def _settings(self) -> tuple[str, float, Array | None]:
        return self.space.norm, self.space.power, self.space.weights

    def _too_far(self, q: Array) -> Array | None:
        """Which queries are so far off that the kernels' powers of differences overflow; None for none."""
        limit = math.ldexp(1.0, int(min(1000.0, 950 / max(1e-9, power_of(self.space))))) / self._scale
        if q.size == 0 or max(abs(float(q.min())), abs(float(q.max()))) <= limit:
            return None
        far: Array = np.abs(q).max(axis=1) > limit
        return far

    def _for_far(self, q: Array) -> BruteIndex:
        """The same rows in a unit in which these queries can be compared with them."""
        scale = safe_scale(q, self.space)
        return BruteIndex(None, self.space, self.why, (self._x.astype(np.float64) * (scale / self._scale), scale))

    def _nearest(self, queries: Array, k: int, skip: Array | None) -> tuple[Array, Array]:
        distances, rows = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
        far = self._too_far(queries)
        if far is not None:
            for some, index in ((far, self._for_far(queries[far])), (~far, self)):
                own = None if skip is None else skip[some]
                distances[some], rows[some] = index._nearest(queries[some], k, own)
            return distances, rows
        self._ask(queries * self._scale if self._scale != 1 else queries, skip, distances, rows)
        return self.space.shown(distances / self._scale), rows

    def _within(self, queries: Array, radii: Array, skip: Array | None) -> Lists:
        far = self._too_far(queries)
        if far is not None:
            parts = []
            for some, index in ((far, self._for_far(queries[far])), (~far, self)):
                own = None if skip is None else skip[some]
                start, rows, distances = index._within(queries[some], radii[some], own)
                parts.append((np.repeat(np.flatnonzero(some), np.diff(start)), rows, distances))
            who, rows, distances = (np.concatenate(column) for column in zip(*parts, strict=True))
            order = np.argsort(who, kind="stable")
            start = np.concatenate([[0], np.cumsum(np.bincount(who, minlength=len(queries)))]).astype(np.int64)
            return start, rows[order], distances[order]
        q = queries * self._scale if self._scale != 1 else queries
        start, rows, distances = self._ask_within(q, self.space.asked(radii) * self._scale, skip)
        return self.space.shown_within((start, rows, distances / self._scale), radii)

    def _ask(self, q: Array, skip: Array | None, distances: Array, rows: Array) -> None:
        raise NotImplementedError

    def _ask_within(self, q: Array, radii: Array, skip: Array | None) -> Lists:
        raise NotImplementedError


class BruteIndex(DenseIndex):
    """Every row compared with every query, |x|² − 2x·q + |q|² by tiles; survivors measured exactly."""

    kind = "brute"

    def __init__(self, rows: Any, space: Space, why: str, scaled: tuple[Array, float] | None = None):
        super().__init__(rows, space, why, scaled)
        p = self._x.shape[1]
        weight, mean, deviation, low, high = np.empty((5, p))
        _core.column_moments(
            self._x, None, weight, mean, deviation, low, high, np.empty(p, np.int64), np.empty(p, np.int64)
        )
        # Halves first: the range of the largest numbers is beyond the largest.
        center = np.where(np.isfinite(mean), mean, low / 2 + high / 2)
        self._shift = center if space.norm != "hamming" else np.zeros(p)
        weights = np.ones(p) if space.weights is None else space.weights
        root = {"l2": 0.5, "lp": 1 / space.power, "hamming": 0.0}.get(space.norm, 1.0)
        stretch = weights**root if root else np.ones(p)
        reach = float((np.maximum(high - self._shift, self._shift - low) * stretch).max())
        exponent = math.frexp(reach)[1] if reach > 0 else 0
        self._unit = math.ldexp(1.0, -min(max(exponent, -1000), 1000))
        self._stretch, self._reach = stretch * self._unit, reach * self._unit

    @property
    def _how(self) -> tuple[str, float, Array | None, Array, Array, float, float]:
        return *self._settings(), self._shift, self._stretch, self._unit, self._reach

    def _ask(self, q: Array, skip: Array | None, distances: Array, rows: Array) -> None:
        _core.brute_nearest(self._x, *self._how, np.ascontiguousarray(q), skip, distances, rows)

    def _ask_within(self, q: Array, radii: Array, skip: Array | None) -> Lists:
        return _core.brute_within(self._x, *self._how, np.ascontiguousarray(q), skip, radii)


class KdTreeIndex(DenseIndex):
    """A k-d tree: few columns, many rows."""

    kind = "kd_tree"

    def __init__(self, rows: Any, space: Space, why: str, leaf_size: int | None = None):
        super().__init__(rows, space, why)
        size = LEAF_SIZE if leaf_size is None else leaf_size
        self._width = min(4096, max(8, -(-size // 8) * 8))
        self._grow()

    def _grow(self) -> None:
        kind = _core.KdTree32 if self._x.dtype == np.float32 else _core.KdTree64
        self._tree = kind(self._x, self._width)

    @property
    def nbytes(self) -> int:
        return super().nbytes + int(self._tree.bytes())

    def _ask(self, q: Array, skip: Array | None, distances: Array, rows: Array) -> None:
        self._tree.nearest(*self._settings(), np.ascontiguousarray(q), skip, distances, rows)

    def _ask_within(self, q: Array, radii: Array, skip: Array | None) -> Lists:
        return self._tree.within(*self._settings(), np.ascontiguousarray(q), skip, radii)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_tree"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._grow()
