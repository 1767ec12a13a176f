"""The local outlier factor: how much sparser rows lie around a row than around its neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Table
from learnt.novelty.neighbor_distance import FittedPoints, shared_by_squares
from learnt.novelty.rows_as_numbers import RowsAsNumbers
from learnt.storable import FiniteNumbers, storable

#: Where more than k rows are copies of each other, they would lie infinitely dense.
LEAST_REACH = 1e-10


@storable
@dataclass(frozen=True, eq=False)
class LocalOutlierFactor:
    """With the k nearest fitted rows o of x, and r(x, o) = max(distance of o's k-th neighbour, d(x, o)):

        LOF(x) = mean_o density(o) · mean_o r(x, o),   density(x) = 1 / mean_o r(x, o)

    About 1 amid rows as dense as their neighbours. In parts: what it would be with x as near to its neighbours as
    theirs are, and what is added by d(x, o) beyond that, shared by columns as they share its square.
    """

    encoding: RowsAsNumbers
    points: FittedPoints
    reach: FiniteNumbers  # the distance of the k-th neighbour of each fitted row
    density: FiniteNumbers
    k: float

    def __post_init__(self) -> None:
        self.points.check(self.encoding.n_columns)
        shape = (self.points.rows.n_rows,)
        if self.reach.shape != shape or self.density.shape != shape or not self.k > 0:
            raise ValueError("The densities do not fit the points.")

    @classmethod
    def fitted(cls, table: Table, weights: Array, k: int, *, standardize: bool) -> LocalOutlierFactor:
        encoding = RowsAsNumbers.of(table, weights, standardize=standardize)
        points = FittedPoints.of(encoding.encode(table), weights)
        wanted = min(float(k), points.total - 1)
        if not wanted > 0:  # a row alone has no neighbours: distances are taken as they are
            n = points.rows.n_rows
            return cls(encoding, points, np.zeros(n), np.ones(n), min(float(k), points.total))
        distances, rows, share = _others(points, wanted)
        reach = np.where(share > 0, distances, 0.0).max(axis=1)
        spacing = (np.maximum(reach[rows], distances) * share).sum(axis=1)
        return cls(encoding, points, reach, 1 / (spacing + LEAST_REACH), wanted)

    @property
    def base_words(self) -> str:
        return "as near as its neighbours are to theirs"

    def novelty(self, table: Table) -> Array:
        distances, rows, share = self.points.nearest(self.encoding.encode(table), self.k)
        spacing = (np.maximum(self.reach[rows], distances) * share).sum(axis=1)
        return np.asarray((self.density[rows] * share).sum(axis=1) * (spacing + LEAST_REACH))

    def parts(self, table: Table) -> tuple[Array, Array]:
        z = self.encoding.encode(table)
        distances, rows, share = self.points.nearest(z, self.k)
        around = (self.density[rows] * share).sum(axis=1, keepdims=True)
        near = self.reach[rows]
        base = around[:, 0] * ((near * share).sum(axis=1) + LEAST_REACH)
        beyond = np.maximum(distances - near, 0.0) * share * around
        return base, self.encoding.fold(shared_by_squares(z, self.points.z, rows, beyond))


def _others(points: FittedPoints, k: float) -> tuple[Array, Array, Array]:
    """The nearest of each fitted row, itself left out once: of a row of weight 2 the other copy is a neighbour."""
    n = points.rows.n_rows
    if points.weights is None:
        return points.nearest(points.z, k, np.arange(n))
    distances, rows, share = points.nearest(points.z, min(k + 1, points.total))
    own = share * min(k + 1, points.total)
    itself = (rows == np.arange(n)[:, None]) & (own > 0)
    # With more copies than k it may not be among them: then any other copy stands for it.
    itself[:, 0] |= ~itself.any(axis=1)
    own = np.maximum(own - itself, 0.0)
    own = np.clip(k - (np.cumsum(own, axis=1) - own), 0, own)
    return distances, rows, own / own.sum(axis=1, keepdims=True)
