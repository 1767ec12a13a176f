"""Gain and lift: how many of the positives the highest scores hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.curves.picture import Picture, sparkline
from learnt.evaluate.curves.scored_rows import ScoredRows, scored_by, scored_rows
from learnt.evaluate.metrics.ranking import counts_above
from learnt.lazy import optional_package
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import label

SHARES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True, eq=False)
class GainCurve(Picture):
    """Taking the rows with the highest scores first: the share of rows taken and the share of positives among all
    positives that they hold (`gain`); `lift` is one over the other, 1 for rows taken blindly.

    `prevalence` is the share of positives: the best possible curve reaches 1 there. `at(share)` reads off the gain.
    """

    share: Array
    gain: Array
    thresholds: Array
    positive: Any
    prevalence: float

    @classmethod
    def of(cls, model: Any, X: Any, y: Any = None, *, pos_label: Any = None, sample_weight: Any = None) -> GainCurve:
        """The curve of a fitted classifier on these rows, for one class: the second of two, or `pos_label`."""
        return _curve(scored_by(model, X, y, pos_label, sample_weight))

    @property
    def lift(self) -> Array:
        """gain/share, from the first threshold on; NaN before it, where nothing is taken."""
        lift: Array = np.divide(self.gain, self.share, out=np.full(len(self.gain), np.nan), where=self.share > 0)
        return lift

    def at(self, share: Any) -> Any:
        """The share of positives in this share of the rows; of rows with equal scores as many as fit, blindly."""
        return np.interp(np.asarray(share, dtype=np.float64), self.share, self.gain)[()]

    def __str__(self) -> str:
        rows = [["rows taken", "found", "lift"]]
        rows += [[percent(s), percent(self.at(s)), number(self.at(s) / s)] for s in SHARES]
        line = sparkline(self.at(np.linspace(0, 1, 24)))
        head = f"Gain of {label(self.positive)}, prevalence {percent(self.prevalence)}"
        return f"{head}\n{line}\n{aligned(rows)}"

    def __repr__(self) -> str:
        return f"<GainCurve of {label(self.positive)}: {percent(self.at(0.1))} found in 10 % of the rows>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per threshold."""
        pd = optional_package("pandas")

        names = {"threshold": self.thresholds, "share": self.share, "gain": self.gain, "lift": self.lift}
        return pd.DataFrame(names)

    def plot(self, ax: Any = None, name: str | None = None, what: str = "gain") -> Any:
        """Draw the gain, or `what="lift"`; returns the matplotlib axes, on which others can be drawn."""
        from learnt.plot.curves import plot_gain

        return plot_gain(self, ax, name, what)


def gain(y_true: Any, score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> GainCurve:
    """The gain curve of scores for the class `pos_label`, or the second of two.

    >>> curve = gain(["no", "no", "no", "yes"], [0.1, 0.4, 0.35, 0.8])
    >>> float(curve.at(0.25)), float(curve.lift[1])
    (1.0, 4.0)
    """
    return _curve(scored_rows(y_true, score, pos_label, sample_weight))


def _curve(rows: ScoredRows) -> GainCurve:
    true, false, thresholds = counts_above(rows.truth, rows.score, rows.weights)
    taken = true + false
    share, found = (np.concatenate([[0.0], counts / counts[-1]]) for counts in (taken, true))
    levels = np.concatenate([[np.inf], thresholds.astype(np.float64)])
    return GainCurve(share, found, levels, rows.positive, float(true[-1] / taken[-1]))
