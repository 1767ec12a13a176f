"""Rows cut into folds, and p-values by the novelty of rows that a model has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.lazy import cached_property
from learnt.storable import FiniteNumbers, storable

#: Novelties that differ by less, relatively, are equal: rows among the same neighbours have the same, but for rounding.
SAME = 1e-10


def fold_weights(weights: Array, fold: int, folds: int) -> Array:
    """The weight of each row in a fold. A row of weight 3 is three copies, dealt out like cards, one fold after the
    other; what is left of a weight that is not whole goes to the next."""
    if bool(np.all(weights == 1)):
        return np.asarray(np.arange(len(weights)) % folds == fold, dtype=np.float64)
    first, copies = np.floor(np.cumsum(weights) - weights), np.floor(weights)  # weights may be beyond whole numbers
    away = np.mod(fold - first, folds)
    dealt = np.floor(np.maximum(copies - away + folds - 1, 0) / folds)
    last = np.mod(first + copies, folds) == fold
    return np.asarray(dealt + np.where(last, weights - copies, 0.0))


@storable
@dataclass(frozen=True, eq=False)
class HeldOut:
    """The novelty of rows that were held out of a fit, from the least on, and their weights."""

    novelty: FiniteNumbers
    weights: FiniteNumbers

    def __post_init__(self) -> None:
        if self.novelty.ndim != 1 or self.novelty.shape != self.weights.shape:
            raise ValueError("Rows that were held out need one novelty and one weight each.")
        if np.any(np.diff(self.novelty) < 0) or np.any(self.weights <= 0):
            raise ValueError("The novelty of rows that were held out must rise, and their weights be positive.")

    @classmethod
    def of(cls, novelty: Array, weights: Array) -> HeldOut:
        order = np.argsort(novelty, kind="stable")
        return cls(novelty[order], weights[order])

    @cached_property
    def _from_here_on(self) -> Array:
        return np.append(np.cumsum(self.weights[::-1])[::-1], 0.0)

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    def at_least(self, novelty: Array) -> Array:
        """The weight of the rows held out that are as novel as each of these, or more."""
        least = novelty - SAME * np.abs(novelty)
        found: Array = self._from_here_on[np.searchsorted(self.novelty, least, side="left")]
        return found
