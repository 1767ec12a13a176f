"""Two axes with round ticks, on which figures draw their points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from learnt.report.comparison.figures.intervals import nice_step
from learnt.report.comparison.figures.svg import Drawing
from learnt.show.numbers import number

LEFT, BOTTOM, TOP, RIGHT = 64.0, 40.0, 24.0, 24.0


class Plane:
    """A drawing with scales; `at` turns values into places. `log` makes the scale of x one of equal ratios."""

    def __init__(
        self,
        width: float,
        height: float,
        title: str,
        x: tuple[float, float],
        y: tuple[float, float],
        axes: tuple[str, str],
        *,
        log: bool = False,
        x_ticks: Sequence[float] | None = None,
        y_ticks: Sequence[float] | None = None,
        words: Callable[[float], str] = number,
    ):
        self.drawing = Drawing(width, height, title)
        self.width, self.height, self.log = width, height, log
        self.x, self.y = _widened_range(x), _widened_range(y)
        for tick in ticks(*self.x) if x_ticks is None else x_ticks:
            place = self.at(tick, self.y[0])[0]
            self.drawing.line(place, TOP, place, height - BOTTOM, "grid")
            self.drawing.text(place, height - BOTTOM + 14, words(round(tick, 10)), "small soft", "middle")
        for tick in ticks(*self.y) if y_ticks is None else y_ticks:
            place = self.at(self.x[0], tick)[1]
            self.drawing.line(LEFT, place, width - RIGHT, place, "grid")
            self.drawing.text(LEFT - 5, place + 4, words(round(tick, 10)), "small soft", "end")
        self.drawing.text(width - RIGHT, height - 6, f"{axes[0]} →", "small soft", "end")
        self.drawing.text(4, 12, f"↑ {axes[1]}", "small soft")

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Values beyond the scale stand at its end."""
        across, up = self._share(x, self.x, self.log), self._share(y, self.y, False)
        return (
            LEFT + (self.width - LEFT - RIGHT) * across,
            TOP + (self.height - TOP - BOTTOM) * (1 - up),
        )

    def _share(self, value: float, ends: tuple[float, float], log: bool) -> float:
        low, high = ends
        inside = min(max(value, low), high)
        if log:
            return math.log(inside / low) / math.log(high / low)
        return (inside - low) / (high - low)


def _widened_range(ends: tuple[float, float]) -> tuple[float, float]:
    """The ends, moved apart where they are one."""
    low, high = ends
    return ends if high > low else (low - 0.5 * max(abs(low), 1e-3), high + 0.5 * max(abs(high), 1e-3))


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    step = nice_step((high - low) / about)
    return [step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
