"""The score against the number of rows learnt from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.report.comparison.figures.plane import Plane
from learnt.report.comparison.words import interval, score, unit_scale

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.learning_curves import LearningCurve
    from learnt.evaluate.metrics.scoring import Metric

WIDTH, HEIGHT = 600.0, 320.0
DECADE = 10  # sizes that span as much stand at equal ratios
LEAST_SPAN = 0.02  # of the scale of scores, or of their size: less would make noise look like a mountain


def picture(curve: LearningCurve, other: LearningCurve | None = None) -> Markup:
    """Held out with its interval, and on the training rows themselves; `other` is held out only."""
    sizes, means = curve.sizes.tolist(), curve.means.tolist()
    training = np.nanmean(curve.training_scores, axis=1).tolist()
    bands = [
        (low, high) if low == low else (m, m) for (low, high), m in zip(curve.intervals().tolist(), means, strict=True)
    ]
    others = [] if other is None else other.means.tolist()
    plane = Plane(
        WIDTH,
        HEIGHT,
        f"Learning curve: mean {curve.metric.title} from {score(means[0], curve.metric)} with {sizes[0]} rows to "
        f"{score(means[-1], curve.metric)} with {sizes[-1]}",
        (float(sizes[0]), float(sizes[-1])),
        _score_range([*means, *training], [*bands, *zip(others, others, strict=True)], curve.metric),
        ("rows learnt from", curve.metric.title),
        log=sizes[-1] >= DECADE * sizes[0] > 0,
        x_ticks=_apart(sizes, log=sizes[-1] >= DECADE * sizes[0]),
    )
    draw = plane.drawing
    if len(sizes) > 1:
        under = [plane.at(x, a) for x, (a, _) in zip(sizes, bands, strict=True)]
        over = [plane.at(x, b) for x, (_, b) in zip(sizes, bands, strict=True)]
        draw.path([*under, *reversed(over), under[0]], "band")
        draw.path([plane.at(x, y) for x, y in zip(sizes, training, strict=True)], "guide")
        draw.path([plane.at(x, y) for x, y in zip(sizes, means, strict=True)], "curve")
    if other is not None:
        points = [plane.at(x, y) for x, y in zip(other.sizes.tolist(), others, strict=True)]
        draw.path(points, "curve other")
        for place, x, y in zip(points, other.sizes.tolist(), others, strict=True):
            draw.dot(*place, 3, "minus", f"{x} rows: {score(y, curve.metric)}")
    for x, y, band in zip(sizes, means, bands, strict=True):
        tip = f"{x} rows: {score(y, curve.metric)}, 95 % interval {interval(*band, curve.metric)}"
        draw.dot(*plane.at(x, y), 4, "dot", tip)
    for x, y in zip(sizes, training, strict=True):
        draw.dot(*plane.at(x, y), 3, "dot-rest", f"{x} rows, on those rows themselves: {score(y, curve.metric)}")
    return draw.markup()


def _score_range(scores: list[float], bands: list[tuple[float, float]], metric: Metric) -> tuple[float, float]:
    """Scores and, cut where they would flatten the rest, the intervals and the learner beside, with a little room;
    never beyond what the metric can be."""
    known = [x for x in scores if np.isfinite(x)] or [0.0]
    ends = [x for band in bands for x in band if np.isfinite(x)]
    size = 1.0 if unit_scale(metric) else max(map(abs, known))
    spread = max(max(known) - min(known), LEAST_SPAN * size, 1e-12)
    low = max(min([*known, *ends]), min(known) - spread)
    high = min(max([*known, *ends]), max(known) + spread)
    room = max(0.05 * (high - low), (LEAST_SPAN * size - (high - low)) / 2)
    return max(low - room, metric.low), min(high + room, metric.high)


def _apart(sizes: list[int], *, log: bool) -> list[float]:
    """Sizes far enough from each other to be written under the axis, the last always."""
    kept: list[float] = []
    for size in reversed(sizes):
        if not kept or (kept[-1] / size > 1.25 if log else kept[-1] - size > 0.08 * (sizes[-1] - sizes[0])):
            kept.append(float(size))
    return kept
