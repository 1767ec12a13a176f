"""Multidimensional scaling: a map of rows from their distances."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.base import Transformer
from learnt.data.scan import Scan
from learnt.data.table import Array, Table
from learnt.distance.metric import Metric
from learnt.distance.precomputed import check_distances, distances_of, metric_for
from learnt.distance.resolving import NAMES
from learnt.engine.blas import one_blas_thread
from learnt.engine.passes import Pass
from learnt.engine.survey import TakeSurvey, check_finite
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError, convergence_warning
from learnt.neighbors.kept_rows import KeptRows
from learnt.parameters import Domain, OneOf, Real, Seed, Whole, seed_from
from learnt.reduce.classical_scaling import ClassicalScaling, classical_scaling
from learnt.reduce.monotone import Curve
from learnt.reduce.smacof import Arrangement, placed, smacof

#: Pairs of rows kept for the picture of how well distances are met.
_SHOWN = 2000

#: Distances measured at a time, when new rows are placed.
_CELLS = 1 << 22


class MDS(Transformer):
    """Draw a map of rows: places whose distances on the map are those of the rows, as nearly as so few columns can.

        "classical"   −½ J D² J = Σ λ u uᵀ,  places √λ u
        "smacof"      argmin Σ w_i w_j (δ_ij − d_ij)²
        "nonmetric"   the same with δ a rising curve of the dissimilarities: only their order counts

    >>> towns = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> places = MDS(metric="precomputed").fit_transform(towns)
    >>> np.linalg.norm(places[1] - places[2]).round(6)
    np.float64(5.0)

    | setting | default | meaning |
    |---|---|---|
    | `n_components` | 2 | columns of the map |
    | `method` | "classical" | or "smacof", "nonmetric" |
    | `metric` | "auto" | "euclidean" for complete numbers, otherwise "mixed"; a name of `learnt.distance`; \
"precomputed": X holds the distances of all pairs |
    | `n_init` | 1 | starts of "smacof" and "nonmetric", the best of which is kept: the classical map, then random |
    | `max_iter` | 300 | most steps |
    | `tol` | 1e-6 | stop when the stress falls by a smaller share |
    | `random_state` | None | seed of further starts |

    Attributes: `embedding_`, the place of each fitted row; `stress_`, Kruskal's √(Σ (δ − d)² / Σ d²), 0 at best;
    `eigenvalues_` ("classical"); `n_iter_`, `converged_`; `shepard_`, of some pairs of rows: dissimilarity, distance on
    the map, and the distance aimed at.

    New rows are placed by their distances from the fitted ones: by Gower's formula ("classical"), else where they fit
    best with the map held still. With metric="precomputed", `transform` takes these distances, new × fitted rows. A row
    equal to a fitted one goes where that is.

    All pairs are compared: n² numbers are held in memory.

    Reference: I. Borg, P. J. F. Groenen, Modern Multidimensional Scaling, 2005.
    """

    abilities = frozenset({"missing", "nominal", "weights", "pairwise"})
    fit_cost = 200.0
    simplicity = 40.0
    search_space: ClassVar[dict[str, Any]] = {"method": ("classical", "smacof", "nonmetric")}
    domains: ClassVar[dict[str, Domain]] = {
        "n_components": Whole(1),
        "method": OneOf("classical", "smacof", "nonmetric"),
        "metric": OneOf(*NAMES, "precomputed"),
        "n_init": Whole(1),
        "max_iter": Whole(1),
        "tol": Real(0),
        "random_state": Seed(),
    }
    finds_infinities = True

    embedding_: Array
    stress_: float
    shepard_: Array
    _rows: KeptRows | None
    _metric: Metric | None
    _weights: Array
    _places: Array  # of the rows that weigh anything
    _classical: ClassicalScaling | None
    _curve: Curve | None
    _scale: float

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: str = "classical",
        metric: str = "auto",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-6,
        random_state: Any = None,
    ):
        self.n_components = n_components
        self.method = method
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        if not isinstance(training.source, Table):
            raise InputError("MDS compares all pairs of rows and takes a table in memory, not a scan. Read it first.")
        (yield TakeSurvey()).check_finite()
        table, weights = training.source, training.weights
        there = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
        self._weights = np.ones(len(there)) if weights is None else weights[there]
        if self.metric == "precomputed":
            self._rows = self._metric = None
            distances = check_distances(table)[np.ix_(there, there)]
        else:
            self._rows = KeptRows.of(table, weights)
            metric = metric_for(self._rows.table, self.metric)
            assert isinstance(metric, Metric)
            self._metric = metric
            distances = distances_of(self._rows.table, metric)
        self._arrange(distances)
        self.embedding_ = self._places
        if len(there) < table.n_rows:  # rows of weight 0 have no say, but a place
            self.embedding_ = np.empty((table.n_rows, self.n_components))
            self.embedding_[there] = self._places
            others = np.setdiff1d(np.arange(table.n_rows), there)
            far = check_distances(table)[np.ix_(others, there)] if self._rows is None else None
            self.embedding_[others] = self._placed(table.take(others), far)

    def _arrange(self, distances: Array) -> None:
        """Distances are divided by the largest, so that their squares stay numbers."""
        largest = float(distances.max(initial=0.0))
        self._scale = largest if largest > 0 else 1.0
        d = distances / self._scale
        seed = seed_from(self.random_state)
        found = classical_scaling(d**2, self._weights, self.n_components, seed)
        self._classical = self._curve = None
        self.n_iter_, self.converged_ = 1, True
        places = found.coordinates
        if self.method == "classical":
            self._classical = found
            with np.errstate(over="ignore", under="ignore"):
                self.eigenvalues_ = found.values * self._scale * self._scale
        else:
            best = self._best(d, found.coordinates, seed)
            places, self._curve = best.coordinates, best.curve
            self.n_iter_, self.converged_ = best.n_iter, best.converged
        self._places = places * self._scale
        self._look(d, places)

    def _best(self, d: Array, start: Array, seed: int) -> Arrangement:
        rng, best = np.random.default_rng(seed), None
        for number in range(self.n_init):
            if number > 0:
                start = rng.standard_normal(start.shape) * max(float(start.std()), 1e-3)
            found = smacof(
                d,
                start,
                self._weights,
                max_iter=self.max_iter,
                tol=self.tol,
                by_rank=self.method == "nonmetric",
                learner=type(self).__name__,
            )
            if best is None or found.stress < best.stress:
                best = found
        assert best is not None
        if not best.converged:
            warnings.warn(
                convergence_warning(f"The stress still fell after {self.max_iter} steps. Raise max_iter or tol."),
                stacklevel=2,
            )
        return best

    def _look(self, d: Array, places: Array) -> None:
        """The stress, and some pairs for the picture."""
        from scipy.spatial.distance import cdist

        missed = spread = 0.0
        step = max(1, _CELLS // len(d))
        for first in range(0, len(d), step):
            rows = slice(first, first + step)
            here, aim = cdist(places[rows], places), self._aim(d[rows])
            here[np.arange(len(here)), np.arange(first, first + len(here))] = 0.0
            aim[np.arange(len(aim)), np.arange(first, first + len(aim))] = 0.0
            missed += float(self._weights[rows] @ ((aim - here) ** 2 @ self._weights))
            spread += float(self._weights[rows] @ (here**2 @ self._weights))
        self.stress_ = float(np.sqrt(missed / spread)) if spread > 0 else 0.0 if missed == 0 else 1.0
        one, other = _some_pairs(len(d))
        away = np.linalg.norm(places[one] - places[other], axis=1)
        values = d[one, other]
        self.shepard_ = np.column_stack([values, away, self._aim(values)]) * self._scale

    def _aim(self, d: Array) -> Array:
        """What distances on the map are to be, for dissimilarities in units of the largest."""
        return d.copy() if self._curve is None else self._curve.of(d)

    # Using

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the places of the rows."""
        self.fit(X, y, sample_weight)
        if self.metric != "precomputed":
            return self.transform(X)
        still = self._still()
        table = Table.of_matrix(still.embedding_, list(still.get_feature_names_out()), named=still._schema.named)
        return still._framed(table if still._schema.named else still.embedding_, X)

    def transform(self, X: Any) -> Any:
        """The places of rows on the map, by their distances from the fitted ones; see `MDS`."""
        if isinstance(X, Scan):
            return super().transform(X)
        still = self._still()
        table = still._matched(X)
        names = [str(name) for name in still.get_feature_names_out()]
        if still._schema.named or not still._schema.all_numeric:
            return still._framed(Table.of_matrix(still._map(table), names), X)
        return still._framed(still._map(table), X)

    def _transform(self, table: Table) -> Table:
        return Table.of_matrix(self._map(table), [str(name) for name in self.get_feature_names_out()])

    def _map(self, table: Table) -> Array:
        check_finite(table)
        return self._placed(table, None)

    def _placed(self, table: Table, far: Array | None) -> Array:
        out = np.empty((table.n_rows, self.n_components))
        step = max(1, _CELLS // len(self._places))
        with one_blas_thread():
            for first in range(0, table.n_rows, step):
                rows = slice(first, first + step)
                d = self._distances(table.rows(first, first + step)) if far is None else far[rows]
                out[rows] = self._at(d / self._scale)
        return out

    def _distances(self, table: Table) -> Array:
        """From the fitted rows."""
        if self._rows is None or self._metric is None:
            d = np.array(table, dtype=np.float64)
            if not (np.isfinite(d).all() and np.all(d >= 0)):
                raise InputError(
                    "With metric='precomputed', rows hold the distances from the fitted rows. Expected finite numbers "
                    "of at least 0, none missing."
                )
            if len(self._weights) < d.shape[1]:
                raise InputError(
                    "Rows of weight 0 were fitted by their distances alone: which of the columns are the others is not "
                    "kept. Fit without them."
                )
            return d
        return np.asarray(self._metric.distances(table, self._rows.table))

    def _at(self, d: Array) -> Array:
        here = self._places / self._scale
        if self._classical is not None:
            found = self._classical.place(d**2, self._weights)
        else:
            aim = self._aim(d)
            aim[d == 0] = 0.0
            found = placed(aim, here, self._weights, max_iter=self.max_iter, tol=self.tol)
        nearest = d.argmin(axis=1)
        again = d[np.arange(len(d)), nearest] == 0
        found[again] = here[nearest[again]]
        return found * self._scale

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """mds0, mds1, …"""
        super().get_feature_names_out(input_features)
        return np.array([f"mds{c}" for c in range(self.n_components)], dtype=object)

    def plot(self, ax: Any = None) -> Any:
        """Draw Shepard's diagram: distances on the map against dissimilarities; returns the matplotlib axes."""
        from learnt.plot.shepard import plot_shepard

        self._fitted_schema()
        return plot_shepard(self.shepard_, self.stress_, ax)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        n, k = len(self._weights), self.n_components
        if self._places.shape != (n, k) or self.embedding_.ndim != 2 or self.embedding_.shape[1:] != (k,) or n == 0:
            raise SavedModelError("The places do not fit the rows.")
        if self.shepard_.ndim != 2 or self.shepard_.shape[1:] != (3,):
            raise SavedModelError("The pairs of the diagram are not three numbers each.")
        for values in (self._places, self.embedding_, self._weights, self.shepard_):
            if values.dtype != np.float64 or not np.isfinite(values).all():
                raise SavedModelError("Places or weights are no finite numbers.")
        if not (0 < self._scale < np.inf) or np.any(self._weights <= 0):
            raise SavedModelError("The scale or a weight is out of range.")
        if (self._rows is None) != (self._metric is None) or (self._rows is None) != (self.metric == "precomputed"):
            raise SavedModelError("Rows and metric do not fit together.")
        if self._rows is not None and self._metric is not None:
            self._rows.check(self._schema)
            self._metric.check(self._rows.table)
            if self._rows.n_rows != n:
                raise SavedModelError("There is not one place per row.")
        if (self._classical is None) == (self.method == "classical") or (self._curve is None) == (
            self.method == "nonmetric"
        ):
            raise SavedModelError("The map is not of the method.")
        if self._classical is not None:
            c = self._classical
            if c.coordinates.shape != (n, k) or c.projector.shape != (n, k) or c.level.shape != (n,):
                raise SavedModelError("The map does not fit the rows.")


def _some_pairs(n: int) -> tuple[Array, Array]:
    """All pairs of few rows; of many, pairs drawn always alike."""
    if n * (n - 1) // 2 <= _SHOWN:
        return np.triu_indices(n, 1)
    one, other = np.random.default_rng(0).integers(0, n, (2, 2 * _SHOWN))
    different = np.flatnonzero(one != other)[:_SHOWN]
    return one[different], other[different]
