"""Losses: what a score costs, by its margin or by its error, and how fast that grows.

A margin z = y·f is positive where the score f has the sign of the class y = ±1. All margin losses cost 1 at z = 0, so
that each of them but the first lies above the share of errors, `zero_one`.

>>> [loss(0.0) for loss in MARGIN.values()]
[1.0, 1.0, 1.0, 1.0, 1.0]
>>> hinge(0.25), hinge.derivative(0.25)
(0.75, -1.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.errors import InputError, ParameterError
from learnt.show.words import spell

Array = np.ndarray[Any, Any]

__all__ = [
    "MARGIN",
    "REGRESSION",
    "Loss",
    "absolute_error",
    "epsilon_insensitive",
    "exponential",
    "hinge",
    "huber",
    "logistic",
    "plot",
    "squared",
    "squared_error",
    "zero_one",
]


@dataclass(frozen=True)
class Loss:
    """A function of a margin z, or of an error r = prediction − truth. Called with a number or an array of them.

    `derivative` is that of the loss; at a corner, the value on its flatter side.
    """

    name: str
    formula: str
    of: str  # "margin" or "error"
    _value: Callable[[Array], Array]
    _derivative: Callable[[Array], Array]

    def __call__(self, at: Any) -> Any:
        return self._apply(self._value, at)

    def derivative(self, at: Any) -> Any:
        """The derivative of the loss at a margin or an error, or at an array of them."""
        return self._apply(self._derivative, at)

    def _apply(self, function: Callable[[Array], Array], at: Any) -> Any:
        numbers = np.asarray(at)
        if numbers.dtype.kind not in "fiub":
            raise InputError(f"The {self.name} loss was asked of {numbers.dtype.name} values. Expected numbers.")
        with np.errstate(over="ignore"):  # exp of a hopeless margin is infinite, as it should be
            found = np.asarray(function(numbers.astype(np.float64)), dtype=np.float64)
        return float(found) if found.ndim == 0 else found

    def __repr__(self) -> str:
        return f"<{self.name} loss: {self.formula}>"


def _softplus(z: Array) -> Array:
    """log(1 + exp(z)), without overflow."""
    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))


def _sigmoid(z: Array) -> Array:
    share = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + share), share / (1 + share))


zero_one = Loss("zero_one", "1 if z ≤ 0, else 0", "margin", lambda z: (z <= 0) * 1.0, np.zeros_like)
hinge = Loss("hinge", "max(0, 1 − z)", "margin", lambda z: np.maximum(0.0, 1 - z), lambda z: -1.0 * (z < 1))
logistic = Loss(
    "logistic",
    "log₂(1 + exp(−z))",
    "margin",
    lambda z: _softplus(-z) / math.log(2),
    lambda z: -_sigmoid(-z) / math.log(2),
)
exponential = Loss("exponential", "exp(−z)", "margin", lambda z: np.exp(-z), lambda z: -np.exp(-z))
squared = Loss("squared", "(1 − z)²", "margin", lambda z: (1 - z) ** 2, lambda z: -2 * (1 - z))

squared_error = Loss("squared_error", "r² / 2", "error", lambda r: r**2 / 2, lambda r: r)
absolute_error = Loss("absolute_error", "|r|", "error", np.abs, np.sign)


def huber(width: float = 1.35) -> Loss:
    """Squared up to an error of `width`, absolute beyond: `r² / 2`, then `width · (|r| − width / 2)`.

    >>> huber(1.0)([0.5, 3.0]).tolist()
    [0.125, 2.5]
    """
    w = _positive("huber", width)
    return Loss(
        "huber",
        f"r²/2 up to |r| = {w:g}, then {w:g}·(|r| − {w / 2:g})",
        "error",
        lambda r: np.where(np.abs(r) <= w, r**2 / 2, w * (np.abs(r) - w / 2)),
        lambda r: np.clip(r, -w, w),
    )


def epsilon_insensitive(width: float = 0.1) -> Loss:
    """Errors up to `width` cost nothing: `max(0, |r| − width)`.

    >>> epsilon_insensitive(1.0)([0.5, -3.0]).tolist()
    [0.0, 2.0]
    """
    w = _positive("epsilon_insensitive", width)
    return Loss(
        "epsilon_insensitive",
        f"max(0, |r| − {w:g})",
        "error",
        lambda r: np.maximum(0.0, np.abs(r) - w),
        lambda r: np.sign(r) * (np.abs(r) > w),
    )


def _positive(owner: str, width: Any) -> float:
    if not isinstance(width, (int, float, np.number)) or not math.isfinite(width) or width <= 0:
        raise ParameterError(f"{owner}: width={spell(width)} is not allowed. Expected a number > 0.")
    return float(width)


#: The losses of a margin, by name.
MARGIN = {loss.name: loss for loss in (zero_one, hinge, logistic, exponential, squared)}
#: The losses of an error, by name; `huber` and `epsilon_insensitive` with their usual widths.
REGRESSION = {loss.name: loss for loss in (squared_error, absolute_error, huber(), epsilon_insensitive())}


def plot(axes: Any = None) -> Any:
    """Draw all losses: of margins on the left, of errors on the right; returns the two matplotlib axes."""
    from learnt.plot.descent import plot_losses

    return plot_losses(axes)
