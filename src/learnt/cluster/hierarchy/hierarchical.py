"""What clusterers have in common that grow a tree of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.cluster.hierarchy.hierarchy import Hierarchy
from learnt.cluster.nearest_rows import NearestRowClusterer
from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.first_look import look_at
from learnt.engine.whole import WholeTable
from learnt.errors import SavedModelError
from learnt.learner.fields import attribute
from learnt.show.words import count_of, first_of


class HierarchicalClusterer(NearestRowClusterer, abstract=True):
    """Members set `hierarchy_` and `n_clusters_`; here is how the tree is read."""

    hierarchy_: Hierarchy = attribute()
    n_clusters_: int = attribute()

    def _design_of(self, rows: WholeTable) -> Design:
        """How rows become numbers that have means."""
        scaled = getattr(self, "standardize", "auto")
        return look_at(rows.table, rows.weights, drop_reference=False, standardize=scaled).design

    @property
    def children_(self) -> Array:
        """Merges × 2: the clusters merged; leaves are 0 … n − 1, merge k makes cluster n + k."""
        return self.hierarchy_.children

    @property
    def distances_(self) -> Array:
        """The height of each merge."""
        return self.hierarchy_.heights

    @property
    def linkage_matrix_(self) -> Array:
        """The merges in the format of SciPy."""
        return self.hierarchy_.linkage_matrix

    @property
    def n_leaves_(self) -> int:
        return self.hierarchy_.n_leaves

    def cut(self, n_clusters: int | None = None, *, height: float | None = None) -> Array:
        """The clusters of the rows that count when the tree is cut elsewhere; see `Hierarchy.cut`."""
        self._fitted_schema()
        return self.hierarchy_.cut(n_clusters, height=height)

    def dendrogram(self, labels: Any = None, **settings: Any) -> Any:
        """Draw the tree, the clusters of `labels_` in their colours; see `Hierarchy.dendrogram`."""
        self._fitted_schema()
        if not {"n_clusters", "height"} & set(settings):
            settings["n_clusters"] = self.n_clusters_
        return self.hierarchy_.dendrogram(labels, **settings)

    def cophenetic_correlation(self, distances: Any = None) -> float:
        """How well the tree keeps the distances of all pairs of rows; with "precomputed" give them again."""
        self._fitted_schema()
        if distances is None:
            distances = self._space.pairs(self._kept_rows().table)
        return self.hierarchy_.cophenetic_correlation(distances)

    def _how(self) -> str:
        """By what the tree was grown, in words."""
        raise NotImplementedError

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        sizes = np.bincount(self.labels_[self.labels_ >= 0]).tolist()
        shown = first_of([str(size) for size in sizes], 8)
        clusters = count_of(self.n_clusters_, "cluster")
        return f"{clusters} by {self._how()}, of {shown} rows\n{self.hierarchy_}"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        tree, counted = self.hierarchy_, len(np.unique(self.labels_[self.labels_ >= 0]))
        if tree.n_rows > len(self.labels_) or (self._rows is not None and tree.n_rows != self._rows.n_rows):
            raise SavedModelError("The hierarchy does not hold the rows.")
        if self.n_clusters_ != counted or self.labels_.min() < 0:
            raise SavedModelError("The labels do not fit the number of clusters.")
