"""The neighbours themselves: who they are, how far, and as a graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import ParameterError
from learnt.lazy import cached_property
from learnt.learner.base import Learner
from learnt.learner.fields import attribute
from learnt.neighbors.index.build import Index
from learnt.neighbors.kept_rows import KeptRows
from learnt.neighbors.measure import Measure
from learnt.neighbors.search import Search
from learnt.show.words import spell


class NeighborQuestions(Learner, abstract=True):
    """`kneighbors`, `radius_neighbors` and their graphs, with scikit-learn's names and answers.

    Rows are numbered as in the table that was fitted, whatever their weights; rows of weight 0 are nobody's
    neighbours. Without `X` the question is about the fitted rows, none of which is its own neighbour.
    """

    n_neighbors_: int = attribute()
    metric: Any = attribute()
    index: Any = attribute()
    radius: Any = attribute()
    _rows: KeptRows = attribute()
    _measure: Measure | None = attribute()  # None if the metric is a function

    @cached_property
    def _search(self) -> Search:
        how = self.metric if self._measure is None else self._measure
        return Search(self._rows, how, str(self.index))

    @property
    def index_(self) -> Index:
        """The index that finds the neighbours: its `kind`, `why` it was chosen, and how many bytes it takes."""
        self._fitted_schema()
        return self._search.index

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest rows of each row: distances and row numbers, both rows × neighbours, nearest first.

        Of equally distant rows those that come first in the table are taken.
        """
        still = self._still()
        table, skip = still._asked_rows(X)
        n = still._rows.n_rows - (skip is not None)
        k = min(still.n_neighbors_, n) if n_neighbors is None else n_neighbors
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= n:
            raise ParameterError(
                f"n_neighbors is {spell(k)}. Expected a whole number from 1 to {n}, the rows there are."
            )
        distances, rows = still._search.query(table, int(k), skip)
        rows = still._rows.named(rows)
        return (distances, rows) if return_distance else rows

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """Neighbours as a sparse matrix, rows × fitted rows: 1 for a neighbour, or its distance."""
        still = self._still()
        distances, rows = still.kneighbors(X, n_neighbors)
        start = np.arange(0, rows.size + 1, rows.shape[1])
        return _graph(start, rows.ravel(), distances.ravel(), mode, still._rows.n_fitted)

    def radius_neighbors(self, X: Any = None, radius: float | None = None, return_distance: bool = True) -> Any:
        """All rows within a radius of each row: arrays of arrays of distances and row numbers, nearest first."""
        still = self._still()
        start, rows, distances = still._lists(X, radius)
        names = _ragged_lists(start, still._rows.named(rows))
        return (_ragged_lists(start, distances), names) if return_distance else names

    def radius_neighbors_graph(self, X: Any = None, radius: float | None = None, mode: str = "connectivity") -> Any:
        """Rows within a radius as a sparse matrix, rows × fitted rows: 1 for a neighbour, or its distance."""
        still = self._still()
        start, rows, distances = still._lists(X, radius)
        return _graph(start, still._rows.named(rows), distances, mode, still._rows.n_fitted)

    def _renumber(self, numbers: Array, n_rows: int) -> None:
        """Speak of rows by their numbers in a larger table of `n_rows`, of which only these were fitted."""
        own = numbers if self._rows.numbers is None else numbers[self._rows.numbers]
        self._rows = replace(self._rows, numbers=own, n_fitted=n_rows)

    def _asked_rows(self, X: Any) -> tuple[Table, Array | None]:
        """The table in question, and for each row which one it shall not get."""
        self._fitted_schema()
        if X is not None:
            return self._matched(X), None
        return self._rows.table, np.arange(self._rows.n_rows)

    def _lists(self, X: Any, radius: float | None) -> tuple[Array, Array, Array]:
        r = self.radius if radius is None else radius
        if isinstance(r, bool) or not isinstance(r, int | float | np.number) or not r >= 0:
            raise ParameterError(f"radius is {spell(r)}. Expected a number of at least 0, here or as a setting.")
        table, skip = self._asked_rows(X)
        return self._search.radius(table, float(r), skip)


def _graph(start: Array, rows: Array, distances: Array, mode: str, n_columns: int) -> Any:
    from scipy.sparse import csr_matrix

    if mode not in ("connectivity", "distance"):
        raise ParameterError(f"mode is {mode!r}. Expected 'connectivity' or 'distance'.")
    values = distances if mode == "distance" else np.ones(len(rows))
    return csr_matrix((values, rows, start), shape=(len(start) - 1, n_columns))


def _ragged_lists(start: Array, values: Array) -> Array:
    found = np.empty(len(start) - 1, dtype=object)
    for i in range(len(found)):
        found[i] = values[start[i] : start[i + 1]]
    return found
