"""The receiver operating characteristic: how many positives are found at the price of how many false alarms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.curves.picture import Picture, sparkline
from learnt.evaluate.curves.scored_rows import ScoredRows, scored_by, scored_rows
from learnt.evaluate.metrics.areas import roc_curve
from learnt.evaluate.metrics.delong import auc_interval
from learnt.evaluate.metrics.intervals import Interval
from learnt.evaluate.metrics.ranking import auc_of
from learnt.lazy import optional_package
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import label

RATES = (0.01, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, eq=False)
class RocCurve(Picture):
    """The share of positives found (true positive rate) against that of negatives taken for one (false positive
    rate), for every threshold; answer positive where the score reaches the threshold.

    `auc` is the area under it, `interval` that area's 95 % interval by DeLong (None where rows have weights).
    `at(rate)` reads off the curve. Printing shows a few points; `to_frame()` has all.
    """

    false_positive_rate: Array
    true_positive_rate: Array
    thresholds: Array
    positive: Any
    auc: float
    interval: Interval | None = None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any = None, *, pos_label: Any = None, sample_weight: Any = None) -> RocCurve:
        """The curve of a fitted classifier on these rows, for one class: the second of two, or `pos_label`."""
        return _curve(scored_by(model, X, y, pos_label, sample_weight))

    def at(self, false_positive_rate: Any) -> Any:
        """The share of positives found at these rates, on the straight lines between thresholds."""
        rates = np.asarray(false_positive_rate, dtype=np.float64)
        # Of points above each other the highest counts: interp takes the last of equal ones from the right.
        return np.interp(rates, self.false_positive_rate, self.true_positive_rate)[()]

    def _threshold(self, rate: float) -> float:
        return float(self.thresholds[np.searchsorted(self.false_positive_rate, rate, "right") - 1])

    def __str__(self) -> str:
        area = number(self.auc) if self.interval is None else str(self.interval)
        rows = [["false positives", "found", "threshold"]]
        rows += [[percent(r), percent(self.at(r)), number(self._threshold(r))] for r in RATES]
        line = sparkline(self.at(np.linspace(0, 1, 24)))
        return f"ROC curve of {label(self.positive)}: area {area}\n{line}\n{aligned(rows)}"

    def __repr__(self) -> str:
        return f"<RocCurve of {label(self.positive)}: area {number(self.auc)}>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per threshold."""
        pd = optional_package("pandas")

        names = ("threshold", "false_positive_rate", "true_positive_rate")
        return pd.DataFrame(
            dict(zip(names, (self.thresholds, self.false_positive_rate, self.true_positive_rate), strict=True))
        )

    def plot(self, ax: Any = None, name: str | None = None) -> Any:
        """Draw the curve, called `name` in the legend; returns the matplotlib axes, on which others can be drawn."""
        from learnt.plot.curves import plot_roc

        return plot_roc(self, ax, name)


def roc(y_true: Any, score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> RocCurve:
    """The ROC curve of scores for the class `pos_label`, or the second of two.

    >>> curve = roc(["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8])
    >>> curve.auc, float(curve.at(0.5))
    (0.75, 1.0)
    """
    return _curve(scored_rows(y_true, score, pos_label, sample_weight))


def _curve(rows: ScoredRows) -> RocCurve:
    points = roc_curve(rows.truth, rows.score, sample_weight=rows.weights)
    area = auc_of(rows.truth, rows.score, rows.weights)
    return RocCurve(*points, rows.positive, area, None if rows.weights is not None else auc_interval(*rows.pair))
