"""What boosting descends: losses of raw scores, where each starts, and the way from scores to answers.

Scores F are outputs × rows: one output for numbers and for two classes, one per class for more. Each loss is convex
in F. A leaf takes a Newton step, −Σg / (Σh + λ) with g = ∂L/∂F and h = ∂²L/∂F²; where the second derivative says
nothing (`level` is set), it takes that quantile of the residuals y − F instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.linear import softmax

#: Shares of classes closer to 0 or 1 are taken as this far away, so that starts stay finite.
_TINY = float(np.finfo(np.float64).eps)
#: Where None is asked for, errors beyond this quantile of |y − median| count as gross.
HUBER_LEVEL = 0.9
#: exp of a larger score is taken as that of this one.
_STEEPEST = 500.0


@dataclass(frozen=True)
class Loss:
    """One loss, by the name the kernels know it under.

    | name | L(y, F) |
    |---|---|
    | "squared" | ½ (y − F)² |
    | "absolute" | \\|y − F\\| |
    | "quantile" | q·max(y − F, 0) + (1 − q)·max(F − y, 0), q the parameter |
    | "huber" | ½ r² for \\|r\\| = \\|y − F\\| ≤ δ, δ (\\|r\\| − ½ δ) beyond, δ the parameter |
    | "poisson" | exp(F) − y·F |
    | "logistic" | log(1 + exp(F)) − y·F, y = 0 or 1 |
    | "softmax" | log Σ_c exp(F_c) − F_y |
    """

    name: str
    n_outputs: int = 1
    parameter: float = 0.0

    @property
    def level(self) -> float | None:
        """The quantile of its residuals that a leaf takes; None: a Newton step."""
        return {"absolute": 0.5, "quantile": self.parameter}.get(self.name)

    @property
    def flat(self) -> bool:
        """Whether h = 1 for every row of weight 1."""
        return self.name in ("squared", "absolute", "quantile", "huber")

    @property
    def starts_at(self) -> float | None:
        """The quantile of the target that boosting starts from; None: the mean."""
        return 0.5 if self.name == "huber" else self.level

    def check(self, target: Array, first_row: int = 0) -> None:
        """Refuse targets this loss is not for."""
        if self.name == "poisson" and (target < 0).any():
            row = int(np.flatnonzero(target < 0)[0])
            raise InputError(
                f"loss='poisson' was given the target {target[row]:g} (row {row + first_row}). Expected counts or "
                "rates ≥ 0. Choose another loss, or leave the row out."
            )

    def start(self, center: float) -> Array:
        """The score of a mean or quantile of the target; of counts its logarithm."""
        if self.name != "poisson":
            return np.array([center])
        if center <= 0:
            raise InputError(
                "loss='poisson' was given targets that are all 0. Expected at least one above 0: boosting starts at "
                "the logarithm of their mean."
            )
        return np.array([math.log(center)])


def _rate(scores: Array) -> Array:
    rate: Array = np.exp(np.clip(scores, -_STEEPEST, _STEEPEST))
    return rate


def numbers_of(scores: Array, link: str) -> Array:
    """What a regressor predicts at raw scores."""
    return _rate(scores) if link == "log" else scores


def shares_of(scores: Array) -> Array:
    """The probability of each class, rows × classes, from raw scores, rows × outputs."""
    if scores.shape[1] > 1:
        return softmax(scores)
    z = scores[:, 0]
    small = np.exp(-np.abs(z))
    first = np.where(z >= 0, small, 1.0) / (1 + small)
    second = np.where(z >= 0, 1.0, small) / (1 + small)
    return np.column_stack([first, second])


def class_loss(n_classes: int) -> Loss:
    """Of two classes the logistic loss, of more the softmax."""
    return Loss("logistic") if n_classes <= 2 else Loss("softmax", n_classes)


def class_start(counts: Any) -> Array:
    """The scores that give each class its share of the weight."""
    share = np.clip(counts / np.sum(counts), _TINY, 1 - _TINY)
    if len(share) <= 2:
        return np.array([math.log(share[1] / share[0]) if len(share) == 2 else 0.0])
    start = np.log(share)
    centred: Array = start - start.mean()
    return centred
