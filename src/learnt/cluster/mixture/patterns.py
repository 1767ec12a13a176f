"""Rows grouped by which of their cells are missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from learnt import _core
from learnt.data.table import Array


def patterns(x: Array) -> Iterator[tuple[Array | None, Array | None]]:
    """Rows with the same cells missing, together: (rows, which columns they have); None for all of them."""
    if _core.all_finite(x) or not (gaps := np.isnan(x)).any():
        yield None, None
        return
    bits = np.packbits(gaps, axis=1)
    order = np.lexsort(bits.T)
    starts = np.flatnonzero(np.append(True, (bits[order[1:]] != bits[order[:-1]]).any(axis=1)))
    for rows in np.split(order, starts[1:]):
        rows = np.sort(rows)
        there = ~gaps[rows[0]]
        yield rows, None if there.all() else there


def cut(x: Array, rows: Array | None, there: Array | None) -> Array:
    """Some rows, and of these the columns that are there."""
    part = x if rows is None else x[rows]
    return part if there is None else np.ascontiguousarray(part[:, there])
