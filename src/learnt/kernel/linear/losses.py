"""What a row costs a linear machine: nothing on its side of the margin or in its tube, and beyond by how far it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array


@dataclass(frozen=True)
class MachineLoss:
    """Of classes, y = ±1: max(0, 1 − y f); of targets: max(0, |f − y| − ε); or the square of either."""

    classes: bool
    squared: bool
    epsilon: float = 0.0

    def slack(self, f: Array, y: Array) -> Array:
        beyond: Array = 1 - y * f if self.classes else np.abs(f - y) - self.epsilon
        return np.maximum(0.0, beyond)

    def derivative(self, slack: Array, f: Array, y: Array) -> Array:
        """∂ loss / ∂ f, where the slacks are known."""
        sign = -y if self.classes else np.sign(f - y)
        found: Array = 2 * slack * sign if self.squared else np.where(slack > 0, sign, 0.0)
        return found
