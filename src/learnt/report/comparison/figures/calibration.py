"""Whether what a learner says holds: promised against seen, in small pictures side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.metrics.probabilistic import calibration_bins
from learnt.report.comparison.figures.intervals import nice_step
from learnt.report.comparison.figures.svg import Drawing
from learnt.show.numbers import number

if TYPE_CHECKING:
    from markupsafe import Markup

SIDE, LEFT, BOTTOM, TOP = 190.0, 34.0, 30.0, 6.0
BINS = 10


@dataclass(frozen=True)
class Reliability:
    """Rows in bins of what was promised: the mean promise, what came of it on average, and how many rows."""

    promised: Array
    seen: Array
    weight: Array

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of the two, by weight."""
        total = self.weight.sum()
        return float(self.weight @ np.abs(self.promised - self.seen) / total) if total else float("nan")


def reliability(promised: Array, seen: Array, weights: Array | None, strategy: str = "uniform") -> Reliability:
    mass, came, said, _ = calibration_bins(seen, promised, weights, BINS, strategy)
    full = mass > 0
    return Reliability(said[full] / mass[full], came[full] / mass[full], mass[full])


def of_probabilities(truth: Array, probabilities: Array, weights: Array | None) -> Reliability:
    """For two classes the probability of the second, for more that of the class answered; ten equal bins."""
    if probabilities.shape[1] == 2:
        return reliability(probabilities[:, 1], truth == 1, weights)
    answer = probabilities.argmax(axis=1)
    return reliability(probabilities[np.arange(len(truth)), answer], truth == answer, weights)


def of_numbers(truth: Array, answer: Array, weights: Array | None) -> Reliability:
    """Predicted numbers against true ones, in tenths of the predictions."""
    return reliability(answer, truth, weights, "quantile")


def picture(r: Reliability, low: float, high: float, words: str, axes: tuple[str, str]) -> Markup:
    """Points near the diagonal: it may be taken at its word. Larger points stand for more rows."""
    drawing = Drawing(SIDE, SIDE, words)
    span = (high - low) or 1.0
    inner_w, inner_h = SIDE - LEFT - 6, SIDE - BOTTOM - TOP

    def at(x: float, y: float) -> tuple[float, float]:
        inside = [min(max((v - low) / span, 0.0), 1.0) for v in (x, y)]
        return LEFT + inner_w * inside[0], TOP + inner_h * (1 - inside[1])

    for tick in _ticks(low, high):
        (x, y), text = at(tick, tick), number(round(tick, 10))
        drawing.line(x, TOP, x, SIDE - BOTTOM, "grid")
        drawing.line(LEFT, y, SIDE - 6, y, "grid")
        drawing.text(x, SIDE - BOTTOM + 12, text, "small soft", "middle")
        drawing.text(LEFT - 4, y + 4, text, "small soft", "end")
    drawing.path([at(low, low), at(high, high)], "guide")
    points = [at(x, y) for x, y in zip(r.promised.tolist(), r.seen.tolist(), strict=True)]
    if len(points) > 1:
        drawing.path(points, "curve")
    most = float(r.weight.max(initial=1.0))
    for (x, y), w, p, s in zip(points, r.weight.tolist(), r.promised.tolist(), r.seen.tolist(), strict=True):
        tip = f"{axes[0]} {number(p)}, {axes[1]} {number(s)}, {number(w)} rows"
        drawing.dot(x, y, round(2.2 + 3.3 * (w / most) ** 0.5, 1), "dot", tip)
    drawing.text((LEFT + SIDE) / 2, SIDE - 4, f"{axes[0]} → {axes[1]} ↑", "small soft", "middle")
    return drawing.markup()


def _ticks(low: float, high: float) -> Sequence[float]:
    if not high > low:
        return (low,)
    step = nice_step((high - low) / 3)
    first = int(np.ceil(low / step - 1e-9))
    return [step * k for k in range(first, int(np.floor(high / step + 1e-9)) + 1)]
