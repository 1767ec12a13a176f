"""How often rows come together over many clusterings, without a matrix of all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.cluster.hierarchy.linking import link_square
from learnt.data.table import Array

#: Of more than so many kinds of rows, the heaviest make the clusters.
_MOST = 3000


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows that all runs treat alike, as one each: their clusters in each run, and how many rows they are."""

    labels: Array  # runs × kinds
    counts: Array
    of_row: Array

    @classmethod
    def of(cls, runs: Array) -> Kinds:
        labels, of_row, counts = np.unique(runs, axis=1, return_inverse=True, return_counts=True)
        return cls(labels, counts, of_row.reshape(-1))

    def together(self, some: Array, others: Array) -> Array:
        """The share of runs in which kinds are in one cluster."""
        found = np.zeros((len(some), len(others)))
        for run in self.labels:
            found += (run[some][:, None] == run[others][None, :]) & (run[some] >= 0)[:, None]
        return found / len(self.labels)

    def clusters(self, k: int) -> Array:
        """The cluster of each kind: average linkage of the heaviest, the others with those they are most often with."""
        m = len(self.counts)
        heavy = np.sort(np.argsort(-self.counts, kind="stable")[:_MOST])
        near = self.together(heavy, heavy)
        apart = 1 - near
        np.fill_diagonal(apart, 0.0)
        own: Array = link_square(apart, "average", self.counts[heavy].astype(np.float64)).cut(k)
        if m == len(heavy):
            return own
        found = np.empty(m, own.dtype)
        weight = self.counts[heavy] * (own[:, None] == np.arange(own.max() + 1)).T
        for first in range(0, m, _MOST):
            some = np.arange(first, min(m, first + _MOST))
            found[some] = (self.together(some, heavy) @ (weight / weight.sum(axis=1, keepdims=True)).T).argmax(axis=1)
        found[heavy] = own
        return found

    def stability(self, clusters: Array) -> Array:
        """Of each kind, the mean share of runs in which its rows are with the other rows of their cluster."""
        found = np.ones(len(clusters))
        for c in np.unique(clusters):
            members = np.flatnonzero(clusters == c)
            rows = self.counts[members].astype(np.float64)
            if rows.sum() < 2:
                continue
            total = np.zeros(len(members))
            for run in self.labels[:, members]:
                there = run >= 0
                sizes = np.bincount(run[there], rows[there], int(run.max(initial=0)) + 1)
                total += np.where(there, sizes[np.maximum(run, 0)] - 1, 0.0)
            found[members] = total / (len(self.labels) * (rows.sum() - 1))
        return found
