"""Ordinary least squares on any table."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.passes import Pass
from learnt.engine.survey import Survey, TakeSurvey
from learnt.engine.training import Training
from learnt.errors import InputError, convergence_warning
from learnt.linear.conjugate_gradients import by_conjugate_gradients
from learnt.linear.cross_products import CrossProducts, TakeCrossProducts
from learnt.linear.least_squares import Fit, by_cholesky, by_singular_values
from learnt.linear.triangle import TakeTriangle, Triangle
from learnt.linear.weighted_sum import LinearRegressor
from learnt.parameters import Domain, Flag

#: Sparse designs up to this width are solved by cross products, wider ones by conjugate gradients.
WIDE = 1000


class LinearRegression(LinearRegressor):
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
    fit_cost = 3.0
    simplicity = 10.0
    domains: ClassVar[dict[str, Domain]] = {"fit_intercept": Flag()}
    finds_infinities = True

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
        self._keep_coefficients(design, fit.coef, fit.intercept, fit.mean)
        self.rank_, self.condition_, self.converged_ = fit.rank, fit.condition, converged


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
