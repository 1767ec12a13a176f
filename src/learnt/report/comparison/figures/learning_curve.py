"""The score against the number of rows learnt from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.report.comparison.figures.plane import Plane
from learnt.report.comparison.words import interval, score

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.learning_curves import LearningCurve

WIDTH, HEIGHT = 560.0, 280.0


def picture(curve: LearningCurve) -> Markup:
    """Held out with its interval, and on the training rows themselves."""
    sizes, means = curve.sizes.tolist(), curve.means.tolist()
    training = np.nanmean(curve.training_scores, axis=1).tolist()
    bands = [
        (low, high) if low == low else (m, m) for (low, high), m in zip(curve.intervals().tolist(), means, strict=True)
    ]
    ends = [x for x in (*means, *training) if np.isfinite(x)]
    spread = max(max(ends) - min(ends), 1e-9)
    wide = [x for band in bands for x in band if np.isfinite(x)]
    low, high = max(min([*ends, *wide]), min(ends) - spread), min(max([*ends, *wide]), max(ends) + spread)
    plane = Plane(
        WIDTH,
        HEIGHT,
        f"Learning curve: mean {curve.metric.title} from {score(means[0], curve.metric)} with {sizes[0]} rows to "
        f"{score(means[-1], curve.metric)} with {sizes[-1]}",
        (float(sizes[0]), float(sizes[-1])),
        (low, high),
        ("rows learnt from", curve.metric.title),
        log=sizes[-1] > sizes[0] > 0,
        x_ticks=_apart(sizes),
    )
    draw = plane.drawing
    if len(sizes) > 1:
        under = [plane.at(x, a) for x, (a, _) in zip(sizes, bands, strict=True)]
        over = [plane.at(x, b) for x, (_, b) in zip(sizes, bands, strict=True)]
        draw.path([*under, *reversed(over), under[0]], "band")
        draw.path([plane.at(x, y) for x, y in zip(sizes, training, strict=True)], "guide")
        draw.path([plane.at(x, y) for x, y in zip(sizes, means, strict=True)], "curve")
    for x, y, band in zip(sizes, means, bands, strict=True):
        tip = f"{x} rows: {score(y, curve.metric)}, 95 % interval {interval(*band, curve.metric)}"
        draw.dot(*plane.at(x, y), 4, "dot", tip)
    for x, y in zip(sizes, training, strict=True):
        draw.dot(*plane.at(x, y), 3, "dot-rest", f"{x} rows, on those rows themselves: {score(y, curve.metric)}")
    return draw.markup()


def _apart(sizes: list[int]) -> list[float]:
    """Sizes far enough from each other to be written under the axis, the last always."""
    kept: list[float] = []
    for size in reversed(sizes):
        if not kept or kept[-1] / size > 1.25:
            kept.append(float(size))
    return kept
