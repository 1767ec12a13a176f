"""Novelty by the distance of the nearest rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.metric import Metric
from learnt.lazy import cached_property
from learnt.neighbors import KeptRows, Search
from learnt.novelty.rows_as_numbers import RowsAsNumbers
from learnt.storable import FiniteNumbers, storable


@storable
@dataclass(frozen=True, eq=False)
class FittedPoints:
    """Fitted rows as points behind an index, with their weights (None: all 1)."""

    rows: KeptRows
    weights: FiniteNumbers | None

    @classmethod
    def of(cls, z: Array, weights: Array) -> FittedPoints:
        return cls(KeptRows.of(Table.of_matrix(z), None), None if bool(np.all(weights == 1)) else weights)

    @cached_property
    def search(self) -> Search:
        return Search(self.rows, Metric("euclidean"), "auto")

    @property
    def z(self) -> Array:
        assert self.rows.matrix is not None
        return self.rows.matrix

    @property
    def total(self) -> float:
        return float(self.rows.n_rows if self.weights is None else self.weights.sum())

    def check(self, width: int) -> None:
        """Raise if a file holds points that no rows have."""
        self.rows.check(self.rows.schema)
        right = self.rows.matrix is not None and self.rows.matrix.shape[1:] == (width,)
        if not right or not np.isfinite(self.z).all():
            raise ValueError("The points are not those of the fitted rows.")
        if self.weights is not None and (self.weights.shape != (len(self.z),) or np.any(self.weights <= 0)):
            raise ValueError("The weights do not fit the points.")

    def nearest(self, z: Array, k: float, skip: Array | None = None) -> tuple[Array, Array, Array]:
        """Distances, rows and shares of the nearest up to a weight of k: points × places; shares add up to 1."""
        pieces = list(self.search.nearest(Table.of_matrix(z), k, self.weights, False, skip))
        wide = max(near.rows.shape[1] for _, near in pieces)
        distances, share = np.zeros((len(z), wide)), np.zeros((len(z), wide))
        rows = np.zeros((len(z), wide), np.int64)
        for places, near in pieces:
            few = near.rows.shape[1]
            for out, found in ((distances, near.distances), (rows, near.rows), (share, near.share)):
                out[places, :few] = found
        return distances, rows, share / share.sum(axis=1, keepdims=True)


@storable
@dataclass(frozen=True, eq=False)
class NeighborDistance:
    """The mean distance of the k nearest fitted rows. The columns share a distance as they share its square."""

    encoding: RowsAsNumbers
    points: FittedPoints
    k: float

    def __post_init__(self) -> None:
        self.points.check(self.encoding.n_columns)
        if not self.k > 0:
            raise ValueError("There is no neighbour.")

    @classmethod
    def fitted(cls, table: Table, weights: Array, k: int, *, standardize: bool) -> NeighborDistance:
        encoding = RowsAsNumbers.of(table, weights, standardize=standardize)
        points = FittedPoints.of(encoding.encode(table), weights)
        return cls(encoding, points, min(float(k), points.total))

    @property
    def base_words(self) -> str:
        return ""

    def novelty(self, table: Table) -> Array:
        distances, _, share = self.points.nearest(self.encoding.encode(table), self.k)
        return np.asarray((distances * share).sum(axis=1))

    def parts(self, table: Table) -> tuple[Array, Array]:
        z = self.encoding.encode(table)
        distances, rows, share = self.points.nearest(z, self.k)
        parts = shared_by_squares(z, self.points.z, rows, distances * share)
        return np.zeros(len(z)), self.encoding.fold(parts)


def shared_by_squares(z: Array, others: Array, rows: Array, amounts: Array) -> Array:
    """Amounts (points × neighbours), shared among the columns by the squares of their differences, and added up."""
    parts = np.zeros(z.shape)
    for place in range(rows.shape[1]):
        squares = (z - others[rows[:, place]]) ** 2
        total = squares.sum(axis=1, keepdims=True)
        parts += np.divide(squares, total, out=np.zeros_like(squares), where=total > 0) * amounts[:, [place]]
    return parts
