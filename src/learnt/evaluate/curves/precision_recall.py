"""Precision against recall: how clean the answers stay as more of the positives are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.curves.picture import Picture, sparkline
from learnt.evaluate.curves.scored_rows import ScoredRows, scored_by, scored_rows
from learnt.evaluate.metrics.areas import precision_recall_curve
from learnt.evaluate.metrics.ranking import average_precision_of
from learnt.evaluate.metrics.weighing import weighted_mean
from learnt.lazy import optional_package
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import label

RECALLS = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve(Picture):
    """Precision and recall for every threshold, lowest first; one point (1, 0) more than thresholds.

    `average_precision` sums it up; `prevalence` is the share of positives, the precision of answering always.
    `at(recall)` is the best precision that finds at least that share.
    """

    precision: Array
    recall: Array
    thresholds: Array
    positive: Any
    average_precision: float
    prevalence: float

    @classmethod
    def of(
        cls, model: Any, X: Any, y: Any = None, *, pos_label: Any = None, sample_weight: Any = None
    ) -> PrecisionRecallCurve:
        """The curve of a fitted classifier on these rows, for one class: the second of two, or `pos_label`."""
        return _curve(scored_by(model, X, y, pos_label, sample_weight))

    def at(self, recall: Any) -> Any:
        """The best precision among thresholds that find at least this share of the positives."""
        best = np.maximum.accumulate(self.precision)
        return best[self._place(recall)][()]

    def _place(self, recall: Any) -> Any:
        """The highest threshold whose recall reaches this."""
        wanted = np.asarray(recall, dtype=np.float64)
        return np.searchsorted(-self.recall, -wanted + 1e-12, "right") - 1

    def __str__(self) -> str:
        rows = [["found", "precision", "threshold"]]
        for r in RECALLS:
            place = int(self._place(r))
            rows.append([percent(r), percent(float(self.precision[place])), number(self.thresholds[place])])
        line = sparkline(self.at(np.linspace(0.02, 1, 24)))
        return (
            f"Precision–recall curve of {label(self.positive)}: average precision {number(self.average_precision)}, "
            f"prevalence {percent(self.prevalence)}\n{line}\n{aligned(rows)}"
        )

    def __repr__(self) -> str:
        return f"<PrecisionRecallCurve of {label(self.positive)}: {number(self.average_precision)}>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per threshold; the last has none."""
        pd = optional_package("pandas")

        thresholds = np.append(self.thresholds, np.nan)
        return pd.DataFrame({"threshold": thresholds, "precision": self.precision, "recall": self.recall})

    def plot(self, ax: Any = None, name: str | None = None) -> Any:
        """Draw the curve, called `name` in the legend; returns the matplotlib axes, on which others can be drawn."""
        from learnt.plot.curves import plot_precision_recall

        return plot_precision_recall(self, ax, name)


def precision_recall(
    y_true: Any, score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> PrecisionRecallCurve:
    """The precision–recall curve of scores for the class `pos_label`, or the second of two.

    >>> curve = precision_recall(["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8])
    >>> float(curve.at(0.5)), round(float(curve.at(1)), 3)
    (1.0, 0.667)
    """
    return _curve(scored_rows(y_true, score, pos_label, sample_weight))


def _curve(rows: ScoredRows) -> PrecisionRecallCurve:
    points = precision_recall_curve(rows.truth, rows.score, sample_weight=rows.weights)
    area = average_precision_of(rows.truth, rows.score, rows.weights)
    return PrecisionRecallCurve(*points, rows.positive, area, weighted_mean(rows.truth, rows.weights))
