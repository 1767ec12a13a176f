"""Multidimensional scaling: a map of rows from their distances."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.metric import Metric
from learnt.distance.precomputed import check_distances, distances_of, metric_for
from learnt.distance.resolving import NAMES
from learnt.engine.survey import check_finite, survey
from learnt.engine.whole import COMPARES_ROWS, WholeTable
from learnt.errors import InputError, SavedModelError, convergence_warning
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real, Seed, Whole, seed_from
from learnt.neighbors import KeptRows
from learnt.reduce.classical_scaling import classical_scaling
from learnt.reduce.fitted_map import FittedMap
from learnt.reduce.smacof import Arrangement, smacof


class MDS(Transformer):
    """Draw a map of rows: places whose distances on the map are those of the rows, as nearly as so few columns can.

        "classical"   −½ J D² J = Σ λ u uᵀ,  places √λ u
        "smacof"      argmin Σ w_i w_j (δ_ij − d_ij)²
        "nonmetric"   the same with δ a rising curve of the dissimilarities: only their order counts

    >>> towns = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> places = MDS(metric="precomputed").fit_transform(towns)
    >>> np.linalg.norm(places[1] - places[2]).round(6)
    np.float64(5.0)

    {settings}

    Attributes: `embedding_`, the place of each fitted row; `stress_`, Kruskal's √(Σ (δ − d)² / Σ d²), 0 at best;
    `eigenvalues_` ("classical"); `n_iter_`, `converged_`.

    New rows are placed by their distances from the fitted ones: by Gower's formula ("classical"), else where they fit
    best with the map held still. With metric="precomputed", `transform` takes these distances, new × fitted rows. A row
    at distance 0 from a fitted one goes where that is.

    All pairs are compared: n² numbers are held in memory.

    Reference: I. Borg, P. J. F. Groenen, Modern Multidimensional Scaling, 2005.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "pairwise"})
    whole = COMPARES_ROWS
    fit_cost = 200.0
    simplicity = 40.0
    finds_infinities = True

    n_components: int = setting(Whole(1), "columns of the map", default=2, kw_only=False)
    method: str = setting(OneOf("classical", "smacof", "nonmetric"), 'or "smacof", "nonmetric"', default="classical")
    metric: str = setting(
        OneOf(*NAMES, "precomputed"),
        '"euclidean" for complete numbers, otherwise "mixed"; a name of `learnt.distance`; '
        '"precomputed": X holds the distances of all pairs',
        default="auto",
    )
    n_init: int = setting(
        Whole(1),
        'starts of "smacof" and "nonmetric", the best of which is kept: the classical map, then random',
        default=1,
    )
    max_iter: int = setting(Whole(1), "most steps", default=300)
    tol: float = setting(Real(0), "stop when the stress falls by a smaller share", default=1e-6)
    random_state: Any = setting(Seed(), "seed of further starts", default=0)

    embedding_: Array = attribute()
    stress_: float = attribute()
    _map: FittedMap = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        table, weights = rows.table, rows.weights
        survey(table, weights).check_finite()
        there = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
        kept = metric = None
        if self.metric == "precomputed":
            distances = check_distances(table)[np.ix_(there, there)]
        else:
            kept = KeptRows.of(table, weights)
            found = metric_for(kept.table, self.metric)
            assert isinstance(found, Metric)
            metric, distances = found, distances_of(kept.table, found)
        share = np.ones(len(there)) if weights is None else weights[there]
        self._map = self._arrange(distances, share, kept, metric, there)
        self.embedding_ = self._map.places * self._map.scale
        if len(there) < table.n_rows:  # rows of weight 0 have no say, but a place
            places, others = np.empty((table.n_rows, self.n_components)), np.delete(np.arange(table.n_rows), there)
            places[there], places[others] = self.embedding_, self._places(table.take(others))
            self.embedding_ = places

    def _arrange(
        self, distances: Array, weights: Array, rows: KeptRows | None, metric: Metric | None, there: Array
    ) -> FittedMap:
        """The map. Distances are divided by the largest, so that their squares stay numbers."""
        largest = float(distances.max(initial=0.0))
        scale = largest if largest > 0 else 1.0
        d, seed = distances / scale, seed_from(self.random_state)
        places, values, projection = classical_scaling(d**2, weights, self.n_components, seed)
        classical = curve = None
        self.n_iter_, self.converged_ = 1, True
        if self.method == "classical":
            classical = projection
            with np.errstate(over="ignore", under="ignore"):
                self.eigenvalues_ = values * scale * scale
        else:
            best = self._best(d, places, weights, seed)
            places, curve = best.coordinates, best.curve
            self.n_iter_, self.converged_ = best.n_iter, best.converged
        found = FittedMap(rows, metric, there, weights, places, scale, classical, curve)
        self.stress_ = found.stress(d)
        return found

    def _best(self, d: Array, start: Array, weights: Array, seed: int) -> Arrangement:
        rng = np.random.default_rng(seed)
        best: Arrangement | None = None
        by_rank, name = self.method == "nonmetric", type(self).__name__
        for number in range(self.n_init):
            if number > 0:
                start = rng.standard_normal((len(start), start.shape[1])) * max(float(start.std()), 1e-3)
            found = smacof(d, start, weights, max_iter=self.max_iter, tol=self.tol, by_rank=by_rank, learner=name)
            if best is None or found.stress < best.stress:
                best = found
        assert best is not None
        if not best.converged:
            warnings.warn(
                convergence_warning(f"The stress still fell after {self.max_iter} steps. Raise max_iter or tol."),
                stacklevel=2,
            )
        return best

    # Using

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and the places of the rows."""
        still = self.fit(X, y, sample_weight)._still()
        if still.metric != "precomputed":
            return still.transform(X)
        named = still._schema.named
        return still._framed(still._table(still.embedding_) if named else still.embedding_, X)

    def _transform(self, table: Table) -> Table:
        return self._table(self._places(table))

    def _table(self, places: Array) -> Table:
        names = [str(name) for name in self.get_feature_names_out()]
        return Table.of_matrix(places, names, named=self._schema.named or not self._schema.all_numeric)

    def _places(self, table: Table) -> Array:
        check_finite(table)
        return self._map.place(table, max_iter=self.max_iter, tol=self.tol)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """mds0, mds1, …"""
        super().get_feature_names_out(input_features)
        return np.array([f"mds{c}" for c in range(self._map.places.shape[1])], dtype=object)

    # Explaining

    def explain(self, X: Any, component: int = 0) -> Explanations:
        """What the distance from each fitted row adds to one coordinate ("classical"); the places of the other methods
        are not sums, and are refused."""
        still = self._still()
        table = still._matched(X)
        names = still.get_feature_names_out()
        if still._map.classical is None:
            raise InputError(
                f"A place found by method={still.method!r} is not a sum of parts. Fit 'classical' to see one."
            )
        if not 0 <= component < len(names):
            raise InputError(f"There is no component {component}. There are {len(names)}, counted from 0.")
        check_finite(table)

        def explain_row(i: int) -> Explanation:
            far, parts = still._map.parts(table.rows(i, i + 1), component)
            numbers = still._map.columns.tolist()
            evidence = tuple(
                Evidence(f"distance from row {j}", float(d), float(part))
                for j, d, part in zip(numbers, far, parts, strict=True)
            )
            total = float(parts.sum())
            return Explanation(total, "sum", 0.0, "", evidence, total, str(names[component]))

        return Explanations(table.n_rows, explain_row).like(X)

    # How well it fits

    def shepard(self, X: Any = None) -> Array:
        """Of pairs of fitted rows: dissimilarity, distance on the map, and the distance aimed at.

        All pairs of up to 64 rows. With metric="precomputed", `X` are the distances that were fitted, which are not
        kept.
        """
        self._fitted_schema()
        return self._map.pairs(X)

    def plot(self, X: Any = None, ax: Any = None) -> Any:
        """Draw Shepard's diagram: distances on the map against dissimilarities; returns the matplotlib axes."""
        from learnt.plot.reduction import plot_shepard

        return plot_shepard(self.shepard(X), self.stress_, ax)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        self._map.check(self._schema, self.method, self.metric == "precomputed")
        places = self.embedding_
        if places.ndim != 2 or places.shape[1] != self._map.places.shape[1] or places.dtype != np.float64:
            raise SavedModelError("The places do not fit the rows.")
