"""Calibration: of the rows given a probability, how many were of the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.curves.picture import Picture, sparkline
from learnt.evaluate.curves.scored_rows import ScoredRows, scored_by, scored_rows
from learnt.evaluate.metrics.intervals import proportion_interval
from learnt.evaluate.metrics.probabilistic import calibration_bins
from learnt.evaluate.metrics.weighing import mean_of
from learnt.lazy import optional_package
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import label


@dataclass(frozen=True, eq=False)
class CalibrationCurve(Picture):
    """Bins of probabilities that hold rows: the mean probability in each, the share of positives, and its interval.

    | field | meaning |
    |---|---|
    | `probability`, `share` | what was promised and what came true, per bin |
    | `low`, `high` | Wilson's 95 % interval of the share |
    | `rows` | rows in the bin, or their weight |
    | `edges` | where each bin starts and ends, bins × 2 |
    | `expected_error` | mean distance of promise and truth, by rows (expected calibration error) |
    | `brier` | Brier score of all rows |
    """

    probability: Array
    share: Array
    low: Array
    high: Array
    rows: Array
    edges: Array
    positive: Any
    expected_error: float
    brier: float

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        y: Any = None,
        *,
        pos_label: Any = None,
        n_bins: int = 10,
        strategy: str = "uniform",
        sample_weight: Any = None,
    ) -> CalibrationCurve:
        """The curve of a fitted classifier on these rows, for one class: the second of two, or `pos_label`."""
        return _curve(scored_by(model, X, y, pos_label, sample_weight), n_bins, strategy)

    def __str__(self) -> str:
        rows = [["probability", "mean", "came true", "95 %", "rows"]]
        for i, (start, end) in enumerate(self.edges.tolist()):
            ends = f"{percent(self.low[i])} … {percent(self.high[i])}"
            cells = [percent(self.probability[i]), percent(self.share[i]), ends, number(self.rows[i])]
            rows.append([f"{number(start)} – {number(end)}", *cells])
        return (
            f"Calibration of {label(self.positive)}: expected error {percent(self.expected_error)}, "
            f"Brier score {number(self.brier)}\n{sparkline(self.share)}\n{aligned(rows)}"
        )

    def __repr__(self) -> str:
        return f"<CalibrationCurve of {label(self.positive)}: expected error {percent(self.expected_error)}>"

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per bin."""
        pd = optional_package("pandas")

        start, end = self.edges.T
        names = ("probability", "share", "low", "high", "rows")
        return pd.DataFrame({"start": start, "end": end, **{name: getattr(self, name) for name in names}})

    def plot(self, ax: Any = None, name: str | None = None) -> Any:
        """Draw the bins with their intervals; returns the matplotlib axes, on which others can be drawn."""
        from learnt.plot.curves import plot_calibration

        return plot_calibration(self, ax, name)


def calibration(
    y_true: Any,
    probability: Any,
    *,
    pos_label: Any = None,
    n_bins: int = 10,
    strategy: str = "uniform",
    sample_weight: Any = None,
) -> CalibrationCurve:
    """How far probabilities of the class `pos_label`, or the second of two, come true.

    >>> curve = calibration(["no", "yes"] * 5, [0.2, 0.8] * 5, n_bins=2)
    >>> curve.share.tolist(), round(curve.expected_error, 2)
    ([0.0, 1.0], 0.2)

    `strategy` "uniform" makes bins of one width, "quantile" bins of as many rows.
    """
    return _curve(scored_rows(y_true, probability, pos_label, sample_weight), n_bins, strategy)


def _curve(rows: ScoredRows, n_bins: int, strategy: str) -> CalibrationCurve:
    p, weights = rows.score, rows.weights
    if p.min() < 0 or p.max() > 1:
        raise InputError(f"Probabilities from {number(p.min())} to {number(p.max())} came. Expected 0 to 1.")
    mass, hits, sums, edges = calibration_bins(rows.truth, p, weights, n_bins, strategy)
    there = mass > 0
    share = hits[there] / mass[there]
    # Rows of different weight say less than as many of equal weight: (Σw)²/Σw² rows stand behind a share.
    size = mass
    if weights is not None:
        squares = np.bincount(np.searchsorted(edges[1:-1], p), weights.astype(np.float64) ** 2, n_bins)
        size = np.divide(mass**2, squares, out=np.zeros(n_bins), where=there)
    ends = [tuple(proportion_interval(s * n, n)) for s, n in zip(share, size[there], strict=True)]
    low, high = np.array(ends).T
    error = float(np.abs(hits - sums).sum() / mass.sum())
    brier = mean_of(lambda t, q: (t - q) ** 2, rows.truth.astype(np.float64), p, weights=weights)
    pairs = np.column_stack([edges[:-1], edges[1:]])[there]
    return CalibrationCurve(
        sums[there] / mass[there], share, low, high, mass[there], pairs, rows.positive, error, brier
    )
