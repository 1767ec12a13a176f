"""Cost curves: what a scored classifier costs, whatever the costs and the prevalence will be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.bayes.decision.probabilities import numbers
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.show.numbers import number
from learnt.show.words import label


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve:
    """The normalised expected cost of the best threshold, against how much missed cases weigh.

        cost(s) = min_t  s · miss rate(t) + (1 − s) · false alarm rate(t)

    `share` s is P(+)·C(miss) / (P(+)·C(miss) + P(−)·C(false alarm)): 0 when only false alarms matter, 1 when
    only misses do. Each threshold is a straight line from its false alarm rate to its miss rate; always
    answering − is the line from 0 to 1, always answering + the line from 1 to 0. `thresholds`,
    `false_alarm_rate` and `miss_rate` describe the lines; answer + where the probability reaches the threshold.
    """

    thresholds: Array
    false_alarm_rate: Array
    miss_rate: Array
    positive: Any

    def at(self, share: Any) -> Any:
        """The least normalised cost at these shares."""
        s = np.asarray(share, dtype=np.float64)
        return self._lines(s).min(axis=-1)[()]

    def best_threshold(self, share: Any) -> Any:
        """The threshold that costs least at these shares; of equal ones the highest."""
        return self.thresholds[self._lines(np.asarray(share, dtype=np.float64)).argmin(axis=-1)][()]

    def _lines(self, s: Array) -> Array:
        if not ((s >= 0) & (s <= 1)).all():
            raise InputError("A share outside 0 … 1 was asked for. Expected P(+)·C(miss) as a share of all cost.")
        lines: Array = s[..., None] * self.miss_rate + (1 - s[..., None]) * self.false_alarm_rate
        return lines

    @property
    def area(self) -> float:
        """The mean cost over all shares: ¼ for a classifier that knows nothing, 0 for one that is always right."""
        s = np.linspace(0, 1, 2001)
        return float(np.trapezoid(self.at(s), s))

    def __repr__(self) -> str:
        half = float(self.at(0.5))
        return f"<CostCurve of {label(self.positive)}: cost {number(half)} at share 0.5, area {number(self.area)}>"

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve with its lines; returns the matplotlib axes."""
        from learnt.plot.curves import plot_cost_curve

        return plot_cost_curve(self, ax)


def cost_curve(truth: Any, probability: Any, *, positive: Any = None, sample_weight: Any = None) -> CostCurve:
    """The cost curve of probabilities for the class `positive` (the second of two, unless given).

    >>> curve = cost_curve(["no", "no", "yes", "yes"], [0.1, 0.6, 0.4, 0.9])
    >>> round(float(curve.at(0.5)), 3), round(curve.area, 3)
    (0.25, 0.125)

    `truth` are labels, `probability` one number per row, `sample_weight` one weight per row.

    Reference: C. Drummond, R. C. Holte, Cost curves, Machine Learning 65, 2006.
    """
    y, p = np.asarray(truth), numbers(probability, "A cost curve was asked of the probabilities")
    w = np.ones(p.shape[:1]) if sample_weight is None else numbers(sample_weight, "A cost curve came with the weights")
    if y.ndim != 1 or p.shape != y.shape or w.shape != y.shape:
        raise InputError(
            f"Truth, probability and weights have shapes {y.shape}, {p.shape}, {w.shape}. Expected one number per row "
            "each. Of predict_proba, give the column of the positive class."
        )
    if not np.isfinite(p).all() or not (np.isfinite(w).all() and (w >= 0).all()):
        raise InputError("Probabilities or weights are missing, infinite or negative. Leave those rows out.")
    if positive is None:
        labels = np.unique(y).tolist()
        if len(labels) != 2:
            raise InputError(f"The truth has {len(labels)} classes. Expected two, or positive= to set one apart.")
        positive = labels[1]
    plus = y == positive
    cases, others = float(w[plus].sum()), float(w[~plus].sum())
    if cases == 0 or others == 0:
        raise InputError(f"There must be rows of {label(positive)} and rows of other classes, with weight above 0.")
    levels, place = np.unique(-p, return_inverse=True)
    hits = np.cumsum(np.bincount(place, weights=w * plus, minlength=len(levels)))
    alarms = np.cumsum(np.bincount(place, weights=w * ~plus, minlength=len(levels)))
    return CostCurve(
        np.concatenate([[np.inf], -levels]),
        np.concatenate([[0.0], alarms / others]),
        np.concatenate([[1.0], 1 - hits / cases]),
        positive,
    )
