"""Labels counted by weight: one by one, and in pairs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from learnt.data.table import Array
from learnt.statistics.sums import Sums
from learnt.storable import storable


def weigh_codes(codes: Array, n_codes: int, weights: Array | None = None) -> Array:
    """The weight of each code from 0 to n_codes − 1, float64; missing ones, −1, are left out."""
    # One place more, for −1, keeps the rows together: no copy of those that are there.
    return np.bincount(codes + 1, weights, n_codes + 1)[1:].astype(np.float64)


def weigh_pairs(a: Array, n_a: int, b: Array, n_b: int, weights: Array | None = None) -> Array:
    """The weight of each pair of codes, n_a × n_b, float64; pairs with a missing one, −1, are left out."""
    keys = a.astype(np.int64) * n_b + b
    there = (a >= 0) & (b >= 0)
    if not there.all():
        keys, weights = keys[there], None if weights is None else weights[there]
    return np.bincount(keys, weights, n_a * n_b).astype(np.float64).reshape(n_a, n_b)


@dataclass(frozen=True)
class Counts(Sums):
    """The weight of each label. `rows` counts every cell given, `missing` those left out."""

    rows: int = 0
    weight: Array = field(default_factory=lambda: np.zeros(0))
    missing: int = 0

    @classmethod
    def of(cls, codes: Array, n_labels: int, weights: Array | None = None) -> Counts:
        """Of labels as codes from 0 to n_labels − 1, −1 for missing."""
        return cls(len(codes), weigh_codes(codes, n_labels, weights), int(np.count_nonzero(codes < 0)))

    @property
    def total(self) -> float:
        return float(self.weight.sum())


@storable  # by this name and these fields models hold it
@dataclass(frozen=True)
class ClassWeights(Sums):
    """The weight of each class. Targets are never missing."""

    weight: Array

    @classmethod
    def of(cls, codes: Array, n_classes: int, weights: Array | None = None) -> ClassWeights:
        return cls(len(codes), weigh_codes(codes, n_classes, weights))
