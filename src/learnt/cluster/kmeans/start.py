"""Where k-means starts: rows far from each other, or any rows."""

from __future__ import annotations

import math

import numpy as np

from learnt import _core
from learnt.cluster.kmeans.rows import Rows, first_of_each
from learnt.data.table import Array


def spread_rows(rows: Rows, k: int, rng: np.random.Generator, trials: int | None = None) -> Array:
    """k-means++: each next centre is a row drawn with probability ∝ w·d², d the distance to the nearest so far.

    Of `trials` rows drawn (2 + ⌊ln k⌋ unless given), the one that lowers Σ w·d² most is kept (the greedy variant).

    Reference: D. Arthur and S. Vassilvitskii, k-means++: The Advantages of Careful Seeding, 2007.
    """
    trials = trials or 2 + int(math.log(k))
    nearest = np.ones(rows.n_rows)
    first = _drawn_rows(rows, nearest, 1, rng)
    centers = np.empty((k, rows.x.shape[1]), rows.x.dtype)
    centers[:1] = rows.take(first)
    nearest.fill(np.inf)
    rows.lower(centers[0], nearest)
    for c in range(1, k):
        drawn = _drawn_rows(rows, nearest, trials, rng)
        candidates = rows.take(drawn)
        best = int(rows.potentials(candidates, nearest).argmin()) if trials > 1 else 0
        centers[c] = candidates[best]
        rows.lower(centers[c], nearest)
    return centers


#: Cells that a search for different rows may spread out at a time.
_CELLS = 16_000_000


def any_rows(rows: Rows, k: int, rng: np.random.Generator) -> Array:
    """k different rows, drawn one after another with probability ∝ weight; copies of a drawn row are passed over."""
    key = rng.exponential(size=rows.n_rows)
    if rows.weights is not None:
        key = np.divide(key, rows.weights, out=np.full_like(key, np.inf), where=rows.weights > 0)
    order = np.argsort(key, kind="stable")
    order = order[: rows.n_rows if rows.weights is None else np.count_nonzero(rows.weights)]
    most = min(len(order), max(k, _CELLS // max(rows.x.shape[1], 1)))
    asked = min(k, most)
    while True:
        points: Array = rows.take(order[:asked])
        first = first_of_each(points)
        if len(first) >= k or asked == most:  # at the end there are fewer different rows than centres: some repeat
            chosen: Array = points[np.resize(first, k)]
            return chosen
        asked = min(4 * asked, most)


def _drawn_rows(rows: Rows, share: Array, count: int, rng: np.random.Generator) -> Array:
    """Row numbers drawn with probability ∝ weight · share; ∝ weight alone where no share is left."""
    total = float(share.sum() if rows.weights is None else share @ rows.weights)
    if total <= 0:  # every row sits on a centre
        share = np.ones_like(share)
        total = float(len(share) if rows.weights is None else rows.weights.sum())
    out = np.empty(count, np.int64)
    _core.weighted_pick(share, rows.weights, rng.random(count) * total, out)
    return out
