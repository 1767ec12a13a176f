"""Signs by chance, the same for a seed on every machine and in every version."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.data.table import Array

#: The least number of directions that ask a column, if there are so many.
FEWEST = 16


def coins(seed: int, first: int, last: int, k: int) -> Array:
    """Rows first … last of the matrix of ±1/√k, k columns; each row is drawn from its own number."""
    words = -(-k // 64)
    bits = _raw(seed, first * words, (last - first) * words).reshape(last - first, words)
    signs = np.unpackbits(bits.astype("<u8").view(np.uint8), axis=1, count=k, bitorder="little")
    scale = 1 / math.sqrt(k)
    out = signs.astype(np.float64)
    out *= 2 * scale
    out -= scale
    return out


def scattered_coins(seed: int, p: int, k: int) -> Any:
    """p rows, in each of which s of k places hold ±1/√s: the places are cut into s runs, and one of each is drawn."""
    from scipy.sparse import csr_matrix

    s = min(k, max(FEWEST, math.ceil(k / math.sqrt(p))))
    ends = np.linspace(0, k, s + 1).astype(np.int64)
    bits = _raw(seed, 0, p * s).reshape(p, s)
    share = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
    places = ends[:-1] + np.minimum((share * np.diff(ends)).astype(np.int64), np.diff(ends) - 1)
    values = np.where(bits & np.uint64(1), 1.0, -1.0) / math.sqrt(s)
    indptr = np.arange(0, p * s + 1, s)
    return csr_matrix((values.ravel(), places.astype(np.int32).ravel(), indptr), shape=(p, k))


def _raw(seed: int, first: int, count: int) -> Array:
    """`count` words of 64 random bits, from number `first` on. Their order is NumPy's promise for bit generators."""
    draws = np.random.Philox(key=seed)
    draws.advance(first // 4)  # four words a step
    skip = first % 4
    words: Array = draws.random_raw(count + skip)
    return words[skip:]
