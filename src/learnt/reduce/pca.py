"""Principal components of any table."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.reduce.axes import Axes, by_power, by_random_start, by_scatter, by_singular_values
from learnt.reduce.encoding import Encoding, encoding
from learnt.reduce.projection import Projection
from learnt.show.numbers import percent
from learnt.show.text_table import aligned

#: Up to so many columns the scatter of all pairs is quick to decompose; of sparse tables beyond the first number, and
#: of others beyond the second, leading axes are sought alone.
NARROW, WIDE = 1000, 5000

#: All axes of a wide sparse table are more than anyone can hold: so many are found if no number is asked for.
MANY = 100


class PCA(Projection):
    """Turn a table into few columns that keep most of its variance: the axes along which its rows spread most.

        score_c = v_c · (x − mean),      v_1 = argmax Var(v · x),  |v| = 1,  each next one at right angles to the others

    >>> rows = {"width": [1.0, 2.0, 3.0, 4.0], "height": [2.0, 4.1, 5.9, 8.0]}
    >>> model = PCA(1).fit(rows)
    >>> model.component(0)
    '0.89·height + 0.45·width'
    >>> round(float(model.explained_variance_ratio_[0]), 4)
    0.9999

    Numbers enter centred; ordered categories by rank, other categories as one indicator each; missing cells as the mean
    or the most frequent category. The sign of a component is that which makes its largest loading positive.

    {settings}

    Attributes: `components_`, one row per component in the columns of `get_design_names()`; `mean_`;
    `explained_variance_` (over n − 1), `explained_variance_ratio_`, `singular_values_`, `n_components_`, `method_`,
    `n_iter_`, `converged_`.

    Reference: I. T. Jolliffe, Principal Component Analysis, 2002.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    fit_cost = 3.0
    simplicity = 20.0
    readable = True

    n_components: Any = setting(
        OneOf(None) | Whole(1) | Real(above=0, below=1),
        "how many: a number, a share of the variance between 0 and 1 that they keep together, or all "
        "along which rows differ at all (of sparse tables of more than 1,000 columns 100)",
        default=None,
        kw_only=False,
    )
    method: str = setting(
        OneOf("auto", "covariance", "svd", "randomized", "power"),
        '"covariance": one pass, also over files; "svd": keeps the digits of very small components; '
        '"randomized": the leading ones of wide or sparse tables; "power": power iteration with '
        "deflation, to be read",
        default="auto",
    )
    whiten: bool = setting(Flag(), "whether scores are divided by their standard deviation", default=False)
    standardize: Any = setting(
        OneOf("auto") | Flag(),
        "divide numbers by their standard deviation: True, False, or if there are categories",
        default="auto",
    )
    tol: float = setting(Real(0), '"randomized" and "power": how far an axis may still turn', default=1e-8)
    max_iter: Any = setting(
        OneOf("auto") | Whole(1),
        '"randomized": most passes (20); "power": most steps of one component (10,000)',
        default="auto",
    )
    random_state: Any = setting(Seed(), 'seed of the start of "randomized" and "power"', default=0)

    explained_variance_: Array = attribute()
    explained_variance_ratio_: Array = attribute()
    singular_values_: Array = attribute()

    # Fitting

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        one_pass = self.method in ("covariance", "power") or (self.method == "auto" and len(training.schema) <= NARROW)
        found = yield from encoding(training, self.standardize, scatter=one_pass)
        method = chosen_method(self.method, found, training, self.n_components)
        count = self._count(found, method)
        axes = yield from self._axes(found, training, method, count)
        self._keep(found, axes, method)

    def _count(self, found: Encoding, method: str) -> int:
        """How many axes are sought."""
        most, asked = min(found.n_rows, found.n_columns), self.n_components
        if isinstance(asked, float):
            if method == "randomized":
                raise InputError(
                    f"n_components={asked} is a share of the variance, and method='randomized' finds leading "
                    "components alone. Expected a whole number. Ask for one, or set method='covariance'."
                )
            return most
        if asked is None:
            return min(most, MANY) if method == "randomized" and found.sparse else most
        if asked > most:
            raise InputError(
                f"n_components={asked} must be between 1 and min(n_samples, n_features)={most}: a table of "
                f"{found.n_rows} rows and {found.n_columns} columns has no more. Ask for fewer."
            )
        return int(asked)

    def _axes(self, found: Encoding, training: Training, method: str, count: int) -> Generator[Pass, Any, Axes]:
        if method == "covariance":
            return (yield from by_scatter(found, count))
        if method == "svd":
            return (yield from by_singular_values(found, count))
        seed, tol, name = seed_from(self.random_state), float(self.tol), type(self).__name__
        if method == "power":
            most = 10_000 if self.max_iter == "auto" else int(self.max_iter)
            return (yield from by_power(found, count, seed, tol=tol, max_iter=most, learner=name))
        most = 20 if self.max_iter == "auto" else int(self.max_iter)
        return (yield from by_random_start(found, training, count, seed, tol=tol, max_iter=most, learner=name))

    def _keep(self, found: Encoding, axes: Axes, method: str) -> None:
        count = len(axes.vectors) if self.n_components is not None else max(axes.rank, 1)
        if isinstance(self.n_components, float) and axes.total > 0:
            kept = np.cumsum(axes.squares) / axes.total
            # Rounding must not ask for one component more.
            count = min(int(np.searchsorted(kept, self.n_components * (1 - 1e-12))) + 1, count)
        freedom = found.weight - 1 if found.weight > 1 else found.weight
        squares = axes.squares[:count]
        self._design, self.components_ = found.design, np.ascontiguousarray(axes.vectors[:count])
        self.mean_ = axes.mean / found.unit
        with np.errstate(over="ignore", under="ignore"):
            self.explained_variance_ = squares / freedom / found.unit / found.unit
        self.explained_variance_ratio_ = squares / axes.total if axes.total > 0 else np.zeros(count)
        self.singular_values_ = np.sqrt(squares) / found.unit
        self._deviation = np.sqrt(squares / freedom) / found.unit
        self.n_components_, self.method_ = count, method
        self.n_iter_, self.converged_ = axes.n_iter, axes.converged
        if not axes.converged:
            warnings.warn(
                convergence_warning(
                    f"The axes had not come to rest after {axes.n_iter} steps: some spread about equally, or max_iter "
                    "is too low. What they keep together is close to the most."
                ),
                stacklevel=2,
            )

    # Using

    _deviation: Array = attribute()

    def _weights(self) -> Array:
        weights = super()._weights()
        return weights * self._whitening() if self.whiten else weights

    def _whitening(self) -> Array:
        """1 over the standard deviation of each score; 0 for those that are nothing but rounding."""
        deviation = self._deviation
        there = deviation > 1e-10 * max(float(deviation.max(initial=0.0)), np.finfo(np.float64).tiny)
        return np.divide(1.0, deviation, out=np.zeros_like(deviation), where=there)

    def inverse_transform(self, X: Any) -> Any:
        """Rows from their scores: nearest to the fitted ones of all that have these scores.

        In the columns of `get_design_names()`: for a category the share of its indicator.
        """
        self._fitted_schema()
        scores = self._given_scores(X)
        scale = np.where(self._whitening() > 0, self._deviation, 0.0) if self.whiten else 1.0
        return self.in_fitted_columns(self._rows_of_scores(scores, self.components_, scale), X)

    # Showing

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        shown = min(self.n_components_, 8)
        kept = np.cumsum(self.explained_variance_ratio_)
        rows = [["component", "variance", "together", "made of"]]
        for c in range(shown):
            share, so_far = f"{percent(self.explained_variance_ratio_[c], 1)}", f"{percent(kept[c], 1)}"
            rows.append([str(c), share, so_far, self.component(c, 4)])
        more = f"\n… and {self.n_components_ - shown} more" if self.n_components_ > shown else ""
        return aligned(rows, left=(3,)) + more

    def plot(self, ax: Any = None) -> Any:
        """Draw the variance each component keeps, and what they keep together; returns the matplotlib axes."""
        from learnt.plot.reduction import plot_scree

        self._fitted_schema()
        return plot_scree(self.explained_variance_ratio_, ax)

    def biplot(self, X: Any, components: tuple[int, int] = (0, 1), ax: Any = None, color: Any = None) -> Any:
        """Draw the rows of `X` along two components, and the columns as arrows; returns the matplotlib axes.

        `color` gives one number or label per row.
        """
        from learnt.plot.reduction import plot_biplot

        self._fitted_schema()
        a, b = (self._place(c) for c in components)
        scores = self._scores(self._matched(X))[:, [a, b]]
        share = self.explained_variance_ratio_[[a, b]]
        names = [f"component {c} ({percent(part, 0)} of the variance)" for c, part in zip((a, b), share, strict=True)]
        return plot_biplot(scores, self.components_[[a, b]].T, self._design.names, names, ax, color)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        shape = (len(self.components_),)
        names = ("explained_variance_", "explained_variance_ratio_", "singular_values_", "_deviation")
        if any(getattr(self, name).shape != shape for name in names):
            raise SavedModelError("There is not one variance per component.")
        self._check_numbers("explained_variance_ratio_", "singular_values_", "_deviation")


def chosen_method(asked: str, found: Encoding, training: Training, n_components: Any) -> str:
    """The way that fits the table: by the scatter of pairs of columns where these are few."""
    if asked != "auto":
        return asked
    p, n = found.n_columns, found.n_rows
    few = isinstance(n_components, int) and n_components <= p // 10
    if p <= NARROW:
        return "covariance"
    if found.sparse:
        return "randomized"
    if training.in_memory and n <= NARROW:
        return "svd"
    return "covariance" if p <= WIDE and not few else "randomized"
