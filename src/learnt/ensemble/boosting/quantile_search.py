"""Quantiles over rows that are not in memory: exact, in a few looks at the values.

Floats keep their order when their bits are read as whole numbers. Each look knows the leading bits of every group's
quantile and counts the weight behind each value of the next ones, so that after four looks all bits are known; of
several groups, after eight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.statistics.sums import Sums

Array = np.ndarray[Any, Any]

_ROUNDING = 1 - 1e-12  # so that sums of weights that should reach a level do


@dataclass(frozen=True)
class DigitWeights(Sums):
    """The weight of the values of each group that begin like its quantile, by their next bits: groups × 2^bits."""

    rows: int
    weight: Array


@dataclass(frozen=True)
class Search:
    """Where the quantiles of some groups have been found to lie: their leading bits, and the weight below those."""

    level: float
    known: Array  # uint64, the leading bits of each group's quantile, in their places
    below: Array
    total: Array
    look: int = 0

    @classmethod
    def of(cls, level: float, n_groups: int) -> Search:
        return cls(level, np.zeros(n_groups, np.uint64), np.zeros(n_groups), np.zeros(n_groups))

    @property
    def bits(self) -> int:
        """How many bits a look finds; fewer for several groups, so that counts stay small."""
        return 16 if len(self.known) == 1 else 8

    @property
    def is_finished(self) -> bool:
        return self.look * self.bits == 64

    def weigh(self, values: Array, groups: Array, weights: Array | None) -> DigitWeights:
        """One look at some rows; rows of group −1 are left out."""
        keys, shift = ordered(values), np.uint64(64 - self.bits * (self.look + 1))
        inside = groups >= 0
        if self.look:
            above = shift + np.uint64(self.bits)
            inside &= keys >> above == self.known[groups] >> above
        n = len(self.known)
        digit = (keys[inside] >> shift & np.uint64((1 << self.bits) - 1)).astype(np.int64)
        place = groups[inside].astype(np.int64) << self.bits | digit
        counted = np.bincount(place, None if weights is None else weights[inside], n << self.bits)
        return DigitWeights(len(values), counted.astype(np.float64).reshape(n, 1 << self.bits))

    def narrowed(self, seen: DigitWeights) -> Search:
        """The search after a look."""
        run = np.cumsum(seen.weight, axis=1) + self.below[:, None]
        total = run[:, -1] if self.look == 0 else self.total
        goal = self.level * total * _ROUNDING
        there = (run >= goal[:, None]) & (seen.weight > 0)
        digit = np.where(there.any(axis=1), there.argmax(axis=1), _last(seen.weight))
        shift = np.uint64(64 - self.bits * (self.look + 1))
        each = np.arange(len(digit))
        below = run[each, digit] - seen.weight[each, digit]
        return Search(self.level, self.known | digit.astype(np.uint64) << shift, below, total, self.look + 1)

    def values(self) -> Array:
        """The quantiles; NaN for a group without rows."""
        found = unordered(self.known)
        found[self.total == 0] = np.nan
        return found


def _last(weight: Array) -> Array:
    """The last place with any weight: where rounding left the level out of reach."""
    place: Array = weight.shape[1] - 1 - (weight[:, ::-1] > 0).argmax(axis=1)
    return place


def ordered(values: Array) -> Array:
    """Floats as whole numbers of the same order; −0 as 0."""
    bits = (np.ascontiguousarray(values, np.float64) + 0.0).view(np.uint64)
    keys: Array = np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(1 << 63))
    return keys


def unordered(keys: Array) -> Array:
    """The floats of such whole numbers."""
    bits = np.where(keys >> np.uint64(63), keys & np.uint64((1 << 63) - 1), ~keys)
    return bits.view(np.float64).copy()
