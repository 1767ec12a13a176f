"""Losses of `learnt.losses`, or of the user's own, as a net takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.learner.parameters import Domain
from learnt.losses import Loss, zero_one
from learnt.neural.losses import indicators


class LossOf(Domain):
    """A `Loss` of margins, or of errors, that has a gradient."""

    def __init__(self, of: str):
        self.of, self.words = of, f"a learnt.losses.Loss of the {of}"

    def __contains__(self, value: Any) -> bool:
        return isinstance(value, Loss) and value.of == self.of and value != zero_one


@dataclass(frozen=True)
class GivenLoss:
    """Of errors r = s (f − y), in the units of the target, whose spread is s; or of margins z = ±f: of two classes one
    score, of more one score each, against all others, whose losses are added."""

    loss: Loss
    spread: float = 1.0

    def __call__(self, scores: Array, targets: Array) -> tuple[Array, Array]:
        """The loss of each row, and ∂ loss / ∂ score."""
        factor: Any = self.spread
        if self.loss.of == "error":
            at = factor * (scores - targets[:, None])
        else:
            factor = 2 * indicators(targets, scores.shape[1]) - 1
            at = factor * scores
        losses, deltas = np.asarray(self.loss(at)), factor * np.asarray(self.loss.derivative(at))
        return losses.sum(axis=1), np.ascontiguousarray(deltas)
