"""Standard errors, intervals and tests of logistic regression, by Wald's approximation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.linear.inference.printed import Grid, p_words
from learnt.linear.inference.wald import WaldEstimates
from learnt.show.numbers import figure, number, percent
from learnt.show.words import count_of, label
from learnt.storable import storable

PENALISED = (
    "No standard errors, p values or intervals: the penalty pulls coefficients towards 0, and theirs would not be "
    "valid. Fit with penalty=None for them."
)
INTERCEPT = "(intercept)"


@storable
@dataclass(frozen=True, eq=False)
class Likelihood:
    """What the rows say of the fit: log-likelihoods, the weight of all rows, and the covariance of estimates.

    `covariance` is of (intercept, coefficients) of each class but the first against the first, one class after the
    other; None where it is not known. `estimates` are these coefficients where some columns repeat others, NaN for
    them and of the others as if those were not there; None where none does.
    """

    log_likelihood: float
    null_log_likelihood: float
    weight: float
    parameters: int
    covariance: Array | None
    estimates: Array | None = None

    @property
    def aic(self) -> float:
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        return self.parameters * float(np.log(self.weight)) - 2 * self.log_likelihood

    @property
    def pseudo_r2(self) -> float:
        """McFadden's: the share of the null model's deviance that the columns take away."""
        null = self.null_log_likelihood
        share = 1 - self.log_likelihood / null if null != 0 else 0.0
        return share if abs(share) > 1e-12 else 0.0  # less is rounding


@dataclass(frozen=True, eq=False, repr=False)
class LogisticSummary(WaldEstimates):
    """One entry per class and coefficient; errors are NaN where there are none, and `note` says why.

    | field | meaning |
    |---|---|
    | `classes`, `reference` | whose log-odds an entry is about, and against which class |
    | `names`, `estimates`, `standard_errors` | what is estimated, and how far it would scatter over other samples |
    | `z_values`, `p_values` | estimate over error; the chance of one as far from 0 if there is no effect |
    | `low`, `high`, `level` | the confidence interval |
    | `likelihood` | log-likelihoods, AIC, BIC and pseudo R² of the whole |
    """

    classes: tuple[Any, ...]
    reference: Any
    likelihood: Likelihood | None
    note: str = ""

    def odds_ratios(self) -> Table:
        """exp of coefficient and interval: by what a unit more of a column multiplies the odds."""
        shown = [i for i, name in enumerate(self.names) if name != INTERCEPT]
        several = {"class": [str(self.classes[i]) for i in shown]} if len(set(self.classes)) > 1 else {}
        with np.errstate(over="ignore"):
            logs = {"odds_ratio": self.estimates, "low": self.low, "high": self.high}
            ratios = {name: np.exp(values[shown]) for name, values in logs.items()}
        finite = {name: np.where(np.isfinite(values), values, np.nan) for name, values in ratios.items()}
        return Table({**several, "name": [self.names[i] for i in shown], **finite, "p_value": self.p_values[shown]})

    def plot(self, ax: Any = None) -> Any:
        """Each odds ratio with its interval, on a logarithmic axis; returns the matplotlib axes."""
        from learnt.plot.linear import plot_odds_ratios

        return plot_odds_ratios(self, ax)

    def _parts(self) -> list[str | Grid]:
        parts: list[str | Grid] = ["Logistic regression"]
        if (fit := self.likelihood) is not None:
            parts += [
                f"{number(fit.weight)} rows, {count_of(fit.parameters, 'parameter')}, "
                f"AIC {number(fit.aic)}, BIC {number(fit.bic)}",
                f"log-likelihood {number(fit.log_likelihood)}, of the intercept alone "
                f"{number(fit.null_log_likelihood)}, pseudo R² {number(fit.pseudo_r2)}",
            ]
        if set(self.classes) == {self.reference}:
            return [*parts, f"All rows are of one class, {label(self.reference)}: no column says anything."]
        for c in dict.fromkeys(self.classes):
            parts += [f"log-odds of {label(c)} against {label(self.reference)}:", self._grid(c)]
        return [*parts, self.note] if self.note else parts

    def _grid(self, of_class: Any) -> Grid:
        rows = [i for i, c in enumerate(self.classes) if c == of_class]
        head = ["", "coef", "odds ratio"]
        with np.errstate(over="ignore"):
            odds, low, high = (np.exp(logs) for logs in (self.estimates, self.low, self.high))
        cells = [[self.names[i], figure(self.estimates[i]), figure(odds[i])] for i in rows]
        if not np.isnan(self.standard_errors).all():
            head += [f"{percent(self.level)} from", "to", "std. error of coef", "z", "p"]
            errors, z, p = self.standard_errors, self.z_values, self.p_values
            for line, i in zip(cells, rows, strict=True):
                line += [figure(a[i]) for a in (low, high, errors, z)] + [p_words(p[i])]
        return Grid(head, cells)
