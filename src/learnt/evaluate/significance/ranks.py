"""Ranks of scores; equal scores share the mean of their ranks."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.significance.scores import ROUNDING


def mean_ranks(values: Array) -> Array:
    """Ranks from 1 for the smallest."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Array = (last - (counts - 1) / 2)[place]
    return ranks


def ranks_by_row(matrix: Array, higher_is_better: bool = True) -> Array:
    """Ranks within each row, 1 for the best; scores equal but for rounding share theirs."""
    if np.isinf(matrix).any():  # an infinite loss ranks last, and that is all a rank needs
        largest = np.abs(matrix[np.isfinite(matrix)]).max(initial=1.0)
        matrix = np.nan_to_num(matrix, posinf=2 * largest, neginf=-2 * largest)
    ranks = np.empty_like(matrix)
    for i, row in enumerate(matrix):
        step = ROUNDING * float(np.abs(row).max(initial=0))
        ranks[i] = mean_ranks(np.rint((-row if higher_is_better else row) / step) if step > 0 else row)
    return ranks
