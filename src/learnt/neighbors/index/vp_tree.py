"""Indexes for metrics that are only a function of two rows: compare all, or a vantage-point tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.distance.own import AllPairs, OwnMetric
from learnt.errors import InputError, ParameterError
from learnt.learner.matching import with_unseen_texts
from learnt.neighbors.index.questions import Index, Kind, Lists

#: Distances computed at a time: 32 MB of them.
BLOCK = 4 << 20

Distances = Callable[[Any, Any], Array]


def _take_rows(rows: Any, ids: Array) -> Any:
    return rows.take(ids) if isinstance(rows, Table) else rows[ids]


class PairIndex(Index):
    """Every row compared with every query by the metric itself, a block of queries at a time."""

    kind: Kind = "brute"

    def __init__(self, rows: Any, distances: Distances, why: str):
        self.rows = rows if isinstance(rows, Table) else np.asarray(rows)
        self.metric, self.why, self.n_rows = distances, why, len(self.rows)
        if self.n_rows == 0:
            raise InputError("There are no rows to look among. Give at least one.")

    @property
    def nbytes(self) -> int:
        return 0

    def _encoded(self, X: Any) -> tuple[Any, int]:
        if isinstance(self.rows, Table):
            given = X if isinstance(X, Table) else Table(X)
            # A function sees labels, not codes: one that the index never saw stays what it is.
            own = isinstance(self.metric, AllPairs) or isinstance(getattr(self.metric, "__self__", None), OwnMetric)
            X = with_unseen_texts(given, given.matched(self.rows.schema), range(given.n_columns) if own else ())
        else:
            X = np.asarray(X)
            if X.shape[1:] != self.rows.shape[1:]:
                raise InputError(
                    f"The rows asked about have the shape {X.shape}, those of the index {self.rows.shape}."
                )
        return X, len(X)

    def measure_pairs(self, a: Any, b: Any) -> Array:
        """Distances by the metric, refused if they are none."""
        d = np.ascontiguousarray(self.metric(a, b), dtype=np.float64)
        if d.shape != (len(a), len(b)) or not np.all(d >= 0):
            raise ParameterError(
                f"The metric gave an array of the shape {d.shape}, smallest {np.min(d, initial=np.inf)}. "
                f"Expected {len(a)} × {len(b)} numbers, none negative or NaN."
            )
        return d

    def _blocks(self, queries: Any, n: int) -> Any:
        step = max(1, BLOCK // self.n_rows)
        for first in range(0, n, step):
            ids = np.arange(first, min(n, first + step))
            yield ids, self.measure_pairs(_take_rows(queries, ids), self.rows)

    def _nearest(self, queries: Any, k: int, skip: Array | None) -> tuple[Array, Array]:
        distances, rows = np.empty((len(queries), k)), np.empty((len(queries), k), np.int64)
        for ids, d in self._blocks(queries, len(queries)):
            some = slice(ids[0], ids[-1] + 1)
            _core.given_nearest(d, None if skip is None else skip[some], distances[some], rows[some])
        return distances, rows

    def _within(self, queries: Any, radii: Array, skip: Array | None) -> Lists:
        found = []
        for ids, d in self._blocks(queries, len(queries)):
            some = slice(ids[0], ids[-1] + 1)
            found.append(_core.given_within(d, None if skip is None else skip[some], radii[some]))
        counts, rows, distances = zip(*((np.diff(start), ids, d) for start, ids, d in found), strict=True)
        start = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
        return start, np.concatenate(rows), np.concatenate(distances)


@dataclass(slots=True)
class Node:
    """Rows in a ball around a vantage point and rows around it, with the range of their distances to the point."""

    rows: Array  # of a leaf; the vantage point of an inner node
    sides: tuple[tuple[Node, float, float], ...] = ()


class PairTreeIndex(PairIndex):
    """A vantage-point tree: rows nearer than the median to a chosen row, and rows farther, again and again.

    By the triangle inequality a row x with lo ≤ d(v, x) ≤ hi is at least max(d(q, v) − hi, lo − d(q, v))
    from q. Queries walk down together, so that the metric is asked about many pairs at a time.
    (Yianilos, 1993.)
    """

    kind: Kind = "vp_tree"

    def __init__(self, rows: Any, distances: Distances, why: str, leaf_size: int | None = None):
        super().__init__(rows, distances, why)
        self.leaf_size = max(1, leaf_size or 16)
        self._root = self._grow(np.arange(self.n_rows))

    def _grow(self, ids: Array) -> Node:
        if len(ids) <= self.leaf_size:
            return Node(ids)
        # The row farthest from the first one stands at the edge, where balls overlap least.
        point = ids[int(np.argmax(self.measure_pairs(_take_rows(self.rows, ids[:1]), _take_rows(self.rows, ids))[0]))]
        others = ids[ids != point]
        d = self.measure_pairs(_take_rows(self.rows, np.array([point])), _take_rows(self.rows, others))[0]
        order = np.argsort(d, kind="stable")
        half = len(order) // 2
        if d[order[0]] == d[order[-1]]:  # nothing to tell them apart by: a leaf, however large
            return Node(ids)
        sides = tuple(
            (self._grow(np.sort(others[part])), float(d[part[0]]), float(d[part[-1]]))
            for part in (order[:half], order[half:])
        )
        return Node(np.array([point]), sides)

    @property
    def nbytes(self) -> int:
        return 8 * self.n_rows + 150 * (2 * self.n_rows // self.leaf_size)

    def _nearest(self, queries: Any, k: int, skip: Array | None) -> tuple[Array, Array]:
        n = len(queries)
        distances = np.full((n, k), np.inf)
        rows = np.full((n, k), self.n_rows, np.int64)

        def show(some: Array, ids: Array, d: Array) -> None:
            # +inf and a row beyond the last is what a place without a neighbour holds.
            r = np.broadcast_to(ids, d.shape)
            if skip is not None:
                out = skip[some][:, None] == ids[None, :]
                d, r = np.where(out, np.inf, d), np.where(out, self.n_rows, r)
            both, names = np.hstack([distances[some], d]), np.hstack([rows[some], r])
            order = np.lexsort((names, both), axis=-1)[:, :k]
            distances[some] = np.take_along_axis(both, order, 1)
            rows[some] = np.take_along_axis(names, order, 1)

        self._walk(self._root, queries, np.arange(n), np.zeros(n), lambda some: distances[some, -1], show)
        return distances, rows

    def _within(self, queries: Any, radii: Array, skip: Array | None) -> Lists:
        parts: list[tuple[Array, Array, Array]] = []

        def show(some: Array, ids: Array, d: Array) -> None:
            at, place = np.nonzero(d <= radii[some][:, None])
            kept = skip[some[at]] != ids[place] if skip is not None else slice(None)
            parts.append((some[at][kept], ids[place][kept], d[at, place][kept]))

        n = len(queries)
        self._walk(self._root, queries, np.arange(n), np.zeros(n), lambda some: radii[some], show)
        who, rows, d = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((rows, d, who))
        start = np.concatenate([[0], np.cumsum(np.bincount(who, minlength=n))]).astype(np.int64)
        return start, rows[order].astype(np.int64), d[order]

    def _walk(
        self,
        node: Node,
        queries: Any,
        some: Array,
        bound: Array,
        limit: Callable[[Array], Array],
        show: Callable[[Array, Array, Array], None],
    ) -> None:
        """Show queries `some`, at least `bound` away from all rows below, what is near enough of these."""
        still = bound <= limit(some)
        some, bound = some[still], bound[still]
        if len(some) == 0:
            return
        for first in range(0, len(node.rows), max(1, BLOCK // len(some))):
            ids = node.rows[first : first + max(1, BLOCK // len(some))]
            d = self.measure_pairs(_take_rows(queries, some), _take_rows(self.rows, ids))
            show(some, ids, d)
        if not node.sides:
            return
        away = d[:, 0]
        # Rounding of distances must not lose a neighbour: room for a millionth of a millionth.
        bounds = [np.maximum(away - high, low - away) - 1e-12 * (away + high) for _, low, high in node.sides]
        inside_first = bounds[0] <= bounds[1]
        for side, mine in ((0, inside_first), (1, ~inside_first), (1, inside_first), (0, ~inside_first)):
            self._walk(node.sides[side][0], queries, some[mine], np.maximum(bound, bounds[side])[mine], limit, show)
