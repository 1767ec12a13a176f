"""How well probabilities put the rows of one class before the others: the ROC curve and the gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.report.comparison.figures.plane import Plane
from learnt.show.numbers import percent

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.curves import GainCurve, RocCurve

WIDTH, HEIGHT = 380.0, 320.0
SMALL = (250.0, 215.0)
MOST_POINTS = 300
STYLES = ("curve", "curve other")  # the learner spoken of, and the one beside it
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def roc_picture(curves: Sequence[RocCurve], title: str, *, small: bool = False) -> Markup:
    """False alarms to the right, rows of the class found upwards; on the dashed line lies who tosses a coin."""
    plane = _square(title, ("false alarms" if small else "share of the others taken for it", "share found"), small)
    plane.drawing.path([plane.at(0, 0), plane.at(1, 1)], "guide")
    for curve, style in reversed(list(zip(curves, STYLES, strict=False))):
        _path(plane, curve.false_positive_rate, curve.true_positive_rate, style)
    return plane.drawing.markup()


def gain_picture(curves: Sequence[GainCurve], title: str) -> Markup:
    """Rows by falling probability to the right, the share of the class they hold upwards; the dotted line is the
    best that is possible."""
    plane = _square(title, ("rows, the most probable first", "share found"))
    plane.drawing.path([plane.at(0, 0), plane.at(1, 1)], "guide")
    plane.drawing.path([plane.at(0, 0), plane.at(curves[0].prevalence, 1), plane.at(1, 1)], "ideal")
    for curve, style in reversed(list(zip(curves, STYLES, strict=False))):
        _path(plane, curve.share, curve.gain, style)
    return plane.drawing.markup()


def _square(title: str, axes: tuple[str, str], small: bool = False) -> Plane:
    width, height = SMALL if small else (WIDTH, HEIGHT)
    ticks = TICKS[::2] if small else TICKS
    return Plane(width, height, title, (0.0, 1.0), (0.0, 1.0), axes, x_ticks=ticks, y_ticks=ticks, words=_share)


def _share(x: float) -> str:
    return percent(x, 0)


def _path(plane: Plane, x: Array, y: Array, style: str) -> None:
    points = [plane.at(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    if len(points) > MOST_POINTS:
        kept = np.unique(np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int))
        points = [points[i] for i in kept]
    plane.drawing.path(points, style)
