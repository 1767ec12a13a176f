"""What lasso and elastic net share: the way from a table to coefficients of which many are zero."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.first_look import first_look
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import ParameterError, convergence_warning
from learnt.learner.fields import setting
from learnt.learner.parameters import Flag, OneOf, Real, Whole
from learnt.linear.gathered_rows import GatherRows, Rows
from learnt.linear.least_squares.cross_products import (
    CrossProducts,
    TakeCrossProducts,
    quick_products,
)
from learnt.linear.penalised.choice import (
    FoldProducts,
    PenaltyChoice,
    TakeFoldProducts,
    added_products,
    check_folds,
    folds_of,
    squared_error,
)
from learnt.linear.penalised.descent import Solution, alpha_grid, follow, solve
from learnt.linear.penalised.penalty import Penalty
from learnt.linear.penalised.pilot import pilot_coefficients
from learnt.linear.penalised.problem import Problem, ProductProblem, RowProblem
from learnt.linear.weighted_sum import LinearRegressor

#: Designs up to this width, of more rows than columns, are solved from their cross products.
FEW_COLUMNS = 2000
#: Penalties tried by cross-validation, and the smallest relative to the largest: with fewer rows than columns smaller
#: ones fit every row, which takes long and predicts badly.
TRIED, SMALLEST, SMALLEST_OF_FEW_ROWS = 100, 1e-3, 1e-2


@dataclass(frozen=True)
class RowSummary:
    """What the passes over the rows brought: a design, and least squares as a whole and without each fold."""

    design: Design
    mean: Array
    whole: Problem
    folds: FoldProducts | None = None
    rows: tuple[Any, Array, Array | None] | None = None


class SparseRegressor(LinearRegressor, abstract=True):
    """Members say how much of the penalty is absolute (`_share_of_absolute`) and store the settings below."""

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})
    squares_target = False  # sums of squares are looked at themselves
    fit_cost = 6.0
    simplicity = 12.0
    finds_infinities = True

    alpha: Any = setting(
        Real(above=0) | OneOf("cv"),
        'the penalty, above 0; "cv": chosen by cross-validation among 100 values, down to 0.001 of the '
        "largest (0.01 with fewer rows than columns)",
        default=1.0,
    )
    fit_intercept: bool = setting(Flag(), "whether b₀ is learnt; False fixes it at 0", default=True)
    standardize: bool = setting(
        Flag(),
        "penalise as if columns had been divided by their standard deviations",
        default=False,
    )
    positive: bool = setting(Flag(), "no coefficient below 0", default=False)
    adaptive: bool = setting(
        Flag(),
        "divide each penalty by the coefficient of a ridge fit: strong columns are hardly shrunk",
        default=False,
    )
    group: bool = setting(
        Flag(),
        "the indicators of one nominal column enter together or not at all",
        default=False,
    )
    folds: int = setting(Whole(2), "of the cross-validation, from 2 on", default=5)
    rule: str = setting(
        OneOf("1se", "min"),
        '"1se": the largest alpha within one standard error of the best; "min": the best',
        default="1se",
    )
    tol: float = setting(
        Real(0),
        "duality gap at which descent ends, relative to the objective at b = 0",
        default=1e-6,
    )
    max_iter: int = setting(Whole(1), "rounds of descent at most", default=10_000)

    def _share_of_absolute(self) -> float:
        raise NotImplementedError

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        if self.positive and self.group:
            raise ParameterError(
                f"{type(self).__name__}: positive=True and group=True exclude each other. "
                "The indicators of a group enter together, with either sign."
            )
        intercept, by_folds = bool(self.fit_intercept), self.alpha == "cv"
        taken = yield from take(training, intercept, self.folds if by_folds else 1)
        penalty = self._penalty(taken.design, taken.whole)
        alpha = self.alpha
        if by_folds:
            self.choice_ = self._choose(taken, penalty)
            alpha = self.choice_.alpha
        found = solve(taken.whole, penalty, float(alpha), self.tol, self.max_iter, type(self).__name__)
        self._keep(taken, float(alpha), found)

    def _penalty(self, design: Design, problem: Problem) -> Penalty:
        penalty = Penalty.of_columns(design.n_columns, self._share_of_absolute(), bool(self.positive))
        if self.group:
            penalty = penalty.grouped(design)
        if self.standardize:
            penalty = penalty.scaled(problem.spread)
        return penalty.adapted(pilot_coefficients(problem)) if self.adaptive else penalty

    def _choose(self, taken: RowSummary, penalty: Penalty) -> PenaltyChoice:
        few_rows = taken.rows is not None and len(taken.rows[1]) < np.count_nonzero(taken.whole.square)
        alphas = alpha_grid(taken.whole, penalty, TRIED, SMALLEST_OF_FEW_ROWS if few_rows else SMALLEST)
        errors, weights = np.empty((self.folds, len(alphas))), np.empty(self.folds)
        for k, (problem, error) in enumerate(_without_each(taken, self.folds, bool(self.fit_intercept))):
            alone = self._penalty(taken.design, problem)  # what a fold is not to know must not scale its penalties
            path = follow(problem, alone, alphas, self.tol, self.max_iter, type(self).__name__)
            coefs = np.array([found.coef for found in path])
            weights[k], errors[k] = error(coefs, np.array([problem.constant_term(b) for b in coefs]))
        return PenaltyChoice(alphas, errors, weights, self.rule)

    def _keep(self, taken: RowSummary, alpha: float, found: Solution) -> None:
        name = type(self).__name__
        if not found.converged:
            warnings.warn(
                convergence_warning(
                    f"{name} stopped after {found.rounds} rounds with a duality gap of {found.gap:.3g}. "
                    "Increase max_iter, alpha or tol, or scale the columns."
                ),
                stacklevel=2,
            )
        self._keep_coefficients(taken.design, found.coef, taken.whole.constant_term(found.coef), taken.mean)
        self.alpha_, self.gap_, self.n_iter_, self.converged_ = alpha, found.gap, found.rounds, found.converged


def take(training: Training, intercept: bool, n_folds: int = 1) -> Generator[Pass, Any, RowSummary]:
    """The passes over the rows: cross products where columns are few, the encoded rows themselves where not."""
    quick = quick_products(training) if len(training.schema) <= FEW_COLUMNS and n_folds == 1 else None
    look = yield from first_look(training, drop_reference=intercept, quick=quick)
    design: Design = look.design
    if look.survey is None:
        return _from_products(design, look.quick, intercept)
    if look.survey.rows > design.n_columns and design.n_columns <= FEW_COLUMNS:
        if n_folds == 1:
            whole: CrossProducts = yield TakeCrossProducts(design)
            return _from_products(design, whole, intercept)
        folds: FoldProducts = yield TakeFoldProducts(design, n_folds)
        check_folds([f.weight for f in folds.folds], n_folds)
        return _from_products(design, added_products(folds.folds), intercept, folds)
    gathered: Rows = yield GatherRows(design)
    x, y, w = gathered.joined()
    return RowSummary(design, look.moments[0], RowProblem(x, y, w, intercept), rows=(x, y, w))


def _from_products(
    design: Design, products: CrossProducts, intercept: bool, folds: FoldProducts | None = None
) -> RowSummary:
    products.check_finite()
    return RowSummary(design, products.mean[:-1], ProductProblem(products, intercept), folds)


def _without_each(taken: RowSummary, n_folds: int, intercept: bool) -> Any:
    """Per fold: least squares on the other rows, and the weight and errors of coefficients on its own."""
    if taken.folds is not None:
        for k, test in enumerate(taken.folds.folds):
            yield ProductProblem(taken.folds.without(k), intercept), _ErrorOfProducts(test)
        return
    assert taken.rows is not None
    x, y, w = taken.rows
    w = np.ones(len(y)) if w is None else w
    folds = folds_of(0, len(y), n_folds)
    shares = [float(w[folds == k].sum()) for k in range(n_folds)]
    check_folds(shares, n_folds)
    columns = taken.whole.x if isinstance(taken.whole, RowProblem) else x
    for k in range(n_folds):
        out = np.flatnonzero((folds == k) & (w > 0))
        yield RowProblem(columns, y, np.where(folds == k, 0.0, w), intercept), _ErrorOfRows(x[out], y[out], w[out])


@dataclass(frozen=True)
class _ErrorOfProducts:
    test: CrossProducts

    def __call__(self, coefs: Array, intercepts: Array) -> tuple[float, Array]:
        pairs = zip(coefs, intercepts.tolist(), strict=True)
        return self.test.weight, np.array([squared_error(self.test, b, b0) for b, b0 in pairs])


@dataclass(frozen=True)
class _ErrorOfRows:
    x: Any
    y: Array
    w: Array

    def __call__(self, coefs: Array, intercepts: Array) -> tuple[float, Array]:
        left = self.y[:, None] - np.asarray(self.x @ coefs.T) - intercepts
        return float(self.w.sum()), np.average(left**2, axis=0, weights=self.w)
