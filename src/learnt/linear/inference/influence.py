"""Which rows pull the fit their way, and which do not belong to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.lazy import optional_package
from learnt.linear.inference.fitted_rows import FULL, FittedRows
from learnt.linear.inference.printed import Grid, Printed, p_words
from learnt.show.numbers import figure, number

SHOWN = 5


@dataclass(frozen=True, eq=False, repr=False)
class Influence(Printed):
    """Measures of each row, in the order given. A row of weight 2 is measured as one of two copies.

    | field | meaning |
    |---|---|
    | `answer`, `residual` | ŷ and y − ŷ (times √w where weights are precisions) |
    | `leverage` | h, how much a row's own target moves its answer: 0 … 1, k/n on average |
    | `standardized` | internally studentised residual, e / (σ √(1 − h)) |
    | `studentized` | externally: with the σ of a fit without the row |
    | `cooks_distance` | how far all answers move if the row is left out |
    | `dffits` | how far its own answer moves, in standard errors |
    | `p_values` | of the outlier test, two-sided, for a row looked at alone |
    | `outlier_p_values` | the same after Bonferroni: for a row picked because it is the most extreme |

    NaN where a row decides its own answer (h = 1), so that nothing can be said without it.
    """

    answer: Array
    residual: Array
    leverage: Array
    standardized: Array
    studentized: Array
    cooks_distance: Array
    dffits: Array
    p_values: Array
    outlier_p_values: Array
    n_coefficients: int
    n: float

    def __len__(self) -> int:
        return len(self.residual)

    def outliers(self, alpha: float = 0.05) -> Array:
        """Rows that do not belong to the model even as the most extreme of all, the worst first."""
        found = np.flatnonzero(self.outlier_p_values <= alpha)
        return found[np.argsort(self.outlier_p_values[found], kind="stable")]

    def high_leverage(self) -> Array:
        """Rows with more than twice the average leverage, the highest first."""
        found = np.flatnonzero(self.leverage > 2 * self.n_coefficients / self.n)
        return found[np.argsort(-self.leverage[found], kind="stable")]

    def most_influential(self, count: int = SHOWN) -> Array:
        """The rows with the largest Cook's distances, the largest first."""
        distance = np.where(np.isnan(self.cooks_distance), -1.0, self.cooks_distance)
        return np.argsort(-distance, kind="stable")[:count]

    def _parts(self) -> list[str | Grid]:
        head = ["row", "residual", "leverage", "standardized", "studentized", "outlier p", "DFFITS", "Cook's D"]
        columns = (self.residual, self.leverage, self.standardized, self.studentized)
        rows = []
        for i in self.most_influential().tolist():
            p = p_words(float(self.outlier_p_values[i]))
            rows.append(
                [str(i), *(figure(c[i]) for c in columns), p, figure(self.dffits[i]), figure(self.cooks_distance[i])]
            )
        return [f"Influence of {len(self)} rows, the {len(rows)} most influential", Grid(head, rows), *self._words()]

    def _words(self) -> list[str]:
        test = "(outlier test, Bonferroni, α = 0.05)"
        average = number(self.n_coefficients / self.n)
        words = [
            f"{_rows(self.outliers(), 'is', 'are')} too far off to belong to this model {test}.",
            f"{_rows(self.high_leverage(), 'has', 'have')} more than twice the average leverage of {average}.",
        ]
        alone = np.flatnonzero(self.leverage >= FULL)
        if len(alone):
            words.append(
                f"{_rows(alone, 'is', 'are')} met exactly, whatever the target: a coefficient has no other data."
            )
        return words

    def __repr__(self) -> str:
        return f"<Influence of {len(self)} rows>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per row."""
        pd = optional_package("pandas")

        names = [name for name, value in vars(self).items() if isinstance(value, np.ndarray)]
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def plot(self, axes: Any = None) -> Any:
        """The four pictures of R's `plot.lm`; returns the matplotlib axes, 2 × 2."""
        from learnt.plot.linear import plot_regression_diagnostics

        return plot_regression_diagnostics(self, axes)


def _rows(found: Array, is_one: str, are_more: str) -> str:
    if not len(found):
        return f"No row {is_one}"
    shown = ", ".join(map(str, found[:SHOWN].tolist()))
    if len(found) == 1:
        return f"Row {shown} {is_one}"
    return f"{len(found)} rows ({shown}{', …' if len(found) > SHOWN else ''}) {are_more}"


def influence_of(rows: FittedRows) -> Influence:
    """All measures from residuals and leverages, without fitting again.

    r = e / (σ √(1−h)),   t = r √((ν−1) / (ν−r²)),   D = r² h / (k (1−h)),   DFFITS = t √(h / (1−h))
    """
    from scipy.special import stdtr

    footing = rows.footing
    e, h, k, freedom = rows.scaled_residual, rows.leverage, footing.n_coefficients, footing.freedom
    there = (rows.copies > 0) & (h < FULL)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(there, 1 - h, np.nan)
        r = e / (footing.sigma * np.sqrt(room))
        t = r * np.sqrt((freedom - 1) / np.maximum(freedom - r**2, 0)) if freedom > 1 else np.full_like(r, np.nan)
        p = 2 * stdtr(freedom - 1, -np.abs(t)) if freedom > 1 else np.full_like(r, np.nan)
        return Influence(
            answer=rows.answer,
            residual=e,
            leverage=h,
            standardized=r,
            studentized=t,
            cooks_distance=r**2 * h / (k * room),
            dffits=t * np.sqrt(h / room),
            p_values=p,
            outlier_p_values=np.minimum(p * footing.n, 1.0),
            n_coefficients=k,
            n=footing.n,
        )
