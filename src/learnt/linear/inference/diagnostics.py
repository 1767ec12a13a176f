"""Tests of what least squares takes for granted: equal variances, normal errors, no order, a straight line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.linear.inference.coefficients import f_tail
from learnt.linear.inference.fitted_rows import FittedRows
from learnt.linear.inference.printed import Grid, Printed, p_words
from learnt.show.numbers import figure, number

#: White's test squares and multiplies columns; beyond this many cells it is asked of the answers instead.
WHITE_CELLS = 20_000_000
MOST_SHAPIRO = 5000
ALPHA = 0.05


@dataclass(frozen=True)
class ResidualTest:
    """`p_value` is small where the residuals contradict `assumption`; NaN where there is no test."""

    name: str
    assumption: str
    symbol: str
    statistic: float
    freedom: tuple[float, ...]
    p_value: float

    @property
    def rejected(self) -> bool:
        """Whether the assumption is contradicted at α = 0.05."""
        return self.p_value <= ALPHA


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics(Printed):
    """Tests of the residuals. A test that finds nothing shows no more than that: few rows hide much.

    | field | test | against |
    |---|---|---|
    | `breusch_pagan` | Breusch and Pagan's, studentised by Koenker | a variance that changes with the columns |
    | `white` | White's | the same, with squares and products of the columns; with very many of them, of the answer |
    | `jarque_bera` | Jarque and Bera's, of skewness and kurtosis | errors that are not normal |
    | `shapiro` | Shapiro and Wilk's; None beyond 5,000 rows or with weights | the same |
    | `durbin_watson` | Durbin and Watson's statistic, 0 … 4 | neighbouring rows that resemble (below 2) each other |
    | `reset` | Ramsey's, with the square and cube of the answer | a relation that is not straight |
    """

    breusch_pagan: ResidualTest
    white: ResidualTest
    jarque_bera: ResidualTest
    shapiro: ResidualTest | None
    durbin_watson: ResidualTest
    reset: ResidualTest
    n: float

    @property
    def tests(self) -> tuple[ResidualTest, ...]:
        found = (self.breusch_pagan, self.white, self.jarque_bera, self.shapiro, self.durbin_watson, self.reset)
        return tuple(test for test in found if test is not None)

    @property
    def words(self) -> tuple[str, ...]:
        """What the tests come to, and what to do about it."""
        said = []
        if self.breusch_pagan.rejected or self.white.rejected:
            said.append(
                'The variance of the errors is not the same everywhere: use robust="HC3", or model the logarithm.'
            )
        if self.jarque_bera.rejected or (self.shapiro is not None and self.shapiro.rejected):
            said.append(
                "The errors are not normal: with many rows t and F hold nevertheless, prediction intervals do not."
            )
        d = self.durbin_watson.statistic
        if d < 1.5 or d > 2.5:
            alike = "resemble" if d < 2 else "counter"
            said.append(f"Neighbouring rows {alike} each other: if rows have an order, standard errors are wrong.")
        if self.reset.rejected:
            said.append("The relation is not straight: powers, products or logarithms of columns are missing.")
        return tuple(said) or ("Nothing contradicts the assumptions of least squares.",)

    def _parts(self) -> list[str | Grid]:
        rows = []
        for test in self.tests:
            freedom = " and ".join(number(v) for v in test.freedom)
            rows.append(
                [test.name, test.assumption, test.symbol, figure(test.statistic), freedom, p_words(test.p_value)]
            )
        head = ["test", "of", "", "statistic", "df", "p"]
        return [f"Residuals of {number(self.n)} rows", Grid(head, rows, left=(0, 1, 2)), *self.words]

    def __repr__(self) -> str:
        return f"<Diagnostics: {sum(test.rejected for test in self.tests)} of {len(self.tests)} tests find something>"


def diagnose(rows: FittedRows, x: Array) -> Diagnostics:
    """All tests; `x` is the design matrix of the rows, columns of unit size about their means."""
    e, w = rows.scaled_residual, rows.copies
    some = w > 0
    weights = None if rows.weights is None else w
    squares = e**2
    return Diagnostics(
        breusch_pagan=_of_variance("Breusch–Pagan", x, squares, w),
        white=_white(rows, x, squares, w),
        jarque_bera=_jarque_bera(e, w),
        shapiro=_shapiro(e[some]) if weights is None or rows.precise else None,
        durbin_watson=_durbin_watson(e[some], w[some]),
        reset=_reset(rows, x),
        n=rows.footing.n,
    )


def _regression(x: Array, target: Array, w: Array) -> Any:
    from learnt.linear.least_squares.linear_regression import LinearRegression

    return LinearRegression().fit(Table.of_matrix(np.ascontiguousarray(x)), target, w)


def _of_variance(name: str, x: Array, squares: Array, w: Array) -> ResidualTest:
    """n·R² of the squared residuals on `x` is χ² with as many degrees of freedom as `x` has rank."""
    from scipy.special import chdtrc

    fit = _regression(x, squares, w)
    n, q = float(w.sum()), fit.rank_
    statistic = n * fit.r2_ if q and not math.isnan(fit.r2_) else math.nan
    p = float(chdtrc(q, max(statistic, 0.0))) if statistic == statistic else math.nan
    return ResidualTest(name, "equal variances", "χ²", statistic, (float(q),), p)


def _white(rows: FittedRows, x: Array, squares: Array, w: Array) -> ResidualTest:
    n, p = x.shape
    width = p * (p + 3) // 2
    if 2 * width >= n or n * width > WHITE_CELLS:
        answer = _standardised(rows.answer, w)
        return _of_variance("White, of the answer", np.column_stack([answer, answer**2]), squares, w)
    one, other = np.triu_indices(p)
    return _of_variance("White", np.column_stack([x, x[:, one] * x[:, other]]), squares, w)


def _jarque_bera(e: Array, w: Array) -> ResidualTest:
    """n/6 · (skewness² + (kurtosis − 3)²/4) is χ² with 2 degrees of freedom."""
    n = float(w.sum())
    away = e - w @ e / n
    m2 = float(w @ away**2) / n
    statistic = p = math.nan
    if m2 > 0:
        skewness, kurtosis = float(w @ away**3) / n / m2**1.5, float(w @ away**4) / n / m2**2
        statistic = n / 6 * (skewness**2 + (kurtosis - 3) ** 2 / 4)
        p = math.exp(-statistic / 2)
    return ResidualTest("Jarque–Bera", "normal errors", "χ²", statistic, (2.0,), p)


def _shapiro(e: Array) -> ResidualTest | None:
    from scipy.stats import shapiro

    if not 3 <= len(e) <= MOST_SHAPIRO or np.ptp(e) == 0:
        return None
    found = shapiro(e)
    return ResidualTest("Shapiro–Wilk", "normal errors", "W", float(found.statistic), (), float(found.pvalue))


def _durbin_watson(e: Array, w: Array) -> ResidualTest:
    whole = float(w @ e**2)
    d = float((np.diff(e) ** 2).sum()) / whole if whole > 0 else math.nan
    return ResidualTest("Durbin–Watson", "no order", "d", d, (), math.nan)


def _reset(rows: FittedRows, x: Array) -> ResidualTest:
    """F of adding the square and the cube of the answers to the columns."""
    footing = rows.footing
    w = np.ones(len(x)) if rows.weights is None else rows.weights
    answer = _standardised(rows.answer, w)
    wide = np.column_stack([x, answer**2, answer**3])
    from learnt.linear.least_squares.linear_regression import LinearRegression

    model = LinearRegression(fit_intercept=footing.intercept).fit(Table.of_matrix(wide), rows.target, w)
    left: float = model._need_footing().residual
    q, freedom = float(model.rank_ - footing.rank), footing.freedom - (model.rank_ - footing.rank)
    f = math.nan
    if q > 0 and freedom > 0 and left > 0:
        f = max(footing.residual - left, 0.0) / q / (left / freedom)
    return ResidualTest("RESET", "a straight line", "F", f, (q, freedom), f_tail(f, q, freedom))


def _standardised(values: Array, w: Array) -> Array:
    """About their mean and in units of their spread: powers of them stay harmless."""
    away: Array = values - np.average(values, weights=w)
    spread = math.sqrt(float(np.average(away**2, weights=w)))
    return away / spread if spread > 0 else away
