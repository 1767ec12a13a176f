"""The summary of a regression, as R and statsmodels have made it known."""

from __future__ import annotations

import math
from dataclasses import dataclass

from learnt.data.table import Array
from learnt.linear.inference.coefficients import Coefficients, ColumnTest
from learnt.linear.inference.footing import Footing
from learnt.linear.inference.printed import Grid, Printed, list_names, p_words
from learnt.show.numbers import figure, number
from learnt.show.words import plural

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Printed):
    """What a fit found and how sure it is.

    | field | meaning |
    |---|---|
    | `coefficients` | estimates, errors, t, p and intervals |
    | `column_tests` | an F test for each column of the table: do its coefficients matter together? |
    | `n`, `rows` | observations (Σ w where weights are copies) and rows of positive weight |
    | `df_model`, `df_residual` | degrees of freedom |
    | `sigma` | residual standard error |
    | `r2`, `adjusted_r2` | share of variance explained; without an intercept, of squares about 0 |
    | `f_statistic`, `f_p_value` | of all columns together |
    | `log_likelihood`, `aic`, `bic` | as statsmodels counts; R counts σ as one more parameter |
    | `residual_quantiles` | least, quartiles and most; None unless the rows were given |
    | `robust` | which robust errors, or None |
    | `cautions` | what to mind |
    """

    title: str
    coefficients: Coefficients
    column_tests: tuple[ColumnTest, ...]
    n: float
    rows: int
    df_model: int
    df_residual: float
    sigma: float
    r2: float
    adjusted_r2: float
    f_statistic: float
    f_p_value: float
    log_likelihood: float
    aic: float
    bic: float
    intercept: bool
    residual_quantiles: Array | None
    robust: str | None
    cautions: tuple[str, ...]

    def _parts(self) -> list[str | Grid]:
        parts: list[str | Grid] = [self.title]
        if self.residual_quantiles is not None:
            head = ["residuals", "least", "25 %", "median", "75 %", "most"]
            parts.append(Grid(head, [["", *map(figure, self.residual_quantiles.tolist())]]))
        parts.append(self.coefficients.grid())
        joint = [test for test in self.column_tests if test.base]
        if joint:
            rows = [[t.column, t.base, str(t.freedom), figure(t.f_value), p_words(t.p_value)] for t in joint]
            parts.append(Grid(["nominal columns", "base level", "df", "F", "p"], rows, left=(0, 1)))
        about = "" if self.intercept else " (of squares about 0: there is no intercept)"
        parts += [
            f"residual standard error {figure(self.sigma)} on {_df(self.df_residual)}",
            f"R² {figure(self.r2)}, adjusted {figure(self.adjusted_r2)}{about}",
            f"F {figure(self.f_statistic)} on {self.df_model} and {_df(self.df_residual)}, p {p_words(self.f_p_value)}",
            f"log-likelihood {figure(self.log_likelihood)}, AIC {figure(self.aic)}, BIC {figure(self.bic)}",
        ]
        if self.robust:
            parts.append(f"Standard errors, t, F and intervals are robust to unequal variances ({self.robust}).")
        return [*parts, *(f"Mind: {words}" for words in self.cautions)]

    def __repr__(self) -> str:
        return f"<Summary: n {number(self.n)}, R² {figure(self.r2)}>"


def information_criteria(footing: Footing) -> tuple[float, float]:
    """AIC and BIC."""
    k, fit = footing.n_coefficients, -2 * footing.log_likelihood
    return fit + 2 * k, fit + k * math.log(footing.n)


def cautions(footing: Footing, names: tuple[str, ...], weighted: bool) -> tuple[str, ...]:
    """What to mind before believing the numbers; `names` are those of all coefficients."""
    found = []
    if footing.root is None:
        found.append(
            "the design is so wide that it was solved without a matrix of columns × columns, so that standard errors "
            "are not known. Leave out columns or categories to get them."
        )
    elif not footing.determined.all():
        lost = [name for name, known in zip(names, footing.determined, strict=True) if not known]
        one = len(lost) == 1
        found.append(
            f"the rows do not determine {list_names(lost)}: {'it is' if one else 'they are'} constant or collinear "
            "with others. Of all solutions the one with the smallest coefficients is shown; predictions are not "
            "affected. See collinearity()."
        )
    if footing.freedom <= 0:
        what = f"weights that add up to {number(footing.n)}" if weighted else f"{number(footing.n)} rows"
        hint = ' If the weights are precisions, say so: weights="precision".' if weighted else ""
        found.append(
            f"{what} leave nothing over for {footing.n_coefficients} coefficients, so that errors are unknown.{hint}"
        )
    elif footing.exact:
        found.append("the fit is exact but for rounding, so that errors, t and p say nothing.")
    if footing.incomplete:
        found.append(
            f"{footing.incomplete} of {footing.rows} rows had missing cells, which were filled in (mean, most frequent "
            "category). Errors and intervals take the filled cells for known and are too small."
        )
    if footing.flat:
        found.append("the target does not vary, so that there is nothing to explain.")
    return tuple(found)


def _df(freedom: float) -> str:
    return f"{number(freedom)} {plural(freedom, 'degree')} of freedom"
