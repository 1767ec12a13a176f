"""Where rows lie when clusters are sought by their distances: in the columns of a design, or under a metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from learnt.cluster.medoids.nearest_medoid import distance_parts
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.distance.gapped_rows import GappedIndex, distances_with_gaps
from learnt.distance.metric import Metric
from learnt.distance.own import OwnMetric
from learnt.distance.precomputed import check_dense, check_room, distances_of
from learnt.distance.space import Space, safe_scale, space_of
from learnt.neighbors import KeptRows, Lists, Search, build_index

EUCLID = Space("euclidean", "l2")


class RowIndex(Protocol):
    """Kept rows that are asked with tables."""

    def query(self, table: Table, k: int, skip: Any = None) -> tuple[Array, Array]: ...
    def radius(self, table: Table, r: Any, skip: Any = None) -> Lists: ...


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Rows as numbers, the norm of their differences, and the power of two they were multiplied by."""

    x: Array
    space: Space
    scale: float

    def metric_distances(self, distances: Array) -> Array:
        return self.space.metric_distances(distances / self.scale)


@dataclass(frozen=True, eq=False)
class RowSpace:
    """Distances of rows: Euclidean between the rows of a design, or those of a metric."""

    design: Design | None
    metric: Metric | OwnMetric

    def coordinates(self, table: Table) -> Coordinates | None:
        """Rows in which a norm of differences is the distance, small enough for squares; None if there are none."""
        space = EUCLID if self.design is not None else space_of(self.metric)
        if space is None:
            return None
        x = self._encoded(table) if self.design is not None else space.rows(table)
        if space.without_direction(x) is not None:
            return None
        scale = safe_scale(x, space)
        wide: Array = np.ascontiguousarray(x, dtype=np.float64)
        return Coordinates(wide if scale == 1 else wide * scale, space, scale)

    def pairs(self, table: Table) -> Array:
        """The condensed distances of all pairs of rows."""
        if self.design is not None:
            return distances_of(Table.of_matrix(self._encoded(table)), "euclidean", condensed=True)
        metric = self.metric.function if isinstance(self.metric, OwnMetric) else self.metric
        return distances_of(table, metric, condensed=True)

    def distances(self, a: Table, b: Table) -> Array:
        """All distances between the rows of two tables."""
        if self.design is None:
            return (
                distances_with_gaps(self.metric, a, b)
                if isinstance(self.metric, Metric)
                else self.metric.distances(a, b)
            )
        return EUCLID.between(self._encoded(a), self._encoded(b))

    def along(self, table: Table, a: Array, b: Array) -> Array:
        """The distances of the pairs of rows (a_i, b_i)."""
        found = self.coordinates(table)
        if found is None:
            check_room(table.n_rows)
            square: Array = self.distances(table, table)
            return square[a, b]
        out = np.empty(len(a))
        step = max(1, (1 << 20) // found.x.shape[1])
        for i in range(0, len(a), step):
            out[i : i + step] = _norms(found.space, found.x[a[i : i + step]] - found.x[b[i : i + step]])
        return found.metric_distances(out)

    def index(self, rows: KeptRows) -> RowIndex:
        """An index of kept rows."""
        if self.design is not None:
            return _EncodedRows(self.design, self._encoded(rows.table))
        if isinstance(self.metric, OwnMetric):
            return Search(rows, self.metric.function, "auto")
        index = Search(rows, self.metric, "auto")
        return GappedIndex(index, self.metric, rows.table) if self.metric.needs_all_cells else index

    def parts(self, row: Table, other: Table, distance: float) -> tuple[float, Array, str]:
        """What each column adds to the distance of two rows, or to its square: (rest, parts, what they add up to)."""
        if self.design is None:
            return distance_parts(self.metric, row, other, distance)
        gap = self._encoded(row).astype(np.float64) - self._encoded(other)
        return 0.0, self.design.fold(gap**2)[0], "squared distance"

    def _encoded(self, table: Table) -> Array:
        assert self.design is not None
        return _dense(self.design, table)


class _EncodedRows:
    """An index over the rows of a design."""

    def __init__(self, design: Design, x: Array):
        self.design, self.index = design, build_index(x)

    def query(self, table: Table, k: int, skip: Any = None) -> tuple[Array, Array]:
        return self.index.query(_dense(self.design, table), k, skip)

    def radius(self, table: Table, r: Any, skip: Any = None) -> Lists:
        return self.index.radius(_dense(self.design, table), r, skip)


def _dense(design: Design, table: Table) -> Array:
    """The rows of a design, also of a wide one, cell by cell."""
    x = design.encode(table)
    if isinstance(x, np.ndarray):
        return x
    check_dense(*x.shape)
    dense: Array = x.toarray()
    return dense


def _norms(space: Space, difference: Array) -> Array:
    """The norm of each row of differences."""
    away = np.abs(difference)
    weights = 1.0 if space.weights is None else space.weights
    if space.norm == "max":
        return np.asarray((away * weights).max(axis=1))
    if space.norm == "hamming":
        return np.asarray(np.average(away != 0, axis=1, weights=space.weights))
    power = {"l1": 1.0, "l2": 2.0}.get(space.norm, space.power)
    return np.asarray(((away**power) * weights).sum(axis=1) ** (1 / power))
