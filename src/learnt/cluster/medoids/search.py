"""Medoids among rows whose distances are known: starts, and swaps that lower the loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.watch import report


@dataclass
class Medoids:
    """Rows that stand for all: every row belongs to the nearest of them.

    loss = Σ_i w_i d(i, nearest medoid)
    """

    distances: Array  # n × n
    weights: Array | None
    rows: Array  # the medoids, int64
    n_iter: int = 0
    n_swaps: int = 0
    converged: bool = True

    def __post_init__(self) -> None:
        n = len(self.distances)
        self.nearest, self.second = np.empty(n, np.int32), np.empty(n, np.int32)
        self.to_nearest, self.to_second = np.empty(n), np.empty(n)
        self.assign()

    def assign(self) -> None:
        """Find the nearest and the second nearest medoid of all rows."""
        _core.nearest_medoids(self.distances, self.rows, self.nearest, self.second, self.to_nearest, self.to_second)

    @property
    def loss(self) -> float:
        return float(self.to_nearest.sum() if self.weights is None else self.to_nearest @ self.weights)

    def swap(self, *, eager: bool, max_iter: int) -> None:
        """Swap medoids for other rows while that pays: at once (eager), or the best of all swaps in each round."""
        n, position, quiet = len(self.distances), 0, 0
        if len(self.rows) == 1:  # the start by total distance is best; from another one step leads there
            self._one()
            return
        while quiet < n and self.n_iter < max_iter:
            state = self.rows, self.nearest, self.second, self.to_nearest, self.to_second
            position, quiet, swaps, loss = _core.swap_medoids(
                self.distances, self.weights, *state, eager, position, quiet
            )
            self.n_iter += 1
            self.n_swaps += swaps
            report("swap", learner="KMedoids", iteration=self.n_iter, total=max_iter, objective=loss, swaps=swaps)
        self.converged = quiet >= n
        self.assign()  # ties as new rows will find them

    def alternate(self, *, max_iter: int) -> None:
        """Take the best row of each cluster as its medoid, assign rows anew, and so on while that pays."""
        loss = self.loss
        while self.n_iter < max_iter:
            before = self.rows.copy()
            for c in range(len(self.rows)):
                # A medoid of another cluster may lie in this one: at distance 0, or with missing cells.
                free = np.isin(np.arange(len(self.nearest)), np.delete(self.rows, c), invert=True)
                members = np.flatnonzero((self.nearest == c) & free)
                if len(members):
                    w = None if self.weights is None else self.weights[members]
                    own = self.distances[np.ix_(members, members)]
                    self.rows[c] = members[int((own.sum(axis=0) if w is None else w @ own).argmin())]
            self.assign()
            self.n_iter += 1
            self.n_swaps += int(np.count_nonzero(before != self.rows))
            report("alternate", learner="KMedoids", iteration=self.n_iter, total=max_iter, objective=self.loss)
            if not self.loss < loss:
                if self.loss > loss:  # rounding
                    self.rows = before
                    self.assign()
                return
            loss = self.loss
        self.converged = False

    def _one(self) -> None:
        best = build(self.distances, self.weights, 1)
        self.n_iter, self.n_swaps = 1, int(best[0] != self.rows[0])
        self.rows = best
        self.assign()


def build(distances: Array, weights: Array | None, k: int) -> Array:
    """The greedy start of PAM: always the row that lowers the loss most."""
    rows = np.empty(k, np.int64)
    _core.build_medoids(distances, weights, rows)
    return rows


def spread_rows(distances: Array, weights: Array | None, k: int, rng: np.random.Generator) -> Array:
    """Rows drawn in turn with chances ∝ weight · distance to the nearest one drawn before."""
    n = len(distances)
    nearest, rows = np.ones(n), np.empty(k, np.int64)
    taken = np.zeros(n, bool)
    for i in range(k):
        share = nearest if weights is None else nearest * weights
        total = float(share.sum())
        if total > 0:
            found = np.empty(1, np.int64)
            _core.weighted_pick(nearest, weights, rng.random(1) * total, found)
            rows[i] = found[0]
        else:  # every row lies on one drawn before
            rows[i] = np.flatnonzero(~taken)[0]
        taken[rows[i]] = True
        own = distances[rows[i]]
        nearest = own.copy() if i == 0 else np.minimum(nearest, own)
        nearest[taken] = 0.0  # also where a row with missing cells is not at distance 0 from itself
    return rows


def random_rows(n: int, weights: Array | None, k: int, rng: np.random.Generator) -> Array:
    """Different rows by chance, ∝ weight."""
    p = None if weights is None else weights / weights.sum()
    return rng.choice(n, k, replace=False, p=p).astype(np.int64)
