"""Agglomerative clustering: the nearest two clusters merge, until one is left."""

from __future__ import annotations

from typing import Any

from learnt.cluster.hierarchy.hierarchical import HierarchicalClusterer
from learnt.cluster.hierarchy.hierarchy import Hierarchy
from learnt.cluster.hierarchy.linking import CENTRES, LINKAGES, link, link_graph, link_square
from learnt.cluster.nearest_rows import TakenRows, taken_rows
from learnt.distance.metric import Metric
from learnt.distance.precomputed import metric_for
from learnt.distance.resolving import NAMES
from learnt.engine.whole import WholeTable
from learnt.errors import InputError, ParameterError
from learnt.learner.fields import setting
from learnt.learner.parameters import Domain, Flag, OneOf, Real, Whole
from learnt.neighbors import Function, ResolvedMetric
from learnt.show.words import spell
from learnt.watch import report


class Graph(Domain):
    """A sparse or dense matrix with a cell for each pair of rows."""

    words = "an n × n matrix, dense or sparse"

    def __contains__(self, value: object) -> bool:
        shape = getattr(value, "shape", None)
        return isinstance(shape, tuple) and len(shape) == 2 and shape[0] == shape[1]


class AgglomerativeClustering(HierarchicalClusterer):
    """Merge the nearest two clusters, beginning with single rows, until all are one; cut the tree where asked.

        Ward:     d(A, B)² = 2 |A| |B| / (|A| + |B|) · |mean A − mean B|²     what the squared error grows by, doubled
        single, complete, average:   the least, largest, mean distance between a row of A and one of B

    >>> heights = {"height": [1.0, 1.1, 5.0, 5.3, 9.0]}
    >>> model = AgglomerativeClustering(3).fit(heights)
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 2]
    >>> model.cut(height=1.0).tolist(), model.distances_.round(2).tolist()
    ([0, 0, 1, 1, 2], [0.1, 0.3, 4.45, 8.34])

    {settings}

    Ward, centroid and median go with Euclidean distance alone. For them columns that are not numbers enter as in
    `KMeans`: indicators and ranks; missing cells as the mean or the most frequent category.

    Attributes: `labels_`, `n_clusters_`, `hierarchy_` (a `Hierarchy`), `children_`, `distances_` (heights of merges),
    `linkage_matrix_` (for SciPy), `n_leaves_`.

    Single, Ward, centroid and median linkage of numbers need memory for the rows alone, the others 4 n² bytes for all
    distances. A new row is put into the cluster of the nearest fitted row.

    Reference: D. Müllner, Modern hierarchical, agglomerative clustering algorithms, arXiv:1109.2378, 2011.
    """

    abilities = frozenset({"missing", "nominal", "weights", "pairwise"})
    fit_cost = 40.0
    simplicity = 30.0
    readable = True

    n_clusters: int | None = setting(
        OneOf(None) | Whole(1),
        "how many clusters the labels tell; None where a threshold does",
        default=2,
        kw_only=False,
    )
    distance_threshold: float | None = setting(
        OneOf(None) | Real(0), "merges at or above it are not done", default=None
    )
    linkage: Any = setting(
        OneOf(*LINKAGES),
        '"single", "complete", "average", "weighted" (both parts count alike), "centroid", "median"',
        default="ward",
    )
    metric: Any = setting(
        OneOf(*NAMES, "precomputed") | ResolvedMetric() | Function(),
        'Euclid\'s for complete numbers, else "mixed"; any metric, or "precomputed": X holds distances',
        default="auto",
    )
    standardize: Any = setting(
        OneOf("auto") | Flag(),
        'by means only: divide numbers by their standard deviation; "auto": if there are labels',
        default="auto",
    )
    connectivity: Any = setting(
        OneOf(None) | Graph(),
        "n × n matrix, dense or sparse: only rows and clusters that a cell ≠ 0 joins merge",
        default=None,
    )

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        self._check_together()
        taken = taken_rows(rows, type(self).__name__, self._is_precomputed)
        n = len(taken.numbers)
        if self.n_clusters is not None and max(n, taken.weight) < self.n_clusters:
            raise InputError(f"n_samples={n} should be >= n_clusters={self.n_clusters}. Ask for fewer clusters.")
        self._design = self._metric = None
        if not self._is_precomputed:
            if self.linkage in CENTRES:
                self._design = self._design_of(rows)
            else:
                metric = metric_for(taken.rows, self.metric)
                self._metric = metric if isinstance(metric, Metric) else None
        report("linking", learner=type(self).__name__, iteration=0, total=max(0, n - 1))
        self.hierarchy_ = self._link_rows(taken)
        report("linked", learner=type(self).__name__, iteration=max(0, n - 1), total=max(0, n - 1))
        if self.n_clusters is None:
            clusters = self.hierarchy_.cut(height=self.distance_threshold)
        else:
            clusters = self.hierarchy_.cut(min(self.n_clusters, n))
        self.n_clusters_ = int(clusters.max()) + 1
        self._keep(taken, clusters)

    def _check_together(self) -> None:
        name = type(self).__name__
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ParameterError(
                f"{name}: n_clusters={spell(self.n_clusters)} and "
                f"distance_threshold={spell(self.distance_threshold)}. Exactly one of n_clusters and "
                "distance_threshold has to be set, and the other needs to be None."
            )
        euclid = isinstance(self.metric, str) and self.metric in ("auto", "euclidean", "l2", "precomputed")
        if self.linkage in CENTRES and not euclid:
            raise ParameterError(
                f"{name}: linkage={self.linkage!r} uses means of rows, to which only the Euclidean distance belongs. "
                "Take metric='auto' or 'euclidean', or another linkage."
            )

    def _link_rows(self, taken: TakenRows) -> Hierarchy:
        space = None if self._is_precomputed else self._space
        if self.connectivity is not None:
            graph = self.connectivity
            if len(taken.numbers) < taken.whole.n_rows:
                from scipy.sparse import csr_array

                graph = csr_array(graph)[taken.numbers][:, taken.numbers]
            return link_graph(graph, taken.rows, space, taken.square, self.linkage, taken.weights)
        if taken.square is not None:
            return link_square(taken.square, self.linkage, taken.weights)
        assert space is not None
        return link(taken.rows, space, self.linkage, taken.weights)

    def _how(self) -> str:
        return f"{self.linkage} linkage"
