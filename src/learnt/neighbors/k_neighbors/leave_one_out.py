"""How many neighbours: each row answered by the others, for every number of them, from one search."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from learnt.data.table import Array
from learnt.neighbors.search import EQUAL, Near, Search
from learnt.watch import report

FEWEST, MOST = 25, 100


class Answering(Protocol):
    """What is asked of a learner: the loss of rows answered by their neighbours."""

    def _losses(self, near: Near, rows: Array) -> Array:
        """The loss of each of these rows."""
        ...

    def _losses_by_k(self, near: Near, rows: Array) -> Array | None:
        """The same for the first 1, 2, … neighbours, rows × numbers; None where weights change with the number."""
        ...


def most_neighbors(n_rows: int) -> int:
    """Up to which number of neighbours is tried: the root of the rows, from 25 to 100, as far as there are others."""
    return min(n_rows - 1, max(FEWEST, min(MOST, math.isqrt(n_rows))))


def leave_one_out(search: Search, row_weights: Array | None, learner: Answering, most: int, ties: bool) -> Array:
    """The mean loss of answering each row by its k nearest others, for k from 1 to `most`.

    The neighbours of a row without itself are looked for once, `most` and one more, where kernels end; those of a
    smaller k are the first of them. A row is left out with all its weight.
    """
    n, name = search.rows.n_rows, type(learner).__name__
    total, done = np.zeros(most), 0
    everyone = np.arange(n)
    for rows, near in search.candidates(search.rows.table, most, row_weights, ties, skip=everyone):
        w = np.ones(len(rows)) if row_weights is None else row_weights[rows]
        by_k = learner._losses_by_k(near, rows) if row_weights is None else None
        if by_k is None:
            for k in range(1, most + 1):
                total[k - 1] += w @ learner._losses(near.nearest(k, row_weights, ties), rows)
        else:
            last = _last_places(near.distances, most) if ties else None
            total += w @ (by_k[:, :most] if last is None else np.take_along_axis(by_k, last, 1))
        done += len(rows)
        report("leave one out", learner=name, iteration=done, total=n, objective=float(total.min() / done))
    mean: Array = total / (n if row_weights is None else row_weights.sum())
    return mean


def _last_places(distances: Array, most: int) -> Array | None:
    """For each number k of neighbours the place of the last row as near as the k-th; None if it is always the k-th."""
    tied = (distances[:, 1:] <= distances[:, :-1] * EQUAL).any(axis=1)
    if not tied.any():
        return None
    last, some = np.tile(np.arange(most), (len(distances), 1)), distances[tied]
    for k in range(most):
        last[tied, k] = (some <= some[:, k : k + 1] * EQUAL).sum(axis=1) - 1
    return last
