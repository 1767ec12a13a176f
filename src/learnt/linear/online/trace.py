"""The course of a descent: the loss after each pass, and where the weights were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.show.numbers import number
from learnt.storable import storable

#: So many points tell the story: all of the first few, then every second, fourth, … pass.
MOST_POINTS, _FIRST_FEW = 64, 16


@storable
@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The mean loss after so many passes, or met in a pass where rows are met one by one.

    `weights[k]`, where it is kept, holds the intercept and the coefficients after that pass, in the user's units.
    Of long descents some passes are left out; `learnt.watch` sees them all.
    """

    iteration: Array
    loss: Array
    weights: Array | None = None

    def __post_init__(self) -> None:
        if self.iteration.shape != self.loss.shape or self.loss.ndim != 1:
            raise ValueError("A trace needs one loss per pass.")
        if self.weights is not None and (self.weights.ndim != 2 or len(self.weights) != len(self.loss)):
            raise ValueError("A trace needs one row of weights per pass.")

    def __len__(self) -> int:
        return len(self.loss)

    def __repr__(self) -> str:
        if not len(self):
            return "<Trace of no passes>"
        return f"<Trace of {self.iteration[-1]} passes: loss {number(self.loss[0])} → {number(self.loss[-1])}>"

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss against the pass; returns the matplotlib axes."""
        from learnt.plot.descent import plot_trace

        return plot_trace(self, ax)


class Recorder:
    """Collects a trace, forgetting every second point whenever there are too many."""

    def __init__(self) -> None:
        self.points: list[tuple[int, float, Array | None]] = []
        self.every = 1

    def add(self, iteration: int, loss: float, weights: Array | None = None) -> None:
        if self.points and not self._stays(self.points[-1]):  # the last one is always there, until the next comes
            self.points.pop()
        self.points.append((iteration, loss, weights))
        if len(self.points) > MOST_POINTS:
            self.every *= 2
            self.points = [*filter(self._stays, self.points[:-1]), self.points[-1]]

    def _stays(self, point: tuple[int, float, Array | None]) -> bool:
        return point[0] < _FIRST_FEW or point[0] % self.every == 0

    def trace(self) -> Trace:
        iteration = np.array([p[0] for p in self.points], np.int64)
        loss = np.array([p[1] for p in self.points], np.float64)
        weights = [p[2] for p in self.points if p[2] is not None]
        return Trace(iteration, loss, np.array(weights) if weights and len(weights) == len(loss) else None)
