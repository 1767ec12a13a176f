"""k-medoids: clusters around rows of the table, by any metric."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from learnt.cluster.medoids.nearest_medoid import distances_between, explain_by_medoid, to_nearest
from learnt.cluster.medoids.search import Medoids, build, random_rows, spread_rows
from learnt.cluster.nearest_rows import check_not_sparse
from learnt.data.table import Array, Table
from learnt.distance.metric import Metric
from learnt.distance.own import OwnMetric
from learnt.distance.precomputed import check_distances, check_room, metric_for
from learnt.distance.resolving import NAMES
from learnt.engine.survey import check_finite
from learnt.engine.whole import COMPARES_ROWS, WholeTable
from learnt.errors import InputError, ParameterError, SavedModelError, convergence_warning
from learnt.explain import Explanations
from learnt.learner.base import Clusterer
from learnt.learner.fields import attribute, setting
from learnt.learner.matching import with_unseen_texts
from learnt.learner.output import FrameOutput
from learnt.learner.parameters import Domain, OneOf, Seed, Whole, seed_from
from learnt.learner.saved_settings import check_settings
from learnt.learner.text.counting import TextUse, text_use_by_metric
from learnt.neighbors import Function, KeptRows, ResolvedMetric
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import label


class RowNumbers(Domain):
    """Numbers of rows, such as given medoids."""

    words = "a list of row numbers"

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, list | tuple | np.ndarray) or len(value) == 0:
            return False
        try:
            numbers = np.asarray(value)
        except ValueError:
            return False
        return numbers.ndim == 1 and numbers.dtype.kind in "iu" and bool(numbers.min() >= 0)


class KMedoids(Clusterer, FrameOutput):
    """Put each row into the group of the nearest of k chosen rows, the medoids, with the least sum of distances.

        minimise Σ_i w_i d(x_i, its medoid)      over all choices of k rows

    >>> table = {"height": [1.0, 1.1, 8.0, 8.2, 9.9], "colour": ["red", "red", "blue", "blue", "blue"]}
    >>> model = KMedoids(2).fit(table)
    >>> model.medoid_indices_.tolist(), model.labels_.tolist()
    ([3, 0], [1, 1, 0, 0, 0])

    A medoid is a row one can look at. Distances, not squares, are added: far rows pull less than in k-means. Any
    metric will do: of mixed columns with missing cells, of texts, a function, or distances alone.

    {settings}

    Attributes: `medoid_indices_` (numbers of rows), `medoid_rows_` (the rows themselves; not with "precomputed"),
    `labels_`, `loss_` (the sum above), `n_iter_`, `n_swaps_`, `converged_`.

    With "precomputed" X holds the distances of all rows. "alternate" finds the best row of each group and the groups in
    turn: quick, and often stuck where a swap would help. All distances take 8 n² bytes, 0.8 GB for 10,000 rows; a round
    of swaps looks at them once, for all k together.

    Reference: E. Schubert, P. Rousseeuw, Fast and eager k-medoids clustering, Information Systems 101, 2021.
    """

    abilities = frozenset({"missing", "nominal", "weights", "pairwise", "order-dependent"})
    whole = COMPARES_ROWS
    fit_cost = 30.0
    simplicity = 25.0
    readable = True

    n_clusters: int = setting(Whole(1), "k, the number of groups", default=8, kw_only=False)
    metric: Any = setting(
        OneOf(*NAMES, "precomputed") | ResolvedMetric() | Function(),
        'Euclid\'s for complete numbers, else "mixed"; any of `learnt.distance`, "precomputed"',
        default="auto",
    )
    method: Any = setting(
        OneOf("fasterpam", "pam", "alternate"),
        'swap as soon as it pays; "pam": the best swap of a round; "alternate": see below',
        default="fasterpam",
    )
    init: Any = setting(
        OneOf("build", "k-medoids++", "random") | RowNumbers(),
        'PAM\'s greedy start; "k-medoids++" (drawn far apart), "random", or row numbers',
        default="build",
    )
    n_init: int = setting(Whole(1), "drawn starts, of which the best is kept", default=1)
    max_iter: int = setting(Whole(1), "most rounds of one start", default=300)
    sample: int | None = setting(
        OneOf(None) | Whole(1),
        "medoids of so many rows drawn, `n_init` times; the best for all rows are kept (CLARA)",
        default=None,
    )
    random_state: Any = setting(Seed(), "seed of whatever is drawn", default=0)

    medoid_indices_: Array = attribute()
    labels_: Array = attribute()
    loss_: float = attribute()
    n_iter_: int = attribute()
    n_swaps_: int = attribute()
    converged_: bool = attribute()
    _medoids: KeptRows | None = attribute()
    _metric: Metric | None = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        table, w = rows.table, rows.weights
        check_not_sparse(table, type(self).__name__)
        some = rows.of_positive_weight()
        numbers, weights = some.numbers, some.uneven_weights
        weight = len(numbers) if weights is None else float(weights.sum())
        if max(len(numbers), weight) < self.n_clusters:
            raise InputError(
                f"n_samples={len(numbers)} should be >= n_clusters={self.n_clusters}. Ask for fewer clusters."
            )
        rng = np.random.default_rng(seed_from(self.random_state))
        if self._is_precomputed:
            square = np.ascontiguousarray(check_distances(table))
            best = self._best(square if len(numbers) == len(square) else square[np.ix_(numbers, numbers)], weights, rng)
            self._metric = self._medoids = None
            self._keep(best, numbers[best.rows], table)
            self.labels_ = square[:, self.medoid_indices_].argmin(axis=1).astype(np.int32)
            return
        metric = metric_for(some.table, self.metric)
        self._metric = metric if isinstance(metric, Metric) else None
        if self.sample is not None and self.sample < len(numbers):
            best, picked = self._search_samples(some.table, metric, weights, rng)
        else:
            instead = "Set sample= to find the medoids among some of them, or take fewer rows."
            check_room(len(numbers), instead=instead)
            best, picked = self._best(distances_between(metric, some.table, some.table), weights, rng), None
        found = best.rows if picked is None else picked[best.rows]
        self._medoids = KeptRows.of(some.table.take(found), None)
        self._keep(best, numbers[found], table)
        self.labels_, away = self._nearest(table)
        self.loss_ = float((away if w is None else away * w).sum())

    @property
    def takes_text(self) -> TextUse:  # type: ignore[override]
        return text_use_by_metric(self.metric)

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _best(self, distances: Array, weights: Array | None, rng: np.random.Generator, starts: int = 0) -> Medoids:
        """The best of so many starts; of `n_init` unless told, or of the one that leaves nothing to chance."""
        best: Medoids | None = None
        k = min(self.n_clusters, len(distances))  # heavy rows count more than once, but can only stand for one cluster
        drawn_starts = isinstance(self.init, str) and self.init != "build"
        for _ in range(starts or (self.n_init if drawn_starts else 1)):
            found = Medoids(distances, weights, self._start(distances, weights, k, rng))
            if self.method == "alternate":
                found.alternate(max_iter=self.max_iter)
            else:
                found.swap(eager=self.method == "fasterpam", max_iter=self.max_iter)
            if best is None or found.loss < best.loss:
                best = found
        assert best is not None
        return best

    def _start(self, distances: Array, weights: Array | None, k: int, rng: np.random.Generator) -> Array:
        if not isinstance(self.init, str):
            given = np.asarray(self.init, dtype=np.int64)
            if len(given) != k or len(np.unique(given)) != k or given.max() >= len(distances):
                raise ParameterError(
                    f"init has {len(given)} row numbers up to {given.max()}. Expected {k} different ones, "
                    f"below {len(distances)}, the number of rows that count."
                )
            return given.copy()
        if self.init == "build":
            return build(distances, weights, k)
        if self.init == "random":
            return random_rows(len(distances), weights, k, rng)
        return spread_rows(distances, weights, k, rng)

    def _search_samples(
        self, rows: Table, metric: Metric | OwnMetric, weights: Array | None, rng: np.random.Generator
    ) -> tuple[Medoids, Array]:
        """Medoids of samples; those with the least loss over all rows (Kaufman and Rousseeuw's CLARA)."""
        assert self.sample is not None
        if self.sample < self.n_clusters:
            raise ParameterError(f"sample={self.sample} is less than n_clusters={self.n_clusters}. Draw more rows.")
        kept: tuple[float, Medoids, Array] | None = None
        for _ in range(self.n_init):
            picked = np.sort(random_rows(rows.n_rows, weights, self.sample, rng))
            some = rows.take(picked)
            check_room(self.sample, instead="Take a smaller sample.")
            found = self._best(distances_between(metric, some, some), None, rng, starts=1)
            away = to_nearest(metric, rows, some.take(found.rows))[1]
            loss = float(away.sum() if weights is None else away @ weights)
            if kept is None or loss < kept[0]:
                kept = loss, found, picked
        assert kept is not None
        return kept[1], kept[2]

    def _keep(self, best: Medoids, numbers: Array, table: Table) -> None:
        self.medoid_indices_ = numbers
        self.loss_, self.n_iter_, self.n_swaps_ = best.loss, best.n_iter, best.n_swaps
        self.converged_ = best.converged
        used = len(np.unique(best.nearest))
        if used < self.n_clusters:
            warnings.warn(
                convergence_warning(
                    f"Only {used} of {self.n_clusters} clusters hold rows: there are fewer distinct rows than clusters."
                ),
                stacklevel=2,
            )
        elif not best.converged:
            warnings.warn(
                convergence_warning(f"Medoids still changed after {self.max_iter} rounds. Raise max_iter."),
                stacklevel=2,
            )

    # Using

    @property
    def medoid_rows_(self) -> Table:
        """The medoids: one row of the table for each cluster."""
        self._fitted_schema()
        return self._kept_rows().table

    def _kept_rows(self) -> KeptRows:
        if self._medoids is None:
            raise InputError(
                "This KMedoids was fitted on distances (metric='precomputed') and never saw rows. It knows "
                "medoid_indices_ and labels_, but cannot place new rows. Fit it on the table, with a metric."
            )
        return self._medoids

    def _measure(self) -> Metric | OwnMetric:
        self._kept_rows()
        return OwnMetric(self.metric) if self._metric is None else self._metric

    def _nearest(self, table: Table) -> tuple[Array, Array]:
        return to_nearest(self._measure(), table, self._kept_rows().table)

    def _predict(self, table: Table) -> Array:
        return self._nearest(table)[0]

    def _matched(self, X: Any) -> Table:
        same = super()._matched(X)
        # A function sees labels, also those that fitting never saw.
        return with_unseen_texts(X, same, range(same.n_columns) if self._metric is None else self._metric.text)

    def transform(self, X: Any) -> Any:
        """Distances to the medoids, rows × clusters."""
        still = self._still()
        found = still._over(X, lambda table: distances_between(still._measure(), table, still._kept_rows().table))
        return still._framed(found, X)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the distances of the fitted rows to the medoids."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`: kmedoids0, kmedoids1, …"""
        return np.array([f"kmedoids{c}" for c in range(len(self.medoid_indices_))], dtype=object)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        sizes = np.bincount(self.labels_, minlength=len(self.medoid_indices_))
        head = f"{len(sizes)} medoids of {len(self.labels_)} rows, sum of distances {number(self.loss_)}"
        names = () if self._medoids is None else self._schema.names[:8]
        cells = [["cluster", "rows", "medoid", *names]]
        for c, row in enumerate(self.medoid_indices_.tolist()):
            shown = [] if self._medoids is None else [label(col.labels()[c]) for col in self._medoids.table.columns[:8]]
            cells.append([str(c), str(sizes[c]), f"row {row}", *shown])
        more = 0 if self._medoids is None else len(self._schema) - len(names)
        return head + "\n" + aligned(cells) + (f"\n… and {more} more columns" if more else "")

    def _explain(self, table: Table) -> Explanations:
        check_finite(table)
        return explain_by_medoid(self._measure(), table, self._kept_rows().table)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        k = len(self.medoid_indices_)
        numbers, labels = self.medoid_indices_, self.labels_
        if numbers.dtype != np.int64 or numbers.ndim != 1 or k == 0 or k > self.n_clusters:
            raise SavedModelError("The medoids are not rows.")
        if labels.dtype != np.int32 or labels.ndim != 1 or not len(labels) or labels.min() < 0 or labels.max() >= k:
            raise SavedModelError("The labels name clusters that are not there.")
        if numbers.min() < 0 or numbers.max() >= len(labels) or not np.isfinite(self.loss_):
            raise SavedModelError("The medoids are not among the rows, or the loss is not finite.")
        if (self._medoids is None) != self._is_precomputed or (self._metric is None and not self._is_precomputed):
            raise SavedModelError("The medoids or their metric are missing.")
        if self._medoids is not None and self._metric is not None:
            self._medoids.check(self._schema)
            if self._medoids.n_rows != k:
                raise SavedModelError("There are not as many rows as medoids.")
            self._metric.check(self._medoids.table)
