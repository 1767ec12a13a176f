"""k-means in the space of a kernel, from kernel values alone.

|φ(x) − μ_c|² = k(x, x) − 2/W_c Σ_{i∈c} w_i k(x, x_i) + 1/W_c² Σ_{i,j∈c} w_i w_j k(x_i, x_j)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.kernel.functions import Kernel
from learnt.kernel.space import add_sums

#: Up to so many rows the kernel of every pair is kept (300 MB); beyond, it is computed anew in every round.
KEPT_PAIRS = 6_000


@dataclass(frozen=True, eq=False)
class SpaceRows:
    """Rows that differ, with their weights: as numbers and a kernel, or as the kernel of every pair."""

    kernel: Kernel | None
    x: Any
    gram: Array | None
    diagonal: Array
    weights: Array

    @classmethod
    def of(cls, kernel: Kernel | None, x: Any, weights: Array, most_pairs: int, owner: str) -> SpaceRows:
        """`x` are kernel values where there is no kernel."""
        n = x.shape[0]
        if kernel is None:
            given = np.ascontiguousarray(x, dtype=np.float64)
            return cls(None, None, given, np.diagonal(given).copy(), weights)
        fast = kernel.is_plain and isinstance(x, np.ndarray)
        if n > most_pairs and not fast:
            raise InputError(
                f"{owner} needs the kernel {kernel} of every pair of rows and was given {n} different ones. "
                f"Expected at most {most_pairs}. Use a kernel by its name on dense rows, or a sample."
            )
        gram = np.ascontiguousarray(kernel(x)) if n <= KEPT_PAIRS or not fast else None
        diagonal = kernel.diagonal(x) if gram is None else np.diagonal(gram).copy()
        if not np.isfinite(diagonal).all() or (gram is not None and not np.isfinite(gram).all()):
            raise InputError("Products of rows overflow in this kernel. Use standardize=True or a smaller gamma.")
        return cls(kernel, x, gram, diagonal, weights)

    @property
    def n_rows(self) -> int:
        return len(self.weights)

    def values(self, row: int) -> Array:
        """k of one row with all."""
        if self.gram is not None:
            return np.asarray(self.gram[row])
        assert self.kernel is not None
        found: Array = self.kernel(self.x[row : row + 1], self.x)[0]
        return found

    def times(self, columns: Array) -> Array:
        """K · columns."""
        if self.gram is not None:
            return np.asarray(self.gram @ columns)
        assert self.kernel is not None
        sums = np.zeros((self.n_rows, columns.shape[1]))
        add_sums(self.kernel, self.x, self.x, np.ascontiguousarray(columns), sums)
        return sums

    def sums(self, labels: Array, k: int) -> Array:
        """Σ_{j∈c} w_j k(row, row j): rows × clusters."""
        if self.gram is None:
            return self.times(memberships(labels, self.weights, k))
        found = np.zeros((self.n_rows, k))
        _core.add_label_sums(self.gram, labels, self.weights, found)
        return found


def memberships(labels: Array, weights: Array, k: int) -> Array:
    """rows × clusters: the weight of a row in its own cluster, 0 in others."""
    found = np.zeros((len(labels), k))
    found[np.arange(len(labels)), labels] = weights
    return found


@dataclass(frozen=True, eq=False)
class MeansInSpace:
    """Where the rounds ended. The means are those of the rows that `members` names; `labels` go to the nearest."""

    members: Array
    labels: Array
    squares: Array  # |μ_c|²; infinite for a cluster without rows
    distances: Array  # squared, rows × clusters
    inertia: float
    n_iter: int
    converged: bool

    def nearest_rows(self) -> Array:
        """The row nearest to each mean, each once."""
        there = np.flatnonzero(np.isfinite(self.squares))
        return np.unique(self.distances[:, there].argmin(axis=0))


def _distances(rows: SpaceRows, labels: Array, k: int) -> tuple[Array, Array]:
    """Squared distances from the means of these clusters, and the squared lengths of the means."""
    sums, weight = rows.sums(labels, k), np.bincount(labels, rows.weights, k)
    there = weight > 0
    size = np.where(there, weight, 1.0)
    means = sums / size
    # By shares of the cluster: weights of 1e-300 have no squares.
    own = np.bincount(labels, rows.weights / size[labels] * means[np.arange(len(labels)), labels], k)
    squares = np.where(there, own, np.inf)
    found = rows.diagonal[:, None] - 2 * means + squares
    return np.maximum(found, 0.0), squares


def _filled(labels: Array, away: Array, k: int) -> Array:
    """Clusters without rows get the row that is farthest from its own mean, unless all sit on theirs."""
    counts = np.bincount(labels, minlength=k)
    if counts.all():
        return labels
    labels, own = labels.copy(), away[np.arange(len(labels)), labels]
    for c in np.flatnonzero(counts == 0):
        free = np.where(counts[labels] > 1, own, -1.0)
        farthest = int(free.argmax())
        if free[farthest] <= 0:
            break
        counts[labels[farthest]] -= 1
        labels[farthest], own[farthest], counts[c] = c, 0.0, 1
    return labels


def lloyd_in_space(rows: SpaceRows, away: Array, max_iter: int) -> MeansInSpace:
    """Rounds from the squared distances of all rows from the starts, until no row changes its cluster."""
    k = away.shape[1]
    members = _filled(away.argmin(axis=1).astype(np.int32), away, k)
    for step in range(1, max_iter + 1):
        away, squares = _distances(rows, members, k)
        labels = away.argmin(axis=1).astype(np.int32)
        converged = bool(np.array_equal(labels, members))
        if converged or step == max_iter:
            break
        members = _filled(labels, away, k)
    inertia = float(rows.weights @ away[np.arange(len(labels)), labels])
    return MeansInSpace(members, labels, squares, away, inertia, step, converged)


def distances_from_rows(rows: SpaceRows, starts: Array) -> Array:
    """Squared distances of all rows from some of them."""
    columns = [rows.diagonal - 2 * rows.values(int(i)) + rows.diagonal[i] for i in starts]
    return np.asarray(np.maximum(np.column_stack(columns), 0.0))


def any_rows(rows: SpaceRows, k: int, rng: np.random.Generator) -> Array:
    """k different rows, drawn one after another with probability ∝ weight."""
    order: Array = np.argsort(rng.exponential(size=rows.n_rows) / rows.weights, kind="stable")
    return order[:k] if len(order) >= k else np.resize(order, k)


def spread_rows(rows: SpaceRows, k: int, rng: np.random.Generator) -> Array:
    """k-means++: each next row is drawn ∝ w·d², d the distance to the nearest so far; the best of 2 + ⌊ln k⌋ draws."""
    trials = 2 + int(math.log(k))
    starts = [int(_drawn(rows.weights, 1, rng)[0])]
    nearest = distances_from_rows(rows, np.array(starts))[:, 0]
    for _ in range(1, k):
        share = rows.weights * nearest
        drawn = np.unique(_drawn(share if share.sum() > 0 else rows.weights, trials, rng))
        lowered = np.minimum(distances_from_rows(rows, drawn), nearest[:, None])
        best = int((rows.weights @ lowered).argmin())
        starts.append(int(drawn[best]))
        nearest = lowered[:, best]
    return np.array(starts)


def _drawn(share: Array, count: int, rng: np.random.Generator) -> Array:
    """Places drawn with probability ∝ share."""
    ends = np.cumsum(share)
    return np.asarray(np.minimum(np.searchsorted(ends, rng.random(count) * ends[-1], side="right"), len(share) - 1))


def means_of(kernel: Kernel, x: Any, weights: Array, k: int, seed: int, max_iter: int = 100) -> MeansInSpace:
    """The means of k clusters of rows that differ, from one start."""
    rows = SpaceRows.of(kernel, x, weights, len(weights), "")
    starts = spread_rows(rows, k, np.random.default_rng(seed))
    return lloyd_in_space(rows, distances_from_rows(rows, starts), max_iter)
