"""Ordinary least squares on any table."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread
from learnt.engine.first_look import first_look
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import convergence_warning
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, OneOf
from learnt.linear.inference.footing import Footing
from learnt.linear.inference.inferring import InferringRegressor
from learnt.linear.least_squares.coefficients import Fit, by_cholesky, by_singular_values
from learnt.linear.least_squares.conjugate_gradients import by_conjugate_gradients
from learnt.linear.least_squares.cross_products import (
    CrossProducts,
    TakeCrossProducts,
    quick_products,
)
from learnt.linear.least_squares.residual_sums import ResidualSums, TakeResidualSums
from learnt.linear.least_squares.triangle import TakeTriangle, Triangle

#: Sparse designs up to this width are solved by cross products, wider ones by conjugate gradients.
WIDE = 1000

#: A smaller share of unexplained squares than this is summed up by a pass of its own: as the difference of two sums
#: of squares it would lose its digits.
SMALL = 1e-4


class LinearRegression(InferringRegressor):
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

    {settings}

    Attributes: `coef_` and `coefficient_names_`, one per column of the design; `intercept_`;
    `rank_`; `condition_` (of the standardised cross products); `converged_`; for inference those of
    `InferringRegressor`, and the methods `summary`, `confidence_intervals`, `predict_interval`, `influence`,
    `diagnostics` and `collinearity`.

    Reference: Å. Björck, Numerical Methods for Least Squares Problems, 1996.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    squares_target = False  # sums of squares are looked at themselves
    fit_cost = 3.0
    simplicity = 10.0
    finds_infinities = True

    fit_intercept: bool = setting(Flag(), "whether b₀ is learnt; False fixes it at 0", default=True)
    weights: Literal["copies", "precision"] = setting(
        OneOf("copies", "precision"),
        'what a weight of 2 says about errors: "copies", the row stands there twice; "precision", its '
        "target varies half as much. Coefficients are the same",
        default="copies",
    )

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        intercept = bool(self.fit_intercept)
        look = yield from first_look(training, drop_reference=intercept, quick=quick_products(training), reads_left=1)
        design: Design = look.design
        products: CrossProducts | None = look.quick
        typical = np.append(look.moments[0], 0.0) if products is None else products.mean
        if look.survey is not None:
            if design.n_columns > WIDE and (design.sparse or training.is_sparse):
                fit, converged = yield from by_conjugate_gradients(design, intercept)
                fit, sums = yield from _by_residuals(design, fit, intercept)
                return self._keep(design, fit, sums, converged)
            if look.survey.rows > design.n_columns:
                products = yield TakeCrossProducts(design)
                products.check_finite()
        seen: _Seen | None = products
        with one_blas_thread():
            solved = by_cholesky(products, intercept) if products is not None else None
        if solved is None:
            # A row near the mean is taken off first, so that the column of ones stays harmless.
            shift = typical if intercept else np.zeros_like(typical)
            triangle: Triangle = yield TakeTriangle(design, shift, intercept)
            with one_blas_thread():
                solved, seen = by_singular_values(triangle, shift, intercept), triangle
        elif solved.residual < SMALL * solved.total:
            solved, seen = yield from _by_residuals(design, solved, intercept)
        assert seen is not None
        return self._keep(design, solved, seen)

    def _keep(self, design: Design, fit: Fit, seen: _Seen, converged: bool = True) -> None:
        if not converged:
            warnings.warn(convergence_warning("Conjugate gradients stopped before they converged."), stacklevel=2)
        self._keep_coefficients(design, fit.coef, fit.intercept, fit.mean)
        self.rank_, self.condition_, self.converged_ = fit.rank, fit.condition, converged
        zeros = np.zeros_like(fit.mean)
        self._footing = Footing(
            intercept=bool(self.fit_intercept),
            precision=self.weights == "precision",
            rows=seen.tally.rows,
            incomplete=seen.tally.incomplete,
            weight=seen.weight,
            log_weight=seen.tally.log_weight,
            rank=fit.rank,
            residual=fit.residual,
            total=fit.total,
            level=_target_mean(fit, bool(self.fit_intercept)),
            mean=fit.mean if self.fit_intercept else zeros,
            size=zeros if fit.size is None else fit.size,
            root=fit.root,
        )

    def _without_rounding(self) -> tuple[Array, Any]:
        columns, first = self._footing.rounding(self.coef_)
        intercept = 0.0 if abs(self.intercept_) <= first else self.intercept_
        return np.where(np.abs(self.coef_) <= columns, 0.0, self.coef_), intercept


_Seen = CrossProducts | Triangle | ResidualSums


def _by_residuals(design: Design, fit: Fit, intercept: bool) -> Generator[Pass, Any, tuple[Fit, ResidualSums]]:
    """The fit with its sums of squares as the residuals give them."""
    seen: ResidualSums = yield TakeResidualSums(design, fit.coef, fit.intercept, _target_mean(fit, intercept))
    return replace(fit, residual=seen.residual, total=seen.total), seen


def _target_mean(fit: Fit, intercept: bool) -> float:
    """The line goes through the means; without an intercept squares are counted from 0."""
    return fit.intercept + float(fit.mean @ fit.coef) if intercept else 0.0
