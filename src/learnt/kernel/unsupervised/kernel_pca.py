"""Principal components in the space of a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.passes import Pass
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import AbsentAttributeError, InputError, SavedModelError, convergence_warning
from learnt.kernel.distinct_rows import distinct_rows
from learnt.kernel.functions import Kernel
from learnt.kernel.space import KernelLearner, add_sums, refuse_lost
from learnt.kernel.unsupervised.centred import CentredKernel
from learnt.kernel.unsupervised.means import SpaceRows
from learnt.learner.base import Transformer
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.linear import scaled_rows
from learnt.reduce import given_scores, rows_in_units
from learnt.show.words import spell

#: Up to so many rows all eigenvectors are found at once.
FEW_ROWS = 1_500
#: Shares of the largest eigenvalue below which another one is nothing but rounding.
ROUNDING = 1e-12


class KernelPCA(KernelLearner, Transformer):
    """Turn a table into the directions along which its rows spread most in the space of a kernel.

        score_c(x) = Σ_i a_ic (k(x_i, x) − mean_i),      a_c = u_c/√λ_c of the centred Gram matrix,  K u = λ u

    >>> angle = np.arange(20) * 2 * np.pi / 20
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rows = np.vstack([ring, 4 * ring])
    >>> scores = KernelPCA(1, gamma=0.3, standardize=False).fit_transform(rows)
    >>> bool(scores[:20].min() > scores[20:].max() or scores[:20].max() < scores[20:].min())
    True

    With a linear kernel it is `PCA`. Equal rows are one row of their summed weights. The sign of a component is that
    which makes its largest entry among the rows positive.

    {settings}

    Attributes: `eigenvalues_` of the centred Gram matrix; `explained_variance_` (over n − 1),
    `explained_variance_ratio_`, `n_components_`, `method_`, `n_iter_`, `converged_`.

    Reference: B. Schölkopf, A. Smola, K.-R. Müller, Nonlinear component analysis as a kernel eigenvalue problem, 1998;
    G. Bakır, J. Weston, B. Schölkopf, Learning to find pre-images, 2004.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "pairwise"})
    fit_cost = 60.0
    simplicity = 45.0
    takes_text = "left out"

    n_components: Any = setting(
        OneOf(None) | Whole(1),
        "how many; None: all along which rows differ at all (of more than 1,500 rows 100)",
        default=None,
        kw_only=False,
        before="kernel",
    )
    method: str = setting(
        OneOf("auto", "dense", "randomized"),
        '"dense": all eigenvectors by LAPACK; "randomized": the leading ones, from products with the Gram matrix, '
        'which is then not kept; "auto": dense up to 1,500 rows, or for more than a tenth of the components',
        default="auto",
    )
    fit_inverse_transform: bool = setting(
        Flag(), "learn the way back to rows, by kernel ridge regression on the scores", default=False
    )
    alpha: float = setting(Real(above=0), "the penalty of that", default=1.0)
    tol: float = setting(Real(0), '"randomized": how far an axis may still turn', default=1e-8)
    max_iter: int = setting(Whole(1), '"randomized": most products', default=50)
    random_state: Any = setting(Seed(), 'seed of the start of "randomized"', default=0)

    eigenvalues_: Array = attribute()
    explained_variance_: Array = attribute()
    explained_variance_ratio_: Array = attribute()
    _rows: Any = attribute()  # those that differ, centred and scaled; None where values are given
    _places: Array = attribute()  # their numbers in the table
    _weights: Array = attribute()  # rows × components
    _offsets: Array = attribute()
    _back: Array | None = attribute()  # kernel ridge: coefficients of the rows for each column
    _scores_kept: Array | None = attribute()

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        found = yield from self._encode(training)
        self._check_way_back()
        z = self._scaled(found.matrix)
        distinct = distinct_rows(self._compared(z), np.zeros(z.shape[0], np.int64), found.weights, 1)
        self._places, w = distinct.first, distinct.weights
        chosen = z[self._places][:, self._places] if self._kernel is None else z[self._places]
        rows = SpaceRows.of(self._kernel, chosen, w, self.most_pairs, "KernelPCA")
        self._rows = None if self._kernel is None else chosen
        with one_blas_thread():
            self._find(CentredKernel.of(rows))
            self._learn_way_back(w)

    def _scaled(self, matrix: Any) -> Any:
        if self._kernel is None:
            return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        return scaled_rows(matrix, self._scaling) if isinstance(self._design, Design) else matrix

    def _find(self, centred: CentredKernel) -> None:
        n, total = centred.n_rows, centred.weight
        most = max(n, min(int(total), 2**40))  # rows, counting those of weight 2 twice
        asked = self.n_components
        if asked is not None and asked > most:
            raise InputError(f"n_components={asked} must be between 1 and n_samples={most}. Ask for fewer.")
        count = min(n, asked or (n if n <= FEW_ROWS else 100))
        dense = self.method == "dense" or (self.method == "auto" and (n <= FEW_ROWS or 10 * count > n))
        if dense and n > self.most_pairs:
            raise InputError(
                f"KernelPCA(method='dense') keeps the kernel of every pair of rows and was given {n} different ones. "
                f"Expected at most {self.most_pairs}. Use method='randomized', or a sample."
            )
        self.method_ = "dense" if dense else "randomized"
        if dense:
            values, vectors = centred.all_axes(count)
            self.n_iter_, self.converged_ = 1, True
        else:
            found = centred.leading_axes(count, seed_from(self.random_state), float(self.tol), int(self.max_iter))
            values, vectors = found.values, found.vectors
            self.n_iter_, self.converged_ = found.n_iter, found.converged
        if not self.converged_:
            words = f"The axes had not come to rest after {self.n_iter_} products: some spread about equally, or "
            warnings.warn(convergence_warning(words + "max_iter is too low."), stacklevel=2)
        there = values > ROUNDING * max(float(values[0]), 0.0)
        kept = max(int(np.count_nonzero(there)), 1) if asked is None else count
        values, vectors, there = values[:kept], vectors[:, :kept], there[:kept]
        self.n_components_, self.eigenvalues_ = kept, np.maximum(values, 0.0)
        self._weights, self._offsets = centred.coefficients(values, vectors, there)
        freedom = total - 1 if total > 1 else total
        self.explained_variance_ = self.eigenvalues_ / freedom
        self.explained_variance_ratio_ = self.eigenvalues_ / centred.trace if centred.trace > 0 else np.zeros(kept)
        roots = np.sqrt(np.where(there, self.eigenvalues_, 0.0))
        self._scores_kept = vectors * roots / np.sqrt(centred.rows.weights)[:, None]

    # The way back

    def _check_way_back(self) -> None:
        if self.fit_inverse_transform and (self._kernel is None or self._kernel.is_mixed):
            raise InputError(
                "KernelPCA(fit_inverse_transform=True) learns the way back to numbers, and with "
                f"kernel={spell(self.kernel)} rows are none. Use another kernel."
            )

    def _ridge_kernel(self) -> Kernel:
        """The same kernel, on scores."""
        assert self._kernel is not None
        return self._kernel

    def _learn_way_back(self, weights: Array) -> None:
        scores = self._scores_kept
        self._back, self._scores_kept = None, None
        if not self.fit_inverse_transform:
            return
        assert scores is not None
        if len(scores) > self.most_pairs:
            raise InputError(
                f"KernelPCA(fit_inverse_transform=True) needs the kernel of every pair of rows and was given "
                f"{len(scores)} different ones. Expected at most {self.most_pairs}."
            )
        K = self._ridge_kernel()(scores)
        K[np.diag_indices_from(K)] += float(self.alpha) / weights
        rows = self._rows if isinstance(self._rows, np.ndarray) else self._rows.toarray()
        self._back, self._scores_kept = _solved(K, rows), scores

    @property
    def inverse_transform(self) -> Callable[[Any], Any]:
        """Rows from their scores, about: the kernel ridge regression of the fitted rows on theirs.

        In the columns of `get_design_names()`: for a label the share of its indicator. There with
        `fit_inverse_transform=True` only.
        """
        if not self.fit_inverse_transform:
            raise AbsentAttributeError(
                "inverse_transform is there for KernelPCA(fit_inverse_transform=True) only. Fit one with True."
            )
        return self._rows_of_scores

    def _rows_of_scores(self, X: Any) -> Any:
        still = self._still()
        still._fitted_schema()
        if still._back is None or still._scores_kept is None:
            raise InputError("This KernelPCA was fitted with fit_inverse_transform=False. Fit it with True first.")
        scores = given_scores(X, [str(name) for name in still.get_feature_names_out()])
        z = still._ridge_kernel()(scores, still._scores_kept) @ still._back
        scale = still._scaling.scale
        x = np.where(scale > 0, z / np.where(scale > 0, scale, 1.0) + still._scaling.shift, still._mean)
        found = rows_in_units(still._design, x, X)
        return found if isinstance(found, np.ndarray) else still._framed(found, X)

    # Using

    def _transform(self, table: Table) -> Table:
        check_finite(table)
        out = np.tile(self._offsets, (table.n_rows, 1))
        for start in range(0, table.n_rows, ENCODED_ROWS):
            z = self._numbers(table.rows(start, start + ENCODED_ROWS))
            part = out[start : start + ENCODED_ROWS]
            if self._kernel is not None:
                add_sums(self._kernel, z, self._rows, self._weights, part)
                continue
            values = (z if isinstance(z, np.ndarray) else z.toarray())[:, self._places]
            for c in range(part.shape[1]):  # row by row, so that the bits of a row do not depend on its neighbours
                part[:, c] += (values * self._weights[:, c]).sum(axis=1)
        refuse_lost(out)
        names = [str(name) for name in self.get_feature_names_out()]
        return Table.of_matrix(out, names, named=self._schema.named or not self._schema.all_numeric)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """kernelpca0, kernelpca1, …"""
        super().get_feature_names_out(input_features)
        return np.array([f"kernelpca{c}" for c in range(self.n_components_)], dtype=object)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        s, p, k = len(self._places), self._design.n_columns, self.n_components_
        if self._weights.shape != (s, k) or self._offsets.shape != (k,) or self.eigenvalues_.shape != (k,):
            raise SavedModelError("The components do not fit the rows kept.")
        if not (np.isfinite(self._weights).all() and np.isfinite(self._offsets).all()):
            raise SavedModelError("The components hold what are not finite numbers.")
        if self._kernel is not None and (self._rows is None or self._rows.shape != (s, p)):
            raise SavedModelError("The rows kept do not fit the columns.")
        if self._kernel is None and s and (self._places.min() < 0 or self._places.max() >= p):
            raise SavedModelError("The rows kept do not fit the columns.")
        if self._back is not None:
            scores = self._scores_kept
            if self._kernel is None or self._back.shape != (s, p) or scores is None or scores.shape != (s, k):
                raise SavedModelError("The way back does not fit the components.")


def _solved(K: Array, rows: Array) -> Array:
    """K⁻¹ · rows of a symmetric matrix; the smallest of the best answers where rounding leaves no inverse."""
    from scipy.linalg import LinAlgError, LinAlgWarning, eigh, solve

    if not np.isfinite(K).all():
        raise InputError("The kernel of the scores overflows. Scale the columns down, or take a lower degree.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", LinAlgWarning)
            found: Array = solve(K, rows, assume_a="sym")
            return found
    except (LinAlgError, LinAlgWarning):
        values, vectors = eigh(K)
    there = np.abs(values) > ROUNDING * np.abs(values).max()
    return np.asarray((vectors[:, there] / values[there]) @ (vectors[:, there].T @ rows))
