"""Coefficients with their standard errors, t, p and intervals; and F tests of whole columns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.linear.inference.footing import UNDETERMINED, Footing
from learnt.linear.inference.printed import Grid, Printed, p_words
from learnt.show.numbers import figure, percent
from learnt.show.words import label


@dataclass(frozen=True, eq=False, repr=False)
class Coefficients(Printed):
    """One entry per coefficient, the intercept first where there is one; NaN where the rows do not determine it.

    | field | meaning |
    |---|---|
    | `names`, `estimates` | what is estimated |
    | `standard_errors` | how far estimates would scatter over other samples |
    | `t_values`, `p_values` | estimate over error; the chance of one as far from 0 if there is no effect |
    | `low`, `high`, `level` | the confidence interval |
    | `freedom` | degrees of freedom of t |
    | `rounding` | what rounding alone may leave: estimates and errors up to it are written as 0 |
    """

    names: tuple[str, ...]
    estimates: Array
    standard_errors: Array
    t_values: Array
    p_values: Array
    low: Array
    high: Array
    level: float
    freedom: float
    rounding: Array | float = 0.0

    def grid(self) -> Grid:
        estimates, errors, low, high = (
            [figure(v) for v in np.where(np.abs(column) <= self.rounding, 0.0, column).tolist()]
            for column in (self.estimates, self.standard_errors, self.low, self.high)
        )
        t, p = map(figure, self.t_values.tolist()), map(p_words, self.p_values.tolist())
        cells = (estimates, errors, t, p, low, high)
        head = ["", "estimate", "std. error", "t", "p", f"{percent(self.level)} from", "to"]
        return Grid(head, [list(row) for row in zip(self.names, *cells, strict=True)])

    def _parts(self) -> list[str | Grid]:
        return [f"{len(self.names)} coefficients", self.grid()]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Coefficients: {len(self)}, {percent(self.level)} intervals>"


def coefficients(
    footing: Footing, names: tuple[str, ...], estimates: Array, level: float, middle: Array | None
) -> Coefficients:
    """t tests and intervals; `middle` is that of a robust covariance, None for the classical one."""
    from scipy.special import stdtr, stdtrit

    errors = standard_errors(footing, middle)
    freedom = footing.freedom
    with np.errstate(divide="ignore", invalid="ignore"):
        t = estimates / errors
        if freedom > 0:
            p, reach = 2 * stdtr(freedom, -np.abs(t)), -float(stdtrit(freedom, (1 - level) / 2)) * errors
        else:
            p, reach = np.full_like(t, np.nan), np.full_like(t, np.nan)
    low, high = estimates - reach, estimates + reach
    columns, first = footing.rounding(estimates[1:] if footing.intercept else estimates)
    rounding = np.append(first, columns) if footing.intercept else columns
    return Coefficients(names, estimates, errors, t, p, low, high, level, freedom, rounding)


def standard_errors(footing: Footing, middle: Array | None = None) -> Array:
    """√diag(G·M·Gᵀ), with M = σ²·1 unless given; NaN where a coefficient is not determined."""
    if footing.root is None:
        return np.full(len(footing.determined), np.nan)
    g = footing.directions
    if middle is None:
        spread = footing.sigma * np.sqrt((g**2).sum(axis=1))
    else:
        spread = np.sqrt(np.maximum(((g @ middle) * g).sum(axis=1), 0))
    errors: Array = np.where(footing.determined, spread / footing.units, np.nan)
    return errors


def covariance(footing: Footing, middle: Array | None = None) -> Array:
    """The covariance matrix of the coefficients; rows and columns of NaN where one is not determined."""
    size = len(footing.determined)
    if footing.root is None:
        return np.full((size, size), np.nan)
    with np.errstate(over="ignore"):
        g = footing.directions / footing.units[:, None]
        spread = footing.sigma**2 * (g @ g.T) if middle is None else g @ middle @ g.T
    known = footing.determined
    matrix: Array = np.where(known[:, None] & known, spread, np.nan)
    return matrix


@dataclass(frozen=True)
class ColumnTest:
    """Whether a column of the table matters at all, given the others (types II and III are the same here).

    `base` is the level against which the coefficients of a nominal column are counted, `freedom` how many
    coefficients are tested together; F has `freedom` and the residual degrees of freedom.
    """

    column: str
    base: str
    freedom: int
    f_value: float
    p_value: float


def column_tests(footing: Footing, design: Design, coef: Array, middle: Array | None) -> tuple[ColumnTest, ...]:
    """An F test for each column of the table that the design has a place for."""
    tests = []
    for j, column in enumerate(design.schema):
        own = np.flatnonzero(design.owner == j)
        if not len(own):
            continue
        reference = int(design.reference[j])
        base = label(column.categories[reference]) if reference >= 0 else ""
        q, f = _joint_f(footing, own, coef, middle) if footing.root is not None else (0, math.nan)
        tests.append(ColumnTest(column.name, base, q, f, f_tail(f, q, footing.freedom)))
    return tuple(tests)


def _joint_f(footing: Footing, own: Array, coef: Array, middle: Array | None) -> tuple[int, float]:
    """Wald's F of all combinations of these coefficients that the rows determine, and how many there are.

    They are the directions within the columns that lie in the row space: eigenvectors of eigenvalue 1 of the
    projection onto it. Without robust errors this is the F of leaving the columns out.
    """
    assert footing.root is not None
    own = own[footing.size[own] > 0]
    g = footing.directions[footing.intercept :][own]
    b = coef[own] * footing.size[own]
    if footing.row_space is not None and len(own):
        inside = footing.row_space[own]
        values, vectors = np.linalg.eigh(inside @ inside.T)
        testable = vectors[:, values > 1 - UNDETERMINED].T
        g, b = testable @ g, testable @ b
    if not len(b):
        return 0, math.nan
    return len(b), wald_f(g, b, footing.sigma, middle)


def wald_f(g: Array, b: Array, sigma: float, middle: Array | None) -> float:
    """bᵀ V⁻¹ b / q for V = σ²·g·gᵀ, or g·M·gᵀ."""
    spread = g @ g.T if middle is None else g @ middle @ g.T
    try:
        f = float(b @ np.linalg.solve(spread, b)) / len(b)
    except np.linalg.LinAlgError:  # robust errors of no more rows than coefficients
        return math.nan
    if middle is not None:
        return f
    return f / sigma**2 if sigma > 0 else (math.nan if sigma != sigma or f == 0 else math.inf)


def overall_f(footing: Footing, coef: Array, middle: Array | None) -> tuple[float, float]:
    """F of all columns together, and its p: whether the regression says anything."""
    q = footing.rank
    if not q or footing.freedom <= 0 or footing.flat:
        return math.nan, math.nan
    if middle is None or footing.root is None:
        left = footing.residual / footing.freedom
        f = (footing.total - footing.residual) / q / left if left > 0 else math.inf
    else:
        at = np.linalg.lstsq(footing.root, coef * footing.size, rcond=None)[0]
        f = wald_f(np.eye(q + footing.intercept)[footing.intercept :], at, footing.sigma, middle)
    return f, f_tail(f, q, footing.freedom)


def f_tail(f: float, q: float, freedom: float) -> float:
    from scipy.special import fdtrc

    if q <= 0 or freedom <= 0 or math.isnan(f):
        return math.nan
    return 0.0 if math.isinf(f) else float(fdtrc(q, freedom, max(f, 0.0)))
