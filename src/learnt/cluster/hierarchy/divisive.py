"""Divisive clustering: all rows are one cluster, which is divided until there are enough."""

from __future__ import annotations

import warnings
from typing import Any

from learnt.cluster.hierarchy.hierarchical import HierarchicalClusterer
from learnt.cluster.hierarchy.hierarchy import Hierarchy
from learnt.cluster.hierarchy.linking import centred_rows, divide_pairs
from learnt.cluster.kmeans.bisecting import bisect
from learnt.cluster.nearest_rows import TakenRows, taken_rows
from learnt.distance.metric import Metric
from learnt.distance.precomputed import check_room, condense, metric_for
from learnt.distance.resolving import NAMES
from learnt.engine.whole import WholeTable
from learnt.errors import InputError, ParameterError, convergence_warning
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, OneOf, Whole
from learnt.neighbors import Function, ResolvedMetric
from learnt.watch import report


class DivisiveClustering(HierarchicalClusterer):
    """Divide the loosest cluster in two, beginning with all rows.

        bisecting   the cluster with the largest squared error, by k-means in two; heights are their roots
        diana       the row farthest from the others of its cluster leaves it, and all follow that are nearer to those
                    that left than to those that stayed; heights are diameters, and the tree goes down to single rows

    >>> heights = {"height": [1.0, 1.1, 5.0, 5.3, 9.0]}
    >>> DivisiveClustering(3).fit(heights).labels_.tolist()
    [0, 0, 1, 1, 2]
    >>> model = DivisiveClustering(3, method="diana").fit(heights)
    >>> model.labels_.tolist(), model.distances_.round(2).tolist()
    ([0, 0, 1, 1, 2], [0.1, 0.3, 4.3, 8.0])

    {settings}

    "bisecting" takes columns that are not numbers as `KMeans` does. "diana" compares all pairs: Euclidean distance for
    complete numbers, else the mixed one; it needs 4 n² bytes and counts every row once.

    Attributes: `labels_`, `n_clusters_`, `hierarchy_` (a `Hierarchy`), `children_`, `distances_` (heights),
    `linkage_matrix_` (for SciPy), `n_iter_`, divisions. After "bisecting" the leaves of the tree are the clusters.

    A new row is put into the cluster of the nearest fitted row. Nothing is drawn by chance.

    Reference: L. Kaufman, P. Rousseeuw, Finding Groups in Data, 1990, chapter 6; M. Steinbach, G. Karypis, V. Kumar,
    A comparison of document clustering techniques, 2000.
    """

    abilities = frozenset({"missing", "nominal", "weights", "pairwise"})
    fit_cost = 30.0
    simplicity = 30.0
    readable = True

    n_clusters: int = setting(Whole(1), "how many clusters the labels tell", default=2, kw_only=False)
    method: Any = setting(OneOf("bisecting", "diana"), 'or "diana"', default="bisecting")
    metric: Any = setting(
        OneOf(*NAMES, "precomputed") | ResolvedMetric() | Function(),
        'of "diana": any metric, or "precomputed": X holds distances; "bisecting" has Euclid\'s alone',
        default="auto",
    )
    standardize: Any = setting(
        OneOf("auto") | Flag(),
        'of "bisecting": divide numbers by their standard deviation; "auto": if there are labels',
        default="auto",
    )
    max_iter: int = setting(Whole(1), "most rounds of k-means in a division", default=300)

    def _learn(self, rows: WholeTable) -> None:
        euclid = isinstance(self.metric, str) and self.metric in ("auto", "euclidean", "l2")
        if self.method == "bisecting" and not euclid:
            raise ParameterError(
                f"{type(self).__name__}: method='bisecting' uses means of rows, to which only the Euclidean distance "
                "belongs. Take metric='auto' or 'euclidean', or method='diana'."
            )
        taken = taken_rows(rows, type(self).__name__, self._is_precomputed)
        n = len(taken.numbers)
        if max(n, taken.weight) < self.n_clusters:
            raise InputError(f"n_samples={n} should be >= n_clusters={self.n_clusters}. Ask for fewer clusters.")
        self._design = self._metric = None
        if self.method == "bisecting":
            self._design = self._design_of(rows)
            self.hierarchy_ = self._bisect_rows(taken)
        else:
            self.hierarchy_ = self._divide_rows(taken)
        clusters = self.hierarchy_.cut(min(self.n_clusters, self.hierarchy_.n_leaves))
        self.n_clusters_ = int(clusters.max()) + 1
        self.n_iter_ = max(1, self.n_clusters_ - 1)
        self._keep(taken, clusters)
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                convergence_warning(
                    f"Only {self.n_clusters_} of {self.n_clusters} clusters hold rows: "
                    "there are fewer distinct rows than clusters."
                ),
                stacklevel=2,
            )

    def _bisect_rows(self, taken: TakenRows) -> Hierarchy:
        found = self._space.coordinates(taken.rows)
        assert found is not None
        k = min(self.n_clusters, len(taken.numbers))
        tree = bisect(centred_rows(found.x), taken.weights, k, self.max_iter, type(self).__name__)
        return Hierarchy(tree.children, tree.heights / found.scale, tree.counts, tree.leaf_of)

    def _divide_rows(self, taken: TakenRows) -> Hierarchy:
        if taken.weights is not None:
            raise InputError("method='diana' counts every row once. Leave sample_weight out, or take 'bisecting'.")
        n = len(taken.numbers)
        report("dividing", learner=type(self).__name__, iteration=0, total=max(0, n - 1))
        if taken.square is not None:
            return divide_pairs(condense(taken.square), n)
        check_room(n, condensed=True, instead="method='bisecting' runs without them; or take fewer rows.")
        metric = metric_for(taken.rows, self.metric)
        self._metric = metric if isinstance(metric, Metric) else None
        return divide_pairs(self._space.pairs(taken.rows), n)

    def _how(self) -> str:
        return "k-means in two" if self.method == "bisecting" else "splinter groups"
