"""Predicted against true numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.report.comparison.figures.plane import Plane
from learnt.report.comparison.figures.residuals import points_drawn
from learnt.show.numbers import number

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 470.0, 400.0


def picture(rows: Array, truth: Array, answer: Array) -> Markup:
    """A point per row (some, of many) on one scale for both; on the dashed line the prediction is right."""
    low, high = (float(f([truth.min(), answer.min()] if f is min else [truth.max(), answer.max()])) for f in (min, max))
    plane = Plane(
        WIDTH,
        HEIGHT,
        f"True values of {len(rows):,} rows against their predictions",
        (low, high),
        (low, high),
        ("predicted", "true"),
    )
    plane.drawing.path([plane.at(low, low), plane.at(high, high)], "guide")
    for i in points_drawn(np.abs(truth - answer)):
        tip = f"row {rows[i]}: predicted {number(answer[i])}, true {number(truth[i])}"
        plane.drawing.dot(*plane.at(float(answer[i]), float(truth[i])), 2.6, "dot faint", tip)
    return plane.drawing.markup()
