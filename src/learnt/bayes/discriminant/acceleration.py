"""Where EM's steps lead, guessed from the last ones: few steps do for many small ones.

Let θ be a point, f the step EM takes from it, and ΔX and ΔF the differences between the last points and between their
steps. Anderson's acceleration takes the combination of the last steps that is smallest, and goes to

    θ + f − (ΔX + ΔF) γ,   γ = argmin |f − ΔF γ|

Points are means and logarithms of covariances, so that any combination is one of positive definite ones.

Reference: H. F. Walker, P. Ni, Anderson Acceleration for Fixed-Point Iterations, SIAM Journal on Numerical Analysis 49,
2011.
"""

from __future__ import annotations

import numpy as np

from learnt.bayes.discriminant.expected_products import Gaussians
from learnt.data.table import Array

#: Differences it looks back on.
_MEMORY = 5
#: Directions in which the last steps differ by less than this share of the most are left alone.
_RANK = 1e-8


class Acceleration:
    """The last points, and the steps from them.

    EM leaves a saddle point by steps that grow, and the smallest combination would lead back: there steps are
    stretched, each time twice as far, until one leads down.
    """

    def __init__(self) -> None:
        self.points: list[Array] = []
        self.steps: list[Array] = []
        self.stretch = 1.0
        self.stretched = False

    def led_down(self) -> None:
        """What was guessed last is worse than where it began."""
        self.points, self.steps = [], []
        self.stretch = 1.0 if self.stretched else 2 * self.stretch

    def beyond(self, at: Gaussians, to: Gaussians, least: float) -> Gaussians:
        """Further than the step from `at` to `to`; `to` itself where no earlier one is known."""
        point = _flat(at)
        step = _flat(to) - point
        self.points = [*self.points, point][-_MEMORY - 1 :]
        self.steps = [*self.steps, step][-_MEMORY - 1 :]
        move = self._combined(point, step) if len(self.steps) > 1 else None
        self.stretched = move is None
        if move is None:
            if self.stretch == 1:
                return to
            move = self.stretch * step
        goal = point + move
        mean, logarithm = goal[: at.mean.size], goal[at.mean.size :]
        return Gaussians.of_logarithm(
            mean.reshape(at.mean.shape), logarithm.reshape(at.logarithm.shape), float(np.log(least))
        )

    def _combined(self, point: Array, step: Array) -> Array | None:
        """The move by the smallest combination of steps, or None where it leads back."""
        turns = np.diff(np.array(self.steps), axis=0).T
        share = np.linalg.lstsq(turns, step, rcond=_RANK)[0]
        move: Array = step - (np.diff(np.array(self.points), axis=0).T + turns) @ share
        if move @ step > 0:
            return move
        self.stretch *= 2
        return None


def _flat(gaussians: Gaussians) -> Array:
    return np.concatenate([gaussians.mean.ravel(), gaussians.logarithm.ravel()])
