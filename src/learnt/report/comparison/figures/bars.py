"""Bars that stand in a line of a table; the figures beside them say the same, so that they are decoration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from learnt.report.comparison.figures.svg import Drawing

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 180.0, 14.0


def interval_bar(value: float, low: float, high: float, most: float, guide: float | None = None) -> Markup:
    """A bar from 0 with whiskers; the dashed line is what to compare it with."""
    return span_bar(value, low, high, (min(0.0, 0.0 if math.isnan(low) else low), most), guide)


def span_bar(value: float, low: float, high: float, ends: tuple[float, float], guide: float | None = None) -> Markup:
    """The same where values may be negative; `ends` are those of the scale."""
    drawing = Drawing(WIDTH, HEIGHT)
    span = (ends[1] - ends[0]) or 1.0

    def x(v: float) -> float:
        return 1 + (WIDTH - 2) * min(max((v - ends[0]) / span, 0.0), 1.0)

    middle = HEIGHT / 2
    if math.isfinite(value):
        drawing.box(min(x(0), x(value)), 2, max(abs(x(value) - x(0)), 0.8), HEIGHT - 4, "bar")
    if math.isfinite(low) and math.isfinite(high):
        drawing.line(x(low), middle, x(high), middle, "whisker best")
    drawing.line(x(0), 0, x(0), HEIGHT, "axis")
    if guide is not None and math.isfinite(guide):
        drawing.line(x(guide), 0, x(guide), HEIGHT, "guide")
    return drawing.markup()


def signed_bar(value: float, largest: float) -> Markup:
    """To the right from the middle, or to the left where it is negative."""
    drawing = Drawing(140, HEIGHT)
    share = 0.0 if largest == 0 or math.isnan(value) else min(1.0, abs(value) / largest)
    width = max(69 * share, 0.8 if value else 0.0)
    drawing.box(70 if value >= 0 else 70 - width, 2, width, HEIGHT - 4, "plus" if value >= 0 else "minus")
    drawing.line(70, 0, 70, HEIGHT, "axis")
    return drawing.markup()
