"""Ordinary least squares on any table."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.base import Regressor
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.passes import Pass
from learnt.engine.survey import Survey, TakeSurvey, check_finite
from learnt.engine.training import Training
from learnt.errors import InputError, SavedModelError, convergence_warning
from learnt.explain import Evidence, Explanation, Explanations
from learnt.linear.conjugate_gradients import by_conjugate_gradients
from learnt.linear.cross_products import ENCODED_ROWS, CrossProducts, TakeCrossProducts, dense
from learnt.linear.least_squares import Fit, by_cholesky, by_singular_values
from learnt.linear.triangle import TakeTriangle, Triangle
from learnt.parameters import Domain, Flag
from learnt.wording import number

#: Sparse designs up to this width are solved by cross products, wider ones by conjugate gradients.
WIDE = 1000


class LinearRegression(Regressor):
    """Predict a number as a weighted sum of the columns, with the smallest sum of squared errors.

        b = argmin Σ_i w_i (y_i − b₀ − b·x_i)²

    >>> table = {"floor": ["wood", "tile", "wood", "tile"], "area": [10.0, 10.0, 20.0, 20.0]}
    >>> model = LinearRegression().fit(table, [15.0, 12.0, 25.0, 22.0])
    >>> dict(zip(model.coefficient_names_, model.coef_.round(6).tolist()))
    {'floor=wood': 3.0, 'area': 1.0}

    Numbers enter as they are, ordered categories by rank, other categories by indicators (the most
    frequent category is the reference), missing cells as the mean or the most frequent category.

    Collinear columns: of all solutions the one whose standardised coefficients have the smallest
    norm, so that copies of a column share its effect. Columns that do not vary get 0.

    Cost: one pass, O(n·p²), by Cholesky on centred cross products; where their condition number
    exceeds 1e6 a second pass by QR. Sparse designs wider than 1,000 columns take conjugate
    gradients, one pass an iteration.

    | setting | default | meaning |
    |---|---|---|
    | `fit_intercept` | True | whether b₀ is learnt; False fixes it at 0 |

    Attributes: `coef_` and `coefficient_names_`, one per column of the design; `intercept_`;
    `rank_`; `condition_` (of the standardised cross products); `converged_`.

    Reference: Å. Björck, Numerical Methods for Least Squares Problems, 1996.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    domains: ClassVar[dict[str, Domain]] = {"fit_intercept": Flag()}
    finds_infinities = True

    coef_: Array
    intercept_: float
    _design: Design
    _mean: Array

    def __init__(self, *, fit_intercept: bool = True):
        self.fit_intercept = fit_intercept

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        intercept = bool(self.fit_intercept)
        products = yield from _products_of_numbers(training)
        if products is not None:
            design, typical = _plain_design(training, products.mean[:-1]), products.mean
        else:
            survey: Survey = yield TakeSurvey()
            survey.check_finite()
            design = Design.of(survey, drop_reference=intercept)
            typical = np.append(design.moments(survey)[0], 0.0)
            if design.n_columns > WIDE and (design.sparse or _is_sparse(training)):
                fit, converged = yield from by_conjugate_gradients(design, intercept)
                return self._keep(design, fit, converged)
            if survey.rows > design.n_columns:
                products = yield TakeCrossProducts(design)
                if not products.finite:
                    raise InputError("A column holds values so large that their squares overflow. Scale it down first.")
        with one_blas_thread():
            solved = by_cholesky(products, intercept) if products is not None else None
        if solved is None:
            # A row near the mean is taken off first, so that the column of ones stays harmless.
            shift = typical if intercept else np.zeros_like(typical)
            triangle: Triangle = yield TakeTriangle(design, shift, intercept)
            with one_blas_thread():
                solved = by_singular_values(triangle, shift, intercept)
        return self._keep(design, solved, converged=True)

    def _keep(self, design: Design, fit: Fit, converged: bool) -> None:
        if not converged:
            warnings.warn(convergence_warning("Conjugate gradients stopped before they converged."), stacklevel=2)
        self._design, self._mean = design, fit.mean
        self.coef_, self.intercept_ = fit.coef, fit.intercept
        self.rank_, self.condition_, self.converged_ = fit.rank, fit.condition, converged

    @property
    def coefficient_names_(self) -> tuple[str, ...]:
        """What each coefficient belongs to: a column, or `column=category`."""
        return self._design.names

    def _predict(self, table: Table) -> Array:
        out = np.empty(table.n_rows)
        if table.matrix is not None:
            _core.predict_linear(table.matrix, self.coef_, self.intercept_, out)
            if np.isfinite(out).all():
                return out
        check_finite(table)
        for start in range(0, table.n_rows, ENCODED_ROWS):
            x = self._design.encode(table.rows(start, start + ENCODED_ROWS))
            if isinstance(x, np.ndarray):
                _core.predict_linear(x, self.coef_, self.intercept_, out[start : start + ENCODED_ROWS])
            else:
                out[start : start + ENCODED_ROWS] = x @ self.coef_ + self.intercept_
        return out

    def _explain(self, table: Table) -> Explanations:
        check_finite(table)
        base = self.intercept_ + float(self._mean @ self.coef_)
        names = table.names

        def explain_row(i: int) -> Explanation:
            row = table.rows(i, i + 1)
            x = dense(self._design.encode(row)).astype(np.float64)
            parts = self._design.fold((x - self._mean) * self.coef_)[0]
            cells = [column.labels()[0] for column in row.columns]
            evidence = tuple(
                Evidence(name, cell, float(part), self._words(j, cell))
                for j, (name, cell, part) in enumerate(zip(names, cells, parts, strict=True))
            )
            total = float(self._predict(row)[0])
            return Explanation(total, "sum", base, "average", evidence, total, "prediction")

        return Explanations(table.n_rows, explain_row)

    def _words(self, j: int, cell: Any) -> str:
        """How a column's contribution comes about: `0.5 × (37 − 31.2)`."""
        column, first = self._design.schema.columns[j], int(self._design.starts[j])
        if cell is None:
            return "missing, taken as the " + ("average" if column.kind in ("numeric", "ordinal") else "most frequent")
        if column.kind == "numeric":
            mean = self._mean[first]
            gap = f"− {number(mean)}" if mean >= 0 else f"+ {number(-mean)}"
            return f"{number(self.coef_[first])} × ({number(cell)} {gap})"
        return "against the average row"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p = self._design.n_columns
        if self.coef_.shape != (p,) or self._mean.shape != (p,) or self._design.schema != self._schema:
            raise SavedModelError("The coefficients do not fit the columns.")


def _products_of_numbers(training: Training) -> Generator[Pass, Any, CrossProducts | None]:
    """The quick way for a numeric matrix: hope that no cell is missing, and see it in the sums if one is."""
    table = training.source
    if not isinstance(table, Table) or table.matrix is None or table.n_rows <= table.n_columns:
        return None
    products: CrossProducts = yield TakeCrossProducts(None)
    return products if products.finite else None


def _is_sparse(training: Training) -> bool:
    return isinstance(training.source, Table) and training.source.sparse is not None


def _plain_design(training: Training, mean: Array) -> Design:
    """Numbers as they are; cells missing only when predicting count as the mean."""
    m = len(training.schema)
    return Design(training.schema, mean, np.zeros(m), np.ones(m), np.full(m, -1, np.int32), sparse=False)
