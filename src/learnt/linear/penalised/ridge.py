"""Ridge regression: least squares with coefficients kept small."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.first_look import first_look
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError, convergence_warning
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, OneOf, Real
from learnt.linear.gathered_rows import GatherRows, Rows
from learnt.linear.least_squares.coefficients import Fit
from learnt.linear.least_squares.conjugate_gradients import by_conjugate_gradients
from learnt.linear.least_squares.cross_products import (
    CrossProducts,
    TakeCrossProducts,
    quick_products,
)
from learnt.linear.least_squares.triangle import TakeTriangle, Triangle
from learnt.linear.penalised.leave_one_out import LeaveEachOut, Spectrum, tried_alphas
from learnt.linear.penalised.problem import RowProblem
from learnt.linear.penalised.ridge_solvers import ridge_by_cholesky, ridge_by_triangle, variances
from learnt.linear.penalised.row_side import RowSide
from learnt.linear.weighted_sum import LinearRegressor
from learnt.statistics.sums import ArraySums

#: Matrices of columns × columns or rows × rows are made up to this size, from sparse designs up to the second.
MOST, WIDE = 5000, 1000

#: A coefficient that costs more is 0 as well.
_DEAREST = float(np.finfo(np.float64).max) / 8


class Ridge(LinearRegressor):
    """Predict a number as a weighted sum of the columns, with a penalty that keeps the coefficients small.

        b = argmin Σ_i w_i (y_i − b₀ − b·x_i)² + alpha Σ_j b_j²

    >>> twins = {"a": [1.0, 2.0, 3.0, 4.0], "copy": [1.0, 2.0, 3.0, 4.0]}
    >>> Ridge(alpha=0.1).fit(twins, [1.0, 2.0, 3.0, 4.0]).coef_.round(3).tolist()
    [0.495, 0.495]

    Columns enter as in `LinearRegression`; `alpha` counts as in scikit-learn, against the sum over all rows. The
    penalty counts in the units of the columns: with columns of different units use `standardize=True`.

    `alpha="loo"` tries 46 penalties and takes the one whose predictions of each row, when that row is left out of
    the fit, have the smallest mean squared error. No fit is repeated for it: one decomposition and a second pass
    give all these errors. Any number of rows will do as long as columns are 5,000 at most, and the other way round.

    Cost: one pass, O(n·p²), as least squares. With fewer rows than columns O(n²·p). Sparse designs of more than 1,000
    rows and columns, and dense ones of more than 5,000, take conjugate gradients, one pass an iteration.

    {settings}

    Attributes: `coef_`, `coefficient_names_`, `intercept_`; `alpha_`; `converged_`; with alpha="loo" `alphas_` and
    `errors_`, the mean squared error of each.

    Reference: A. Hoerl, R. Kennard, Ridge regression, Technometrics 12, 1970; G. Golub, M. Heath, G. Wahba,
    Generalized cross-validation, 1979.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    squares_target = False  # sums of squares are looked at themselves
    fit_cost = 3.0
    simplicity = 11.0
    search_space: ClassVar[Mapping[str, Sequence[Any]]] = {"alpha": (0.1, 1.0, 10.0, 100.0)}
    finds_infinities = True

    alpha: Any = setting(
        Real(0) | OneOf("loo"), 'the penalty, from 0 on; "loo": chosen by leaving each row out', default=1.0
    )
    fit_intercept: bool = setting(Flag(), "whether b₀ is learnt; False fixes it at 0", default=True)
    standardize: bool = setting(
        Flag(), "penalise as if columns had been divided by their standard deviations", default=False
    )

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        intercept = bool(self.fit_intercept)
        quick = quick_products(training) if len(training.schema) <= MOST else None
        left = None if self.alpha == "loo" else 1
        look = yield from first_look(training, drop_reference=intercept, quick=quick, reads_left=left)
        design: Design = look.design
        if look.survey is None:
            return (yield from self._by_products(design, look.quick, None))
        survey, sparse = look.survey, design.sparse or training.is_sparse
        p, loo = design.n_columns, self.alpha == "loo"
        most = MOST if loo or not sparse else WIDE
        if survey.rows > p and p <= most:
            products = yield TakeCrossProducts(design)
            return (yield from self._by_products(design, products, design))
        if survey.rows <= most:
            return (yield from self._by_rows(design, look.moments[0]))
        if loo:
            raise InputError(
                f"alpha='loo' decomposes the matrix of rows × rows or of columns × columns, whichever is smaller, of "
                f"{MOST:,} at most; here are {survey.rows:,} rows and {p:,} columns of the design. "
                "Give a number for alpha, or let learnt.tune try some by cross-validation."
            )
        fit, converged = yield from by_conjugate_gradients(
            design, intercept, penalty=float(self.alpha), standardize=bool(self.standardize)
        )
        if not converged:
            warnings.warn(convergence_warning("Conjugate gradients stopped before they converged."), stacklevel=2)
        self._keep(design, fit, float(self.alpha), converged)

    def _by_products(
        self, design: Design, products: CrossProducts, encoding: Design | None
    ) -> Generator[Pass, Any, None]:
        """`encoding` None reads a numeric matrix as it is."""
        products.check_finite()
        intercept, alpha = bool(self.fit_intercept), self.alpha
        variance = variances(products, intercept)
        varies = variance > 0
        unit = np.where(varies, variance, 1.0) if self.standardize else np.ones_like(variance)
        if alpha == "loo":
            spectrum = Spectrum(products, np.where(varies, 1 / np.sqrt(unit), 0.0), intercept)
            sums: ArraySums = yield LeaveEachOut(encoding, spectrum)
            alpha = self._keep_errors(spectrum.alphas, sums.arrays[0] / products.weight)
        with np.errstate(over="ignore"):
            penalty = np.minimum(float(alpha) * unit, _DEAREST)
        fit = ridge_by_cholesky(products, penalty, intercept)
        if fit is None:
            shift = products.mean if intercept else np.zeros_like(products.mean)
            triangle: Triangle = yield TakeTriangle(design, shift, intercept)
            fit = ridge_by_triangle(triangle, penalty, shift, intercept)
        coef = np.where(varies, fit.coef, 0.0)
        base = float(products.mean[-1] - products.mean[:-1] @ coef) if intercept else 0.0
        self._keep(design, replace(fit, coef=coef, intercept=base, mean=products.mean[:-1]), float(alpha))

    def _by_rows(self, design: Design, mean: Array) -> Generator[Pass, Any, None]:
        gathered: Rows = yield GatherRows(design)
        problem = RowProblem(*gathered.joined(), bool(self.fit_intercept))
        side, alpha = RowSide(problem, bool(self.standardize)), self.alpha
        if alpha == "loo":
            shares = tried_alphas(float(side.values[0]))
            alpha = self._keep_errors(shares * problem.weight, side.errors_left_out(shares))
        fit = side.solve(float(alpha) / problem.weight)
        self._keep(design, replace(fit, mean=mean), float(alpha))

    def _keep_errors(self, alphas: Array, errors: Array) -> float:
        self.alphas_, self.errors_ = alphas, errors
        # Of penalties that rounding tells apart the largest: copies of rows and weights then choose the same. Where a
        # row alone decides a coefficient, errors are quotients of what nearly cancels, the more so the smaller the
        # penalty: a lead that this may feign is none. By rows there is less of it, but copies may be solved by columns.
        feigned = 1e-15 * alphas.max() / alphas
        least = float((errors * (1 + feigned)).min())
        equal = np.flatnonzero(errors <= least * (1 + 1e-9) + 1e-30)
        return float(alphas[equal].max())

    def _keep(self, design: Design, fit: Fit, alpha: float, converged: bool = True) -> None:
        self._keep_coefficients(design, fit.coef, fit.intercept, fit.mean)
        self.alpha_, self.converged_ = alpha, converged
