"""Independent components of any table."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError, ParameterError, SavedModelError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Rows, Seed, Whole, seed_from
from learnt.reduce.axes import Axes, by_random_start, by_scatter, by_singular_values, fix_signs
from learnt.reduce.contrasts import Contrast, TakeContrast
from learnt.reduce.encoding import Encoding, encoding
from learnt.reduce.pca import NARROW, chosen_method
from learnt.reduce.projection import Projection
from learnt.show.numbers import percent
from learnt.show.text_table import aligned
from learnt.watch import report

#: Sources sought if no number is asked for.
MANY = 30

_Steps = Generator[Pass, Any, tuple[Array, int, bool]]


class ICA(Projection):
    """Take mixtures apart into sources that are independent of each other, by FastICA.

        x = A s + mean,      s = W K (x − mean)

    K whitens (scores of principal components, each of variance 1); W turns them until each source is as far from
    Gaussian as it gets, since mixtures are closer to it than what they are mixed from.

    >>> t = np.arange(2000) / 100
    >>> sources = np.column_stack([np.sin(2 * t), np.sign(np.sin(3 * t))])
    >>> mixed = sources @ [[1.0, 0.5], [0.6, 1.0]]
    >>> found = ICA(random_state=0).fit_transform(mixed)
    >>> np.abs(np.corrcoef(found.T, sources.T)[:2, 2:]).max(axis=0).round(2)
    array([1., 1.])

    Order and sign of sources cannot be known: they come by the variance they bring into the table, largest first, and
    with their largest loading positive. Each has variance 1. Columns enter as in `PCA`.

    {settings}

    Attributes: `components_`, W K: sources × columns of `get_design_names()`; `mixing_`, A; `mean_`; `whitening_`, K;
    `explained_variance_ratio_`, the share of variance each brings; `n_components_`, `n_iter_`, `converged_`.

    Reference: A. Hyvärinen, E. Oja, Independent component analysis: algorithms and applications, 2000.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    fit_cost = 60.0
    simplicity = 25.0
    readable = True

    n_components: int | None = setting(
        OneOf(None) | Whole(1),
        "how many sources: a number, or as many as there are axes along which rows differ, at most 30",
        default=None,
        kw_only=False,
    )
    fun: str = setting(
        OneOf("logcosh", "exp", "cube"),
        'what measures the distance from a Gaussian: or "exp", for outliers, or "cube", kurtosis',
        default="logcosh",
    )
    algorithm: str = setting(
        OneOf("parallel", "deflation"), 'all sources at once, or one after the other: "deflation"', default="parallel"
    )
    max_iter: int = setting(Whole(1), "most steps", default=200)
    tol: float = setting(
        Real(0), "stop when the cosine between an axis and the one before differs from 1 by less", default=1e-4
    )
    standardize: Any = setting(
        OneOf("auto") | Flag(),
        "divide numbers by their standard deviation: True, False, or if there are categories",
        default="auto",
    )
    w_init: Any = setting(OneOf(None) | Rows(), "the first W, sources × sources", default=None)
    random_state: Any = setting(Seed(), "seed of the first W", default=0)

    mixing_: Array = attribute()
    whitening_: Array = attribute()
    explained_variance_ratio_: Array = attribute()

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        found = yield from encoding(training, self.standardize, scatter=len(training.schema) <= NARROW)
        axes = yield from self._axes(found, training)
        count = max(min(axes.rank, len(axes.vectors)), 1)
        if self.n_components is not None and count < self.n_components:
            warnings.warn(
                convergence_warning(
                    f"n_components={self.n_components}, but rows differ along {axes.rank} axes alone: "
                    f"there are {count} sources."
                ),
                stacklevel=2,
            )
        # Spread along each axis, in working units; none of a table of one row.
        spread = np.sqrt(axes.squares[:count] / found.weight)
        spread = np.where(spread > 0, spread, 1.0)
        vectors, start = axes.vectors[:count], self._start(count)
        weights = np.ascontiguousarray((vectors / spread[:, None]).T)

        def look(directions: Array) -> TakeContrast:
            return TakeContrast(found.working, axes.mean, weights, directions, self.fun)

        if axes.rank == 0:
            turn, steps, converged = np.eye(count), 0, True
        elif self.algorithm == "parallel":
            turn, steps, converged = yield from self._all_at_once(look, start)
        else:
            turn, steps, converged = yield from self._one_by_one(look, start)
        self._keep(found, axes, vectors, spread, turn)
        self.n_iter_, self.converged_ = steps, converged
        if not converged:
            warnings.warn(
                convergence_warning(
                    f"The sources had not come to rest after {self.max_iter} steps. Raise max_iter or tol, or ask for "
                    "fewer sources: two that are Gaussian cannot be told apart."
                ),
                stacklevel=2,
            )

    def _axes(self, found: Encoding, training: Training) -> Generator[Pass, Any, Axes]:
        most = min(found.n_rows, found.n_columns)
        if self.n_components is not None and self.n_components > most:
            raise InputError(
                f"n_components={self.n_components} must be between 1 and min(n_samples, n_features)={most}: a table of "
                f"{found.n_rows} rows and {found.n_columns} columns has no more. Ask for fewer."
            )
        method = chosen_method("auto", found, training, self.n_components)
        count = min(most, MANY) if self.n_components is None else self.n_components
        if method == "covariance":
            return (yield from by_scatter(found, count))
        if method == "svd":
            return (yield from by_singular_values(found, count))
        seed = seed_from(self.random_state)
        name = type(self).__name__
        return (yield from by_random_start(found, training, count, seed, tol=1e-6, max_iter=10, learner=name))

    def _start(self, count: int) -> Array:
        if self.w_init is None:
            return np.random.default_rng(seed_from(self.random_state)).standard_normal((count, count))
        try:
            start = np.asarray(self.w_init, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"ICA: w_init={self.w_init!r:.60} is no array of numbers.") from None
        if start.shape != (count, count) or not np.isfinite(start).all():
            raise ParameterError(f"ICA: w_init has the shape {start.shape}. Expected finite numbers, {(count, count)}.")
        return start

    def _all_at_once(self, look: Any, start: Array) -> _Steps:
        turn = _upright(start)
        for step in range(1, self.max_iter + 1):
            contrast: Contrast = yield look(turn)
            new = _upright(contrast.step(turn))
            change = float(np.abs(np.abs((new * turn).sum(axis=1)) - 1).max())
            turn = new
            report("fast ica", learner=type(self).__name__, iteration=step, total=self.max_iter, objective=change)
            if change < self.tol:
                return turn, step, True
        return turn, self.max_iter, False

    def _one_by_one(self, look: Any, start: Array) -> _Steps:
        turn, most, converged = np.zeros_like(start), 1, True
        for c, w in enumerate(start):
            w, step = w / np.linalg.norm(w), 0
            while step < self.max_iter:
                step += 1
                contrast: Contrast = yield look(w[None, :])
                new = contrast.step(w[None, :])[0]
                new = new - (new @ turn[:c].T) @ turn[:c]
                new /= np.linalg.norm(new)
                change, w = abs(abs(float(new @ w)) - 1), new
                if change < self.tol:
                    break
            else:
                converged = False
            report("sources", learner=type(self).__name__, iteration=c + 1, total=len(start), steps=step)
            turn[c], most = w, max(most, step)
        return turn, most, converged

    def _keep(self, found: Encoding, axes: Axes, vectors: Array, spread: Array, turn: Array) -> None:
        mixing = (turn * spread) @ vectors  # sources × columns
        brought = (mixing**2).sum(axis=1) * found.weight
        unmixing = (turn / spread) @ vectors
        order = np.argsort(-brought.round(12), kind="stable")
        components = fix_signs(unmixing[order])
        sign = np.where((components == unmixing[order]).all(axis=1), 1.0, -1.0)[:, None]
        self._design, self.mean_ = found.design, axes.mean / found.unit
        self.components_ = components * found.unit
        self.mixing_ = np.ascontiguousarray((mixing[order] * sign).T) / found.unit
        self.whitening_ = vectors / spread[:, None] * found.unit
        ratio = brought[order] if axes.rank else np.zeros(len(order))
        self.explained_variance_ratio_ = ratio / axes.total if axes.total > 0 else np.zeros(len(order))
        self.n_components_ = len(order)

    # Using

    def inverse_transform(self, X: Any) -> Any:
        """Rows mixed from sources, in the columns of `get_design_names()`."""
        self._fitted_schema()
        return self.in_fitted_columns(self._rows_of_scores(self._given_scores(X), self.mixing_.T), X)

    def unmix(self, X: Any) -> Any:
        """The sources of rows: `transform` by its other name."""
        return self.transform(X)

    def mix(self, S: Any) -> Any:
        """Rows from sources: `inverse_transform` by its other name."""
        return self.inverse_transform(S)

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        shown = min(self.n_components_, 8)
        rows = [["source", "variance", "found by"]]
        for c in range(shown):
            rows.append([str(c), f"{percent(self.explained_variance_ratio_[c], 1)}", self.component(c, 4)])
        more = f"\n… and {self.n_components_ - shown} more" if self.n_components_ > shown else ""
        return aligned(rows, left=(2,)) + more

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k, p = self.components_.shape
        if (
            self.mixing_.shape != (p, k)
            or self.whitening_.shape != (k, p)
            or self.explained_variance_ratio_.shape != (k,)
        ):
            raise SavedModelError("Mixing and unmixing do not fit together.")
        self._check_numbers("mixing_", "whitening_", "explained_variance_ratio_")


def _upright(directions: Array) -> Array:
    """The nearest orthonormal rows: (W Wᵀ)^(−1/2) W."""
    values, vectors = np.linalg.eigh(directions @ directions.T)
    values = np.maximum(values, np.finfo(np.float64).tiny)
    found: Array = (vectors / np.sqrt(values)) @ vectors.T @ directions
    return found
