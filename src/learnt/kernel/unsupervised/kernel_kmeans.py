"""k-means in the space of a kernel: groups that bend around each other."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.cluster import DistancesFromMeans
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.passes import Pass
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError, convergence_warning
from learnt.explain import Explanation, Explanations
from learnt.kernel.distinct_rows import distinct_rows
from learnt.kernel.mixed import MixedDesign
from learnt.kernel.space import KernelLearner, add_sums
from learnt.kernel.unsupervised.means import (
    MeansInSpace,
    SpaceRows,
    any_rows,
    distances_from_rows,
    lloyd_in_space,
    memberships,
    spread_rows,
)
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, OneOf, Seed, Whole, seed_from
from learnt.learner.parameters import Rows as RowsDomain
from learnt.linear import scaled_rows
from learnt.watch import report


class _RowNumbers(Domain):
    words = "numbers of rows"

    def __contains__(self, value: object) -> bool:
        try:
            found = np.asarray(value)
        except ValueError:
            return False
        return found.ndim == 1 and found.dtype.kind in "iu" and bool((found >= 0).all())


class KernelKMeans(KernelLearner, DistancesFromMeans):
    """Put each row into the group whose mean is nearest in the space of a kernel.

        minimise Σ_i w_i · min_c |φ(x_i) − μ_c|²,      φ(x)·φ(z) = k(x, z)

    >>> angle = np.linspace(0, 6, 20)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rows = np.vstack([ring * 0.2, ring * 5])
    >>> labels = KernelKMeans(2, gamma=0.5, standardize=False).fit(rows).labels_
    >>> [len(set(labels[:20].tolist())), bool(labels[0] == labels[30])]
    [1, False]

    With a linear kernel it is `KMeans`. Equal rows are one row of their summed weights, and rows are taken in an order
    of their own: neither the order of rows nor standing there twice instead of weighing 2 makes a difference.

    {settings}

    Attributes: `labels_`; `cluster_sizes_` (rows, or their weight); `inertia_`; `n_iter_` and `converged_` of the start
    that was kept.

    A mean that loses all its rows moves to the row farthest from its own mean.

    Reference: B. Schölkopf, A. Smola, K.-R. Müller, Nonlinear component analysis as a kernel eigenvalue problem, 1998.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "pairwise", "random"})
    fit_cost = 60.0
    simplicity = 45.0

    n_clusters: int = setting(Whole(1), "k, the number of groups", default=8, kw_only=False, before="kernel")
    init: Any = setting(
        OneOf("k-means++", "random") | RowsDomain() | _RowNumbers(),
        'rows far apart (greedily chosen), "random" rows, k given rows, or the numbers of k rows',
        default="k-means++",
    )
    n_init: Any = setting(
        OneOf("auto") | Whole(1), "starts, of which the best is kept: 10, for given rows 1", default="auto"
    )
    max_iter: int = setting(Whole(1), "most rounds of one start", default=300)
    random_state: Any = setting(Seed(), "seed of the starts", default=0)

    labels_: Array = attribute()
    cluster_sizes_: Array = attribute()
    inertia_: float = attribute()
    n_iter_: int = attribute()
    converged_: bool = attribute()
    _rows: Any = attribute()  # those that differ, centred and scaled; None where values are given
    _places: Array = attribute()  # their numbers in the table
    _members: Array = attribute()
    _weights: Array = attribute()
    _squares: Array = attribute()  # |μ_c|²

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        found = yield from self._encode(training)
        x = found.matrix
        z = x if self._kernel is None or isinstance(self._design, MixedDesign) else scaled_rows(x, self._scaling)
        if self._kernel is None and not isinstance(z, np.ndarray):
            z = z.toarray()
        distinct = distinct_rows(self._compared(z), np.zeros(z.shape[0], np.int64), found.weights, 1)
        self._places, w = distinct.first, distinct.weights
        k, total = int(self.n_clusters), max(float(w.sum()), float(len(w)))
        if total < k:
            raise InputError(f"n_samples={len(w)} should be >= n_clusters={k}. Ask for fewer clusters.")
        chosen = z[self._places][:, self._places] if self._kernel is None else z[self._places]
        rows = SpaceRows.of(self._kernel, chosen, w, self.most_pairs, "KernelKMeans")
        self._rows = None if self._kernel is None else chosen
        best = self._best(rows, z)
        self._keep(best, w)
        self.labels_ = self._nearest(z)
        there = np.ones(len(z) if isinstance(z, np.ndarray) else z.shape[0]) if found.weights is None else found.weights
        self.cluster_sizes_ = np.bincount(self.labels_, there, k).astype(np.float64)

    def _best(self, rows: SpaceRows, z: Any) -> MeansInSpace:
        rng, best = np.random.default_rng(seed_from(self.random_state)), None
        for start in range(self._starts()):
            found = lloyd_in_space(rows, self._start(rows, z, rng), int(self.max_iter))
            report("starts", learner="KernelKMeans", iteration=start + 1, total=self._starts(), inertia=found.inertia)
            if best is None or found.inertia < best.inertia:
                best = found
        assert best is not None
        return best

    def _starts(self) -> int:
        if not isinstance(self.init, str):
            return 1
        return 10 if self.n_init == "auto" else int(self.n_init)

    def _start(self, rows: SpaceRows, z: Any, rng: np.random.Generator) -> Array:
        """Squared distances from the starts."""
        k = int(self.n_clusters)
        if isinstance(self.init, str):
            draw = any_rows if self.init == "random" else spread_rows
            return distances_from_rows(rows, draw(rows, k, rng))
        if self.init in _RowNumbers():
            return self._from_numbers(rows, z, np.asarray(self.init))
        if self._kernel is None:
            raise InputError("With kernel='precomputed', init takes the numbers of rows, or a way to draw them.")
        given = Table(self.init)
        if given.shape != (k, self.n_features_in_):
            raise InputError(
                f"init has shape {given.shape}. Expected one row per cluster in the columns of the table: "
                f"({k}, {self.n_features_in_})."
            )
        check_finite(given)
        return self._from_rows(rows, self._numbers(given.matched(self._schema)))

    def _from_rows(self, rows: SpaceRows, starts: Any) -> Array:
        assert self._kernel is not None
        values = self._kernel(rows.x, starts)
        return np.asarray(np.maximum(rows.diagonal[:, None] - 2 * values + self._kernel.diagonal(starts), 0.0))

    def _from_numbers(self, rows: SpaceRows, z: Any, numbers: Array) -> Array:
        k, n = int(self.n_clusters), z.shape[0]
        if len(numbers) != k or numbers.max(initial=0) >= n:
            raise InputError(f"init holds {len(numbers)} numbers of rows. Expected {k}, from 0 to {n - 1}.")
        if self._kernel is not None:
            return self._from_rows(rows, z[numbers])
        values = z[np.ix_(self._places, numbers)]  # rows of given values are each their own
        return np.asarray(np.maximum(rows.diagonal[:, None] - 2 * values + np.diagonal(z)[numbers], 0.0))

    def _keep(self, best: MeansInSpace, weights: Array) -> None:
        totals = np.bincount(best.members, weights, int(self.n_clusters))
        self._members, self._squares = best.members, best.squares
        self._weights = weights / totals[best.members]
        self.inertia_, self.n_iter_, self.converged_ = best.inertia, best.n_iter, best.converged
        empty = int(np.count_nonzero(totals == 0))
        if empty:
            words = f"Only {self.n_clusters - empty} of {self.n_clusters} clusters hold rows: there are fewer distinct "
            warnings.warn(convergence_warning(words + "rows than clusters."), stacklevel=2)
        elif not best.converged:
            words = f"KernelKMeans had not come to rest after {best.n_iter} rounds. Use a larger max_iter."
            warnings.warn(convergence_warning(words), stacklevel=2)

    # Using

    def _to_means(self, z: Any) -> Array:
        """|μ_c|² − 2 φ(x)·μ_c: squared distances but for |φ(x)|², which is the same for all means."""
        k = len(self._squares)
        shares, sums = memberships(self._members, self._weights, k), np.zeros((z.shape[0], k))
        if self._kernel is None:
            values = z if isinstance(z, np.ndarray) else z.toarray()
            for c in range(k):  # row by row, so that the bits of a row do not depend on its neighbours
                sums[:, c] = (values[:, self._places] * shares[:, c]).sum(axis=1)
        else:
            add_sums(self._kernel, z, self._rows, shares, sums)
        return np.asarray(self._squares - 2 * sums)

    def _nearest(self, z: Any) -> Array:
        found = [self._to_means(z[i : i + ENCODED_ROWS]).argmin(axis=1) for i in range(0, z.shape[0], ENCODED_ROWS)]
        return np.concatenate(found).astype(np.int32)

    def _predict(self, table: Table) -> Array:
        check_finite(table)
        steps = range(0, table.n_rows, ENCODED_ROWS)
        return np.concatenate([self._nearest(self._numbers(table.rows(i, i + ENCODED_ROWS))) for i in steps])

    def _distances(self, table: Table) -> Array:
        if self._kernel is None:
            raise InputError(
                "This KernelKMeans was fitted on kernel values, and does not know that of a new row with itself: it "
                "predicts, but gives no distances."
            )
        check_finite(table)
        out = np.empty((table.n_rows, len(self._squares)))
        for start in range(0, table.n_rows, ENCODED_ROWS):
            z = self._numbers(table.rows(start, start + ENCODED_ROWS))
            with np.errstate(over="ignore", invalid="ignore"):
                squares = self._to_means(z) + self._kernel.diagonal(z)[:, None]
            squares[np.isnan(squares)] = np.inf  # of a row whose kernel values overflow
            out[start : start + ENCODED_ROWS] = np.sqrt(np.maximum(squares, 0.0))
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`: kernelkmeans0, kernelkmeans1, …"""
        self._fitted_schema()
        return np.array([f"kernelkmeans{c}" for c in range(len(self._squares))], dtype=object)

    def _explain(self, table: Table) -> Explanations:
        check_finite(table)
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """The squared distance comes from likeness to rows, in which columns have no share of their own."""
        z = self._numbers(row)
        parts, answer = self._to_means(z)[0], int(self._nearest(z)[0])
        own = 0.0 if self._kernel is None else float(self._kernel.diagonal(z)[0])
        order = [int(c) for c in np.argsort(parts, kind="stable") if c != answer and np.isfinite(parts[c])]
        others = tuple((c, own + float(parts[c])) for c in order)
        total, count = own + float(parts[answer]), int(np.count_nonzero(self._members == answer))
        words = "likeness to the only row of the group" if count == 1 else f"likeness to the {count} rows of the group"
        return Explanation(answer, "distances", total, words, (), total, "squared distance", others)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        s, k, p = len(self._places), len(self._squares), self._design.n_columns
        fitting = self._members.shape == self._weights.shape == (s,) and s > 0 and k > 0
        if not fitting or self._members.min() < 0 or self._members.max() >= k:
            raise SavedModelError("The members do not fit the clusters.")
        if not np.isfinite(self._weights).all() or np.isnan(self._squares).any():
            raise SavedModelError("The means hold what are not numbers.")
        if self._kernel is not None and (self._rows is None or self._rows.shape != (s, p)):
            raise SavedModelError("The rows kept do not fit the columns.")
        if self._kernel is None and (self._places.min() < 0 or self._places.max() >= p):
            raise SavedModelError("The rows kept do not fit the columns.")
