"""k-means on any table, in memory or over files."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.base import Clusterer
from learnt.cluster.lloyd import Lloyd, Sample, TakeSample, lloyd
from learnt.cluster.rows import Rows
from learnt.cluster.start import any_rows, spread_rows
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.survey import Survey, TakeSurvey, check_finite
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError, convergence_warning
from learnt.explain import Evidence, Explanation, Explanations
from learnt.output import FrameOutput
from learnt.parameters import Domain, Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.parameters import Rows as RowsDomain

#: A scan is too large to draw starts from; this much of a sample of it is kept.
_SAMPLE_BYTES = 64_000_000


class KMeans(Clusterer, FrameOutput):
    """Put each row into the group whose mean is nearest, with means that make the groups tight.

        minimise Σ_i w_i · min_c |x_i − μ_c|²

    >>> table = {"height": [1.0, 1.1, 8.0, 8.2], "colour": ["red", "red", "blue", "blue"]}
    >>> KMeans(2, random_state=0).fit(table).labels_.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True

    Numbers enter as they are; ordered categories by rank, other categories as one indicator each, so
    that two different ones lie √2 apart; missing cells as the mean or the most frequent category.

    | setting | default | meaning |
    |---|---|---|
    | `n_clusters` | 8 | k, the number of groups |
    | `init` | "k-means++" | rows far apart (greedily chosen), "random" rows, or k given rows |
    | `n_init` | "auto" | starts, of which the best is kept: 1 for "k-means++" and given rows, 10 for "random" |
    | `max_iter` | 300 | most rounds of one start |
    | `tol` | 1e-4 | stop when centres move less (squared, relative to the mean variance of the columns) |
    | `standardize` | "auto" | divide numbers by their standard deviation: True, False, or if there are categories |
    | `random_state` | None | seed |

    Attributes: `cluster_centers_` (in the columns of `get_design_names()`), `labels_` (not after a
    scan), `inertia_`, `n_iter_`, `converged_`.

    A table in memory starts from all its rows, a `scan` from a hashed sample of them. A centre that
    loses all its rows moves to the row farthest from its own centre.

    Reference: S. Lloyd, Least squares quantization in PCM, 1982.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse", "order-dependent", "random"})
    domains: ClassVar[dict[str, Domain]] = {
        "n_clusters": Whole(1),
        "init": OneOf("k-means++", "random") | RowsDomain(),
        "n_init": OneOf("auto") | Whole(1),
        "max_iter": Whole(1),
        "tol": Real(0),
        "standardize": OneOf("auto") | Flag(),
        "random_state": Seed(),
    }
    finds_infinities = True

    cluster_centers_: Array
    _design: Design
    _shift: Array

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        standardize: Any = "auto",
        random_state: Any = None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.standardize = standardize
        self.random_state = random_state

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        survey: Survey = yield TakeSurvey()
        survey.check_finite()
        # A row of weight 2 stands there twice: weight counts like rows here.
        if max(survey.weighty_rows, survey.row_weight) < self.n_clusters:
            raise InputError(
                f"n_samples={survey.weighty_rows} should be >= n_clusters={self.n_clusters}. Ask for fewer clusters."
            )
        standardize = not training.schema.all_numeric if self.standardize == "auto" else bool(self.standardize)
        design = self._design = Design.of(survey, drop_reference=False, standardize=standardize)
        self._shift, variance = design.moments(survey)
        seed = seed_from(self.random_state)
        rng = np.random.default_rng(seed)
        limit = (
            None if training.in_memory else max(20 * self.n_clusters, _SAMPLE_BYTES // (8 * max(design.n_columns, 1)))
        )
        sample: Sample = yield TakeSample(design, self._shift, limit, seed)
        rows = Rows(sample.x, sample.weights, self._shift)
        best: Lloyd | None = None
        for _ in range(self._starts()):
            found = yield from lloyd(
                design,
                self._shift,
                self._start(rows, rng),
                max_iter=self.max_iter,
                tolerance=self.tol * float(variance.mean()) if len(variance) else 0.0,
                labels=training.in_memory,
            )
            if best is None or found.inertia < best.inertia:
                best = found
        assert best is not None
        self._keep(best, rows.x.dtype)

    def _starts(self) -> int:
        if self.n_init == "auto":
            return 10 if isinstance(self.init, str) and self.init == "random" else 1
        return 1 if not isinstance(self.init, str) else int(self.n_init)

    def _start(self, rows: Rows, rng: np.random.Generator) -> Array:
        if isinstance(self.init, str):
            if self.init == "random":
                return any_rows(rows, self.n_clusters, rng).astype(np.float64)
            return spread_rows(rows, self.n_clusters, rng).astype(np.float64)
        given = Table(self.init)
        if given.shape != (self.n_clusters, self.n_features_in_):
            raise InputError(
                f"init has shape {given.shape}. Expected one row per cluster in the columns of the table: "
                f"({self.n_clusters}, {self.n_features_in_})."
            )
        check_finite(given)
        encoded = self._design.encode(given.matched(self._schema))
        return np.asarray(encoded if isinstance(encoded, np.ndarray) else encoded.todense(), dtype=np.float64)

    def _keep(self, best: Lloyd, dtype: Any) -> None:
        self.cluster_centers_ = best.centers.astype(dtype)
        self.inertia_, self.n_iter_, self.converged_ = best.inertia, best.n_iter, best.converged
        if best.labels is not None:
            self.labels_ = best.labels
        if best.empty:
            warnings.warn(
                convergence_warning(
                    f"Only {self.n_clusters - best.empty} of {self.n_clusters} clusters hold rows: "
                    "there are fewer distinct rows than clusters."
                ),
                stacklevel=2,
            )

    # Using

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

    def transform(self, X: Any) -> Any:
        """Distances to the centres, rows × clusters."""
        return self._framed(self._over(X, self._distances), X)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the distances of the fitted rows to the centres."""
        return self.fit(X, y, sample_weight).transform(X)

    def _distances(self, table: Table) -> Array:
        check_finite(table)
        return self._encoded(table).distances(self.cluster_centers_)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the inertia of `X`: the larger the better, as everywhere."""
        from learnt.engine.training import prepare

        inertia = 0.0
        for batch in prepare(X, None, sample_weight, None, type(self).__name__).batches():
            squares = self._distances(self._matched(batch.table)).min(axis=1) ** 2
            inertia += float(squares.sum() if batch.weights is None else squares @ batch.weights)
        return -inertia

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`: kmeans0, kmeans1, …"""
        return np.array([f"kmeans{c}" for c in range(len(self.cluster_centers_))], dtype=object)

    def get_design_names(self) -> tuple[str, ...]:
        """Names of the columns of `cluster_centers_`: `age`, `town=Bern`, …"""
        return self._design.names

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
        if (
            self.cluster_centers_.shape != shape
            or self._shift.shape != shape[1:]
            or self._design.schema != self._schema
        ):
            raise SavedModelError("The centres do not fit the columns.")
