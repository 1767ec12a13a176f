"""A model that is a set of centres: how it assigns, measures, explains and shows itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.cluster.distances_from_means import DistancesFromMeans
from learnt.cluster.kmeans.centers_table import CentersSummary, summarize_centers
from learnt.cluster.kmeans.rows import Rows
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.survey import check_finite
from learnt.errors import SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.fields import attribute


class CentersModel(DistancesFromMeans, abstract=True):
    """Each row belongs to the nearest of a few centres. Members fit them."""

    cluster_centers_: Array = attribute()
    _design: Design = attribute()
    _shift: Array = attribute()

    def _predict(self, table: Table) -> Array:
        labels = np.empty(table.n_rows, np.int32)
        if table.matrix is not None and self._design.plain:
            inertia = self._rows(table.matrix).assign(self.cluster_centers_, labels, None, None)
            if np.isfinite(inertia):  # missing and infinite cells show in it, so that looking for them costs nothing
                return labels
        check_finite(table)
        self._encoded(table).assign(self.cluster_centers_, labels, None, None)
        return labels

    def _rows(self, x: Any) -> Rows:
        return Rows(x, None, self._shift)

    def _encoded(self, table: Table) -> Rows:
        x = self._design.encode(table)
        return self._rows(x if x.dtype == self.cluster_centers_.dtype else x.astype(self.cluster_centers_.dtype))

    def _distances(self, table: Table) -> Array:
        check_finite(table)
        return self._encoded(table).distances(self.cluster_centers_)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`: kmeans0, kmeans1, …"""
        return np.array([f"kmeans{c}" for c in range(len(self.cluster_centers_))], dtype=object)

    def get_design_names(self) -> tuple[str, ...]:
        """Names of the columns of `cluster_centers_`: `age`, `town=Bern`, …"""
        return self._design.names

    def summary(self) -> CentersSummary:
        """The centres in the columns of the table, with the size of each cluster: a table to print."""
        self._fitted_schema()
        return summarize_centers(self)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        return self.summary().short()

    def _explain(self, table: Table) -> Explanations:
        names = table.names

        def explain_row(i: int) -> Explanation:
            row = table.rows(i, i + 1)
            rows = self._encoded(row)
            distance = rows.distances(self.cluster_centers_)[0]
            answer = int(self._predict(row)[0])
            gap = rows.take(np.array([0])).astype(np.float64) - self.cluster_centers_[answer]
            parts = self._design.fold(gap**2)[0]
            evidence = tuple(
                Evidence(name, column.labels()[0], float(part), "")
                for name, column, part in zip(names, row.columns, parts, strict=True)
            )
            order = [int(c) for c in np.argsort(distance, kind="stable") if c != answer]
            others = tuple((c, float(distance[c] ** 2)) for c in order)
            total = float(parts.sum())
            return Explanation(answer, "distances", 0.0, "", evidence, total, "squared distance", others)

        check_finite(table)
        return Explanations(table.n_rows, explain_row)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = (len(self.cluster_centers_), self._design.n_columns)
        sizes = getattr(self, "cluster_sizes_", None)  # models saved by early versions have none
        if (
            self.cluster_centers_.shape != shape
            or self._shift.shape != shape[1:]
            or self._design.schema != self._schema
            or (sizes is not None and (np.shape(sizes) != shape[:1] or not np.all(np.asarray(sizes) >= 0)))
        ):
            raise SavedModelError("The centres do not fit the columns.")
