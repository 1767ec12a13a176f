"""Locally weighted regression: a small least-squares fit around every row asked about."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.first_look import look_at
from learnt.engine.whole import COMPARES_ROWS, WholeTable
from learnt.errors import SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.lazy import cached_property
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.learner.saved_settings import check_settings
from learnt.neighbors.exemplars.class_sums import dense
from learnt.neighbors.k_neighbors.weights import NAMES as KERNELS
from learnt.neighbors.local.local_fits import LocalFits, n_terms, pairs
from learnt.show.numbers import number
from learnt.statistics.quantiles import weighted_median
from learnt.watch import report

#: Errors so much smaller than the spread of the target are none.
ROUNDING = 1e-12


class LocallyWeightedRegressor(Regressor):
    """Predict by a line, plane or parabola fitted to the nearest rows, nearer ones counting more (lowess).

        ŷ(q) = the value at q of the polynomial with the least Σ_i K(d(q, x_i) / h) r_i (y_i − f(x_i))²

    h is the distance of the last neighbour. Then rows with large errors e count less, r = (1 − (e / 6m)²)² with m the
    median of all |e|, and all is fitted again, a few times: outliers lose their say.

    >>> x = np.arange(9.0)
    >>> y = 2 * x
    >>> y[4] = 100.0  # an outlier
    >>> LocallyWeightedRegressor(frac=0.8).fit(x[:, None], y).predict([[4.0]]).round(3).tolist()
    [8.0]

    Distances are Euclidean; of more than one column, numbers are first divided by their spread. Ordered labels count as
    ranks; other labels as 0/1 columns of the distance: they say who is a neighbour, the polynomial is of the numbers.
    Missing cells count as the mean or the most frequent label. With one column it is the lowess of Cleveland, and gives
    the numbers of statsmodels.

    {settings}

    Attributes: `robustness_weights_`, r of each fitted row; `fitted_values_`, the answers to these rows;
    `n_neighbors_`, the weight of the neighbours; `degree_`, lower than asked for where a polynomial of that degree
    would have no fewer terms than neighbours.

    Reference: W. S. Cleveland, Robust locally weighted regression and smoothing scatterplots, JASA 74, 1979.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "pairwise"})
    whole = COMPARES_ROWS
    fit_cost = 200.0
    simplicity = 30.0
    search_space: ClassVar[dict[str, Any]] = {"frac": (0.1, 0.2, 1 / 3, 2 / 3), "degree": (0, 1, 2)}

    frac: float = setting(Real(above=0, high=1), "share of the rows, by weight, that are neighbours", default=2 / 3)
    degree: int = setting(
        Whole(0, 2), "of the polynomial: 0 a weighted mean, 1 a plane, 2 with squares and products", default=1
    )
    kernel: Any = setting(
        OneOf(*KERNELS),
        'K: "tricube", "epanechnikov", "gaussian", "uniform", "distance" (1/d), "distance2"',
        default="tricube",
    )
    robust_iterations: int = setting(Whole(0), "how often errors are looked at and all is fitted again", default=3)

    robustness_weights_: Array = attribute()
    fitted_values_: Array = attribute()
    n_neighbors_: float = attribute()
    degree_: int = attribute()
    _design: Design = attribute()
    _rows: Array = attribute()
    _target: Array = attribute()
    _row_weights: Array | None = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        n, several = rows.rows, len(self._schema) > 1
        look = look_at(rows.table, rows.weights, drop_reference=False, standardize=several, any_size=not several)
        self._design = look.design
        rows = rows.unpacked().of_positive_weight()
        y, w = rows.target, rows.uneven_weights
        self._rows, self._target = dense(self._design.encode(rows.table)).copy(), y.copy()
        self._row_weights = None if w is None else w.copy()
        self.n_neighbors_ = self._reach(w)
        self.degree_ = self._affordable(w)
        robust, reaches = np.ones(len(y)), np.full((len(y), 2), -1.0)
        rounding = ROUNDING * float(np.abs(y - np.average(y, weights=w)).max())
        for step in range(int(self.robust_iterations) + 1):
            fitted = self._answers(self._rows, robust, reaches)
            error = np.abs(y - fitted)
            report("local fits", learner=type(self).__name__, iteration=step + 1, total=int(self.robust_iterations) + 1)
            if step < self.robust_iterations:
                robust = _robustness(np.where(error <= rounding, 0.0, error), w)
        self._robust = robust
        self.robustness_weights_, self.fitted_values_ = np.ones(n), np.full(n, np.nan)
        self.robustness_weights_[rows.numbers], self.fitted_values_[rows.numbers] = robust, fitted

    def _reach(self, w: Array | None) -> float:
        """The weight of the neighbours: a share of all, in whole copies of the lightest row."""
        n = len(self._rows)
        if w is None:
            return float(max(1, int(self.frac * n + 1e-10)))
        unit = 1.0 if bool((w == np.floor(w)).all()) else float(w.min())
        return unit * max(1.0, float(np.floor(self.frac * w.sum() / unit + 1e-9)))

    # Answering

    @cached_property
    def _fits(self) -> LocalFits:
        settings = str(self.kernel), int(self.degree_), float(self.n_neighbors_)
        return LocalFits(self._rows, self._target, self._row_weights, self._slopes, *settings)

    def _answers(self, points: Array, robust: Array, reaches: Array | None = None) -> Array:
        values = np.empty(len(points))
        for some, fit in self._fits.around(points, robust, reaches):
            values[some] = fit.answer
        return values

    def _affordable(self, w: Array | None) -> int:
        """The degree asked for, or the largest one with fewer terms than neighbours."""
        unit, s = 1.0 if w is None or bool((w == np.floor(w)).all()) else float(w.min()), len(self._slopes)
        return max(d for d in range(int(self.degree) + 1) if d == 0 or n_terms(s, d) < self.n_neighbors_ / unit)

    @cached_property
    def _slopes(self) -> Array:
        """The columns of the matrix that the polynomial is of: numbers and ranks."""
        ordered = np.array([c.kind in ("numeric", "ordinal") for c in self._design.schema])
        return np.flatnonzero(ordered[self._design.owner])

    def _predict(self, table: Table) -> Array:
        return self._answers(dense(self._design.encode(table)), self._robust)

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """The mean of the neighbours, and how far each column moves the answer away from it."""
        point = dense(self._design.encode(row))
        _, fit = next(self._fits.around(point, self._robust))
        s = len(self._slopes)
        own = fit.terms[0, :s].copy() if self.degree_ else np.zeros(s)
        if self.degree_ == 2:  # half of a product to each of its columns
            for column in pairs(s):
                np.add.at(own, column, fit.terms[0, s:] / 2)
        terms = np.zeros((1, self._rows.shape[1]))
        terms[0, self._slopes] = own
        parts = self._design.fold(terms)[0]
        told = zip(row.names, row.columns, parts.tolist(), strict=True)
        answer = float(self._predict(row)[0])
        return Explanation(
            prediction=answer,
            kind="sum",
            base=float(fit.mean[0]),
            base_words=f"weighted mean of the {number(self.n_neighbors_)} nearest rows",
            evidence=tuple(Evidence(name, column.labels()[0], part) for name, column, part in told),
            total=answer,
            total_words="prediction",
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_settings(self)
        n, w = len(self._rows), self._row_weights
        if self._rows.shape != (n, self._design.n_columns) or n == 0 or self._design.schema != self._schema:
            raise SavedModelError("The rows kept do not fit the columns.")
        vectors = (self._target, self._robust) if w is None else (self._target, self._robust, w)
        for values in (self._rows, *vectors):
            if len(values) != n or values.dtype != np.float64 or not np.isfinite(values).all():
                raise SavedModelError("The rows, targets or weights kept are not finite, or not as many.")
        if w is not None and not (w > 0).all():
            raise SavedModelError("The weights of the rows kept are not all above 0.")
        if self.degree_ not in (0, 1, 2):
            raise SavedModelError(f"There is no polynomial of degree {self.degree_}.")
        if not 0 < self.n_neighbors_ <= (n if w is None else w.sum() * (1 + 1e-9)):
            raise SavedModelError("There are fewer rows than neighbours.")
        _ = self._fits

    _robust: Array = attribute()


def _robustness(error: Array, w: Array | None) -> Array:
    """Bisquare weights of the errors, in units of six medians; without a median any error is an outlier."""
    middle = weighted_median(error, w)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        u = np.where(error > 0, error / (6 * middle), 0.0)
    r: Array = np.maximum(1 - np.minimum(u, 1.0) ** 2, 0.0) ** 2
    return r
