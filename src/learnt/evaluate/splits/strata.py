"""Strata: rows that shall be spread evenly, by class or by the size of a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.errors import InputError
from learnt.evaluate.splits.base import per_row

MOST_BINS = 10


def strata_of(X: Any, y: Any, n_splits: int) -> Array:
    """The stratum of each row: its class, or for a numeric target the tenth of the rows it lies in.

    Numbers count as a numeric target when some have a fraction, or when none comes up `n_splits` times.
    """
    if y is None:
        y = X.target if isinstance(X, Table) else None
        if y is None:
            raise InputError("Stratified splits need y, the classes or numbers to spread evenly. Give y.")
    values = per_row(X, y, "y")
    distinct, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    if distinct.dtype.kind == "f" and ((distinct != np.round(distinct)).any() or counts.max() < n_splits):
        return quantile_bins(values, n_splits)
    return codes


def quantile_bins(values: Array, n_splits: int) -> Array:
    """Numbers as the numbers of bins that hold about equally many, at most ten, and each enough for all splits."""
    n_bins = max(1, min(MOST_BINS, len(values) // max(n_splits, 1)))
    edges = np.quantile(values, np.arange(1, n_bins) / n_bins)
    return np.searchsorted(edges, values, side="right")


def dealt(strata: Array, n_splits: int, rng: np.random.Generator | None) -> Array:
    """The fold of each row: rows of a stratum are dealt out like cards, the next stratum going on where it ended.

    So the folds' sizes, and their shares of any stratum, differ by one row at most. Without `rng` the rows of a
    stratum stay in order, the first ones in the first fold.
    """
    n_rows = len(strata)
    # Numbered by first appearance, so that the folds do not depend on how the classes are called.
    _, first, codes = np.unique(strata, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]
    rows = np.arange(n_rows) if rng is None else rng.permutation(n_rows)
    rows = rows[np.argsort(codes[rows], kind="stable")]
    cards = np.arange(n_rows) % n_splits
    fold = np.empty(n_rows, np.int64)
    fold[rows] = cards[np.lexsort((cards, codes[rows]))]
    return fold
