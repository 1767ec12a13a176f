"""What proportional odds found, with its errors: coefficients, odds ratios, thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.linear.inference.printed import Grid, p_words
from learnt.linear.inference.wald import WaldEstimates
from learnt.show.numbers import figure, number, percent


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalSummary(WaldEstimates):
    """One entry per coefficient, then one per threshold; errors are NaN where the rows do not determine them.

    | field | meaning |
    |---|---|
    | `names`, `estimates`, `standard_errors` | what is estimated, and how far it would scatter over other samples |
    | `z_values`, `p_values` | estimate over error; the chance of one as far from 0 if there is no effect |
    | `low`, `high`, `level` | the confidence interval |
    | `log_likelihood`, `aic`, `bic` | how probable the classes are; with a price for every parameter |
    """

    n_thresholds: int
    weight: float
    log_likelihood: float
    note: str = ""

    @property
    def odds_ratios(self) -> Array:
        """Of each coefficient: what a unit more multiplies the odds of a higher class by, at every threshold."""
        with np.errstate(over="ignore"):
            ratios: Array = np.exp(self.estimates[: len(self.estimates) - self.n_thresholds])
        return ratios

    @property
    def aic(self) -> float:
        return 2 * len(self.names) - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        return float(len(self.names) * np.log(self.weight)) - 2 * self.log_likelihood

    def _parts(self) -> list[str | Grid]:
        head = ["", "estimate", "std. error", "z", "p", f"{percent(self.level)} from", "to"]
        columns = [self.estimates, self.standard_errors, self.z_values]
        cells = [[figure(v) for v in column.tolist()] for column in columns]
        cells.append([p_words(p) for p in self.p_values.tolist()])
        cells += [[figure(v) for v in column.tolist()] for column in (self.low, self.high)]
        rows = [list(row) for row in zip(self.names, *cells, strict=True)]
        p = len(rows) - self.n_thresholds
        for row, ratio in zip(rows, self.odds_ratios.tolist(), strict=False):
            row.append(figure(ratio))
        about = (
            f"log-likelihood {number(self.log_likelihood)}, AIC {number(self.aic)}, BIC {number(self.bic)}, "
            f"{number(self.weight)} rows"
        )
        parts: list[str | Grid] = ["Ordinal regression, proportional odds", about]
        parts += [Grid([*head, "odds ratio"], rows[:p])] if p else []
        parts += [Grid(head, rows[p:])] if self.n_thresholds else []
        return [*parts, self.note] if self.note else parts

    def __repr__(self) -> str:
        return f"<OrdinalSummary: {len(self.names)} parameters>"
