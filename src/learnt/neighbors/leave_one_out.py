"""How many neighbours: each row answered by the others, for every number of them, from one search."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from learnt.data.table import Array
from learnt.neighbors.neighbor_weights import BY_DISTANCE
from learnt.neighbors.search import Near, Search
from learnt.watch import report

FEWEST, MOST = 25, 100

Losses = Callable[[Near, Array], Array]


def most_neighbors(n_rows: int) -> int:
    """Up to which number of neighbours is tried: the root of the rows, from 25 to 100, as far as there are others."""
    return min(n_rows - 1, max(FEWEST, min(MOST, math.isqrt(n_rows))))


def leave_one_out(search: Search, row_weights: Array | None, losses: Losses, most: int, learner: str) -> Array:
    """The mean loss of answering each row by its k nearest others, for k from 1 to `most`.

    The neighbours of a row without itself are looked for once, `most` + 1 of them; those of a smaller k are the
    first of them. `losses(near, rows)` gives the loss of each of these rows when it is answered by these neighbours.
    """
    n, table = search.rows.n_rows, search.rows.table
    total = np.zeros(most)
    for some in search.blocks(n, most + 1, row_weights, within=False):
        rows = np.arange(some.start, some.stop)
        near = search.nearest(table.rows(some.start, some.stop), most + 1, row_weights, skip=rows)
        w = None if row_weights is None else row_weights[rows]
        for k in range(1, most + 1):
            total[k - 1] += np.sum(losses(near.nearest(k, row_weights), rows) * (1.0 if w is None else w))
        report("leave one out", learner=learner, iteration=some.stop, total=n, objective=float(total.min() / some.stop))
    mean: Array = total / (n if row_weights is None else row_weights.sum())
    return mean


def depends_on_k(weights: object) -> bool:
    """Whether the weight of a neighbour changes with how many there are."""
    return not (weights == "uniform" or weights in tuple(BY_DISTANCE))
