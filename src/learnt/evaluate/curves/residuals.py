"""Residuals: where and how far predicted numbers miss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.curves.picture import Picture, sparkline
from learnt.evaluate.curves.scored_rows import asked_rows
from learnt.evaluate.metrics.intervals import mean_error_interval, rmse_interval
from learnt.evaluate.metrics.numeric import r2_of
from learnt.evaluate.metrics.regression import checked_numbers
from learnt.lazy import optional_package
from learnt.show.numbers import number
from learnt.show.text_table import aligned

QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
WORDS = ("least", "5 %", "25 %", "median", "75 %", "95 %", "most")


@dataclass(frozen=True, eq=False)
class ResidualPlot(Picture):
    """Truth and answer of each row; `residual` is truth − answer, above 0 where the answer was too low.

    Printing sums them up; the picture shows them against the answers, with the quartiles along the way: a good
    model's lie level around 0.
    """

    truth: Array
    answer: Array

    @classmethod
    def of(cls, model: Any, X: Any, y: Any = None) -> ResidualPlot:
        """The residuals of a fitted regressor on these rows."""
        rows = asked_rows(model, X, y, None, "numbers")
        return residuals(rows.target, model.predict(rows.source))

    @property
    def residual(self) -> Array:
        return self.truth - self.answer

    def quartiles(self, n_bins: int = 12) -> tuple[Array, Array]:
        """Along the answers, in bins of as many rows: their middle, and the quartiles of the residuals (bins × 3)."""
        order = np.argsort(self.answer, kind="stable")
        parts = np.array_split(order, max(1, min(n_bins, len(order) // 5)))
        middles = np.array([np.median(self.answer[part]) for part in parts])
        return middles, np.array([np.quantile(self.residual[part], [0.25, 0.5, 0.75]) for part in parts])

    def __str__(self) -> str:
        spread = np.quantile(self.residual, QUANTILES)
        counts = np.histogram(self.residual, bins=24)[0]
        rows = [list(WORDS), [number(q) for q in spread]]
        worst = int(np.abs(self.residual).argmax())
        lines = [f"Residuals of {len(self.truth)} rows, R² {number(r2_of(self.truth, self.answer))}"]
        if len(self.truth) > 1:
            lines += [f"RMSE           {rmse_interval(self.truth, self.answer)}"]
            lines += [f"mean residual  {mean_error_interval(self.answer, self.truth, of='signed')}"]
        lines += [sparkline(counts / counts.max()), aligned(rows)]
        lines += [f"worst: row {worst}, truth {number(self.truth[worst])}, answer {number(self.answer[worst])}"]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<ResidualPlot of {len(self.truth)} rows>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per row."""
        pd = optional_package("pandas")

        return pd.DataFrame({"truth": self.truth, "answer": self.answer, "residual": self.residual})

    def plot(self, ax: Any = None) -> Any:
        """Draw residuals against answers; returns the matplotlib axes."""
        from learnt.plot.curves import plot_residuals

        return plot_residuals(self, ax)


def residuals(y_true: Any, y_pred: Any) -> ResidualPlot:
    """The residuals of predicted numbers.

    >>> residuals([1, 2, 4], [1, 3, 2]).residual.tolist()
    [0.0, -1.0, 2.0]
    """
    truth, answer, _ = checked_numbers(y_true, y_pred)
    return ResidualPlot(truth, answer)
