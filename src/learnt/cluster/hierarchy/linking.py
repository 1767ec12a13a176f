"""From rows or distances to a hierarchy, by the kernels."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from learnt import _core
from learnt.cluster.hierarchy.hierarchy import Hierarchy
from learnt.cluster.row_space import Coordinates, RowSpace
from learnt.data.table import Array, Table
from learnt.distance.precomputed import check_room, condense
from learnt.errors import InputError

#: Linkages that go by the centres of clusters, and those that a graph may restrict.
CENTRES = ("ward", "centroid", "median")
RESTRICTED = ("ward", "complete", "average", "single")
LINKAGES = ("ward", "single", "complete", "average", "weighted", "centroid", "median")


class _Room:
    """Where a kernel puts its tree."""

    def __init__(self, n: int):
        self.children = np.empty((max(0, n - 1), 2), np.int64)
        self.heights, self.counts = np.empty(max(0, n - 1)), np.empty(max(0, n - 1), np.int64)

    @property
    def out(self) -> tuple[Array, Array, Array]:
        return self.children, self.heights, self.counts

    def tree(self, heights: Array) -> Hierarchy:
        if not np.isfinite(heights).all():
            raise InputError(
                "Some clusters are farther apart than the largest number. Divide the columns by a large number."
            )
        return Hierarchy(self.children, heights, self.counts)


def link(table: Table, space: RowSpace, linkage: str, weights: Array | None) -> Hierarchy:
    """The hierarchy of the rows of a table: from coordinates where that is enough, else from all distances."""
    if linkage in (*CENTRES, "single"):
        found = space.coordinates(table)
        if found is not None:
            return _link_coordinates(found, linkage, weights)
    instead = "Linkages 'single' and 'ward' of numbers run without them; or take fewer rows."
    check_room(table.n_rows, condensed=True, instead=instead)
    return link_pairs(space.pairs(table), table.n_rows, linkage, weights)


def _link_coordinates(found: Coordinates, linkage: str, weights: Array | None) -> Hierarchy:
    x, room, space = found.x, _Room(len(found.x)), found.space
    if not x.shape[1]:  # no column tells rows apart
        x = np.zeros((len(x), 1))
    if linkage in CENTRES:
        x = centred_rows(x)
        _core.link_rows(x, linkage, "l2", 2.0, None, weights, *room.out)
    else:
        _core.link_rows(x, linkage, space.norm, space.power, space.weights, None, *room.out)
    with np.errstate(over="ignore"):
        return room.tree(found.metric_distances(room.heights))


def centred_rows(x: Array) -> Array:
    """Rows moved next to the origin: means of numbers like 1e8 + 0.1 would lose digits."""
    middle = x.min(axis=0) / 2 + x.max(axis=0) / 2
    moved: Array = x - middle
    return moved


def link_pairs(pairs: Array, n: int, linkage: str, weights: Array | None) -> Hierarchy:
    """The hierarchy by condensed distances, which are used up."""
    room, scale = _Room(n), 1.0
    if linkage in CENTRES and len(pairs):
        # Squares of these: a power of two keeps them from overflowing and vanishing, and changes no digit.
        scale = math.ldexp(1.0, -math.frexp(float(pairs.max()))[1])
        pairs *= scale
        np.square(pairs, out=pairs)
    else:
        scale = addable_scale(pairs, n if weights is None else float(weights.sum()))
        if scale != 1:
            pairs *= scale
    _core.link_pairs(pairs, n, linkage, weights, *room.out)
    with np.errstate(over="ignore"):
        return room.tree(room.heights / scale)


def link_square(square: Array, linkage: str, weights: Array | None) -> Hierarchy:
    return link_pairs(condense(square), len(square), linkage, weights)


def divide_pairs(pairs: Array, n: int) -> Hierarchy:
    """DIANA's hierarchy by condensed distances."""
    room, scale = _Room(n), addable_scale(pairs, n)
    if scale != 1:
        pairs *= scale
    _core.divide_pairs(pairs, n, *room.out)
    return room.tree(room.heights / scale)


def addable_scale(distances: Array, weight: float) -> float:
    """A power of two times which distances of rows of this weight add up without overflow; 1 for ordinary numbers."""
    largest = float(distances.max(initial=0.0))
    beyond = math.frexp(largest)[1] + math.frexp(weight)[1] - 1020
    return math.ldexp(1.0, -beyond) if beyond > 0 else 1.0


# Along a graph


def link_graph(
    graph: Any, table: Table, space: RowSpace | None, square: Array | None, linkage: str, weights: Array | None
) -> Hierarchy:
    """The hierarchy with merges along the edges of a graph alone; `space` or `square` gives the distances."""
    if linkage not in RESTRICTED:
        raise InputError(
            f"linkage={linkage!r} takes no connectivity. Expected one of {', '.join(map(repr, RESTRICTED))}."
        )
    n = table.n_rows
    a, b = _whole(*_edges(graph, n), table, space, square)
    start = np.concatenate([[0], np.cumsum(np.bincount(a, minlength=n))]).astype(np.int64)
    room, scale = _Room(n), 1.0
    if linkage == "ward":
        found = None if space is None else space.coordinates(table)
        if found is None:
            raise InputError("linkage='ward' with connectivity needs rows, not distances: it takes their means.")
        scale = found.scale
        _core.link_graph(start, b, None, centred_rows(found.x), linkage, weights, *room.out)
    else:
        length = square[a, b] if square is not None else space.along(table, a, b) if space is not None else None
        assert length is not None
        scale = addable_scale(length, n if weights is None else float(weights.sum()))
        _core.link_graph(start, b, length * scale, None, linkage, weights, *room.out)
    return room.tree(room.heights / scale)


def _edges(graph: Any, n: int) -> tuple[Array, Array]:
    """Both ends of every edge, both ways, in the order of the first: those of a sparse or dense n × n matrix."""
    from scipy.sparse import coo_array, issparse

    try:
        matrix: Any = graph if issparse(graph) else np.asarray(graph)
        found = coo_array(matrix)
    except (TypeError, ValueError) as error:
        raise InputError(f"connectivity cannot be read as a graph: {error}. Expected an n × n matrix.") from error
    if found.shape != (n, n):
        raise InputError(f"connectivity has the shape {found.shape}. Expected {n} × {n}: a cell for each pair of rows.")
    there = (found.data != 0) & (found.row != found.col)
    row, column = found.row[there].astype(np.int64), found.col[there].astype(np.int64)
    key = np.unique(np.concatenate([row * n + column, column * n + row]))
    return key // n, key % n


def _whole(a: Array, b: Array, table: Table, space: RowSpace | None, square: Array | None) -> tuple[Array, Array]:
    """The edges, and where the graph falls into parts the shortest one between each two of them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = table.n_rows
    parts, part = connected_components(coo_array((np.ones(len(a), bool), (a, b)), shape=(n, n)), directed=False)
    if parts == 1:
        return a, b
    warnings.warn(
        f"The graph falls into {parts} parts. Each two of them are joined by their nearest rows, so that "
        "there is one tree.",
        UserWarning,
        stacklevel=2,
    )
    order = np.argsort(part, kind="stable")
    first = np.concatenate([np.searchsorted(part[order], np.arange(parts)), [n]])
    more_a, more_b = [], []
    for i in range(parts - 1):
        mine, later = order[first[i] : first[i + 1]], order[first[i + 1] :]
        away = square[np.ix_(mine, later)] if square is not None else None
        if away is None and space is not None:
            away = space.distances(table.take(mine), table.take(later))
        assert away is not None
        nearest, own = away.min(axis=0), away.argmin(axis=0)
        starts = first[i + 1 : -1] - first[i + 1]
        least = np.minimum.reduceat(nearest, starts)
        for low, high, value in zip(starts, [*starts[1:], len(later)], least, strict=True):
            place = low + int(np.flatnonzero(nearest[low:high] == value)[0])
            more_a.append(mine[own[place]])
            more_b.append(later[place])
    ends_a, ends_b = np.array([*more_a, *more_b]), np.array([*more_b, *more_a])
    key = np.unique(np.concatenate([a * n + b, ends_a * n + ends_b]))
    return key // n, key % n
