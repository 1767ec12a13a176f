"""Means and their intervals on one scale, a row of the leaderboard each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.report.comparison.figures.svg import Drawing
from learnt.report.comparison.words import interval, score
from learnt.show.numbers import number

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.standings import Standing
    from learnt.evaluate.metrics.scoring import Metric

WIDTH, HEIGHT, MARGIN = 220.0, 26.0, 14.0


@dataclass(frozen=True)
class Scale:
    """From `low` on the left to `high` on the right, with round ticks between."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def x(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        return MARGIN + (WIDTH - 2 * MARGIN) * (inside - self.low) / (self.high - self.low)


def scale_of(standings: Sequence[Standing], metric: Metric, baseline: str | None = None) -> Scale:
    """Wide enough for all means and, unless a wild one would flatten the rest, for all intervals. A baseline that is
    farther from the others than they are from each other is left outside."""
    others = [s for s in standings if s.name != baseline]
    if len(others) > 1 and len(others) < len(standings):
        inner = _scale(others, metric)
        far = next(s.mean for s in standings if s.name == baseline)
        if not inner.low - (inner.high - inner.low) <= far <= inner.high + (inner.high - inner.low):
            return inner
    return _scale(standings, metric)


def _scale(standings: Sequence[Standing], metric: Metric) -> Scale:
    ends = [x for s in standings for x in (s.mean, s.low, s.high) if math.isfinite(x)] or [0.0, 1.0]
    means = [s.mean for s in standings if math.isfinite(s.mean)] or [0.0]
    spread = max(max(means) - min(means), 1e-9 * max(1.0, abs(max(means))))
    low = max(min(ends), min(means) - 3 * spread) if len(means) > 2 else min(ends)
    high = min(max(ends), max(means) + 3 * spread) if len(means) > 2 else max(ends)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    step = nice_step((high - low) / 4)
    low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
    low, high = max(low, metric.low), min(high, metric.high)
    if not high > low:
        low, high = low - step, high + step
    ticks = tuple(step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1))
    return Scale(low, high, ticks)


def nice_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least `rough`.

    >>> nice_step(0.03), nice_step(140)
    (0.05, 200.0)
    """
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9)))


def axis(scale: Scale) -> Markup:
    """Ticks of the scale, for the head of the table."""
    drawing = Drawing(WIDTH, 16)
    shown = scale.ticks if len(scale.ticks) <= 5 else scale.ticks[:: math.ceil(len(scale.ticks) / 5)]
    for tick in shown:
        drawing.text(scale.x(tick), 12, number(round(tick, 10)), "small soft", "middle")
    return drawing.markup()


def row(standing: Standing, scale: Scale, metric: Metric, baseline: float | None) -> Markup:
    """Dot and whiskers of one learner; the dashed line is the baseline."""
    kind = "best" if standing.place == 1 else "tied" if standing.may_be_best else "rest"
    words = f"mean {score(standing.mean, metric)}, 95 % interval {interval(standing.low, standing.high, metric)}"
    drawing = Drawing(WIDTH, HEIGHT, words)
    middle = HEIGHT / 2
    for tick in scale.ticks:
        drawing.line(scale.x(tick), 0, scale.x(tick), HEIGHT, "grid")
    if not scale.holds(standing.mean) and math.isfinite(standing.mean):
        left = standing.mean < scale.low
        drawing.text(
            2 if left else WIDTH - 2, middle + 4, "◂" if left else "▸", "soft", "start" if left else "end", words
        )
        return drawing.markup()
    if baseline is not None and scale.holds(baseline):
        drawing.line(scale.x(baseline), 0, scale.x(baseline), HEIGHT, "guide")
    if math.isfinite(standing.low):
        drawing.line(scale.x(standing.low), middle, scale.x(standing.high), middle, f"whisker {kind}")
        for end, inside in ((standing.low, standing.low >= scale.low), (standing.high, standing.high <= scale.high)):
            if inside:
                drawing.line(scale.x(end), middle - 4, scale.x(end), middle + 4, f"whisker {kind}")
    if math.isfinite(standing.mean):
        dot = "dot" if kind == "best" else f"dot-{kind}"
        drawing.dot(scale.x(standing.mean), middle, 4.5, dot, words)
    return drawing.markup()
