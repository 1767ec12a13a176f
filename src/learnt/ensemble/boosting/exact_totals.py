"""Sums of floats without rounding: the same bits however the rows are cut, and in which order they are added.

Every finite float is a whole number of units of 2⁻¹⁰⁷⁴. Mantissas are added by exponent as whole numbers, and the few
totals as Python's integers, which have no limit.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_LOWEST = 1074  # float64 ends at 2⁻¹⁰⁷⁴
_HALF = 27  # bits of a mantissa's lower half
_ROWS = 1 << 24  # halves of so many mantissas are added exactly in float64


def exact_total(values: Array) -> int:
    """Σ values, in units of 2⁻¹⁰⁷⁴⁻⁵³."""
    total = 0
    for start in range(0, len(values), _ROWS):
        mantissa, exponent = np.frexp(values[start : start + _ROWS])
        whole = np.ldexp(mantissa, 53)
        high = np.floor(np.ldexp(whole, -_HALF))
        low = whole - np.ldexp(high, _HALF)
        place = exponent + _LOWEST
        for half, shift in ((high, _HALF), (low, 0)):
            sums = np.bincount(place, half)
            total += sum(int(sums[e]) << (int(e) + shift) for e in np.flatnonzero(sums))
    return total


def whole_total(count: int) -> int:
    """A whole number in the same units."""
    return int(count) << (_LOWEST + 53)


def mean_of(total: int, weight: int) -> float:
    """The quotient of two totals, rounded once."""
    return float(Fraction(total, weight))
