"""Products of many numbers that would leave the range of numbers on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnt.data.table import Array

SAFE = 1e-200  # down to here, and up to its inverse, numbers are left as they are


def scaled_product(parts: Sequence[Array]) -> Array:
    """The product of arrays of one shape; where its largest entry would be too small or too large, divided by that.

    >>> scaled_product([np.array([1e-200, 3e-200])] * 2)
    array([0.11111111, 1.        ])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        plain: Array = np.prod(parts, axis=0)
    largest = float(plain.max())
    if SAFE < largest < 1 / SAFE:
        return plain
    with np.errstate(divide="ignore"):
        logs = np.sum(np.log(parts), axis=0)
    top = float(logs.max())
    scaled: Array = np.zeros(plain.shape) if top == -np.inf else np.exp(logs - top)
    return scaled
