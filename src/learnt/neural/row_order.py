"""Rows in memory before a descent: their weights, an order that follows from their cells, and which are held out."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.row_keys import ORDERED_UP_TO, are_copies, order_of_points, places_to_draw
from learnt.data.table import Array
from learnt.engine.whole import uneven
from learnt.errors import InputError
from learnt.neural.net import NetRows
from learnt.statistics.sample import hash_rows

#: From so many rows on, "auto" holds some out to stop early.
MANY_ROWS = 1000


def relative_weights(weights: Array | None) -> Array | None:
    """Weights; where all that are not 0 are equal, 1 for these. None for ones."""
    if weights is None:
        return None
    there = weights > 0
    return uneven(there.astype(np.float64) if np.ptp(weights[there]) == 0 else weights)


def in_drawn_order(inputs: Any, rows: NetRows, y: Array, w: Array | None) -> tuple[NetRows, Array, Array | None]:
    """Small tables in an order that follows from their cells, whole weights as copies: so the order of the rows, and
    whether one stands there twice, change nothing. Large ones as they came, without rows of weight 0."""
    if len(rows) > ORDERED_UP_TO or len(rows) * rows.x.shape[1] > 4_000_000:
        return with_weight(rows, y, w)
    there = np.arange(len(rows)) if w is None else np.flatnonzero(w)
    there = there[np.argsort(y[there], kind="stable")]  # decides between equal rows
    points = np.column_stack([inputs.scaled(rows.x[there]), rows.codes[there]])
    rank = np.zeros(len(rows), np.int64)
    rank[there[order_of_points(points)]] = np.arange(len(there))
    places = places_to_draw(rank, w)
    assert places is not None
    left = None if w is None or are_copies(w) else w[places]
    return rows.take(places), y[places], left


def with_weight(rows: NetRows, y: Array, w: Array | None) -> tuple[NetRows, Array, Array | None]:
    """Without rows of weight 0."""
    if w is None:
        return rows, y, w
    there = np.flatnonzero(w)
    return rows.take(there), y[there], w[there]


def holds_out(early_stopping: Any, n_rows: int) -> bool:
    """Whether rows are held out of so many, by what the user said."""
    return n_rows >= MANY_ROWS if early_stopping == "auto" else bool(early_stopping)


def held_out_places(early_stopping: Any, share: float, n_rows: int, *, seed: int, owner: str) -> Array | None:
    """The places of rows that are held out, drawn by a hash of their number; None if none are."""
    if not holds_out(early_stopping, n_rows):
        return None
    out = np.flatnonzero(hash_rows(seed, 0, n_rows) < share)
    if not 0 < len(out) < n_rows:
        raise InputError(
            f"{owner}: early_stopping holds out {share:g} of {n_rows} rows, which leaves none on one side. Expected "
            "more rows, or early_stopping=False."
        )
    return out
