"""Residuals against predictions, and how they lie along the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.curves.residuals import ResidualPlot
from learnt.report.comparison.figures.plane import Plane
from learnt.show.numbers import number

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 470.0, 400.0
MOST_POINTS, FARTHEST = 800, 10


def picture(rows: Array, truth: Array, answer: Array) -> Markup:
    """A point per row (some, of many), a line through the medians and a band between the quartiles."""
    plot = ResidualPlot(truth, answer)
    residual = plot.residual
    far = max(float(np.abs(residual).max()), 1e-12)
    plane = Plane(
        WIDTH,
        HEIGHT,
        f"Residuals of {len(rows):,} rows against their predictions",
        (float(answer.min()), float(answer.max())),
        (-far, far),
        ("predicted", "true − predicted"),
    )
    middles, quartiles = plot.quartiles()
    if len(middles) > 1:
        low, middle, high = ([plane.at(x, y) for x, y in zip(middles, q, strict=True)] for q in quartiles.T.tolist())
        plane.drawing.path([*low, *reversed(high), low[0]], "band")
    plane.drawing.path([plane.at(plane.x[0], 0), plane.at(plane.x[1], 0)], "guide")
    for i in points_drawn(np.abs(residual)):
        x, y = plane.at(float(answer[i]), float(residual[i]))
        tip = f"row {rows[i]}: predicted {number(answer[i])}, true {number(truth[i])}"
        plane.drawing.dot(x, y, 2.4, "dot faint", tip)
    if len(middles) > 1:
        plane.drawing.path(middle, "curve")
    return plane.drawing.markup()


def points_drawn(far: Array) -> list[int]:
    """Of many rows every k-th, and the few farthest, which come first."""
    every = range(0, len(far), -(-len(far) // MOST_POINTS))
    farthest = np.argsort(-far, kind="stable")[:FARTHEST].tolist()
    return list(dict.fromkeys([*farthest, *every]))
