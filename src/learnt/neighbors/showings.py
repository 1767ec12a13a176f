"""Rows shown one after another, as learners need them that depend on the order."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError

#: So many showings take 400 MB; more are a mistake of units, not a table.
MOST_SHOWINGS = 50_000_000
FEW_TIMES = 100


def showings(n_rows: int, weights: Array | None) -> Array:
    """The rows in the order they are shown: whole weights are so many copies side by side. Others are taken relative to
    the smallest above 0, or to what shows a hundred times as many rows as there are, and rounded."""
    if weights is None:
        return np.arange(n_rows, dtype=np.int64)
    counts = weights
    if not bool((weights == np.floor(weights)).all()):
        counts = np.rint(weights / max(weights[weights > 0].min(), weights.sum() / (FEW_TIMES * n_rows)))
    if counts.sum() > MOST_SHOWINGS:
        raise InputError(
            f"The weights show {counts.sum():.3g} rows, where the table has {n_rows}. Expected at most "
            f"{MOST_SHOWINGS}: a weight of 2 shows a row twice. Divide the weights."
        )
    return np.repeat(np.arange(n_rows, dtype=np.int64), counts.astype(np.int64))
