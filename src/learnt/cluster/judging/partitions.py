"""Two ways of grouping the same rows compared: tables of counts, and how far they agree beyond chance.

Groups are codes from 0; a table has a row per group of the first way and a column per group of the second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array


@dataclass(frozen=True)
class SharedCounts:
    """How many rows each group of one way shares with each of the other, only the pairs that share any."""

    first: Array  # the group of the first way, of each such pair
    second: Array
    counts: Array  # rows of the pair
    sizes: Array  # rows of the groups of the first way
    others: Array

    @property
    def total(self) -> int:
        return int(self.sizes.sum())

    @property
    def same(self) -> bool:
        """Whether both put the rows into the same groups, whatever these are called."""
        shared = len(self.counts)
        return bool(shared == np.count_nonzero(self.sizes) == np.count_nonzero(self.others))


def shared_counts(a: Array, b: Array) -> SharedCounts:
    """The pairs of groups of two codings of the same rows."""
    width = int(b.max(initial=0)) + 1
    cells, counts = np.unique(a.astype(np.int64) * width + b, return_counts=True)
    return SharedCounts(cells // width, cells % width, counts, np.bincount(a), np.bincount(b))


def _pairs(counts: Array) -> int:
    # As whole numbers: with 10⁸ rows the products have more digits than a float.
    return sum(int(c) * (int(c) - 1) // 2 for c in counts.tolist())


def rand_index(t: SharedCounts) -> float:
    """The share of pairs of rows that both put together or both put apart."""
    all_pairs = t.total * (t.total - 1) // 2
    if all_pairs == 0:
        return 1.0
    return (all_pairs + 2 * _pairs(t.counts) - _pairs(t.sizes) - _pairs(t.others)) / all_pairs


def adjusted_rand_index(t: SharedCounts) -> float:
    """The Rand index moved and stretched: 0 as by chance, 1 for the same groups (Hubert and Arabie, 1985)."""
    together, of_a, of_b = _pairs(t.counts), _pairs(t.sizes), _pairs(t.others)
    all_pairs = t.total * (t.total - 1) // 2
    above, below = 2 * (together * all_pairs - of_a * of_b), (of_a + of_b) * all_pairs - 2 * of_a * of_b
    return 1.0 if t.same or below == 0 else above / below


def fowlkes_mallows(t: SharedCounts) -> float:
    """Pairs together in both, over the geometric mean of the pairs together in each."""
    together, of_a, of_b = _pairs(t.counts), _pairs(t.sizes), _pairs(t.others)
    return math.sqrt(together / of_a) * math.sqrt(together / of_b) if together else 0.0


def purity(t: SharedCounts) -> float:
    """The share of rows that are of the most frequent second group within their first group."""
    most = np.zeros(len(t.sizes), np.int64)
    np.maximum.at(most, t.first, t.counts)
    return int(most.sum()) / t.total


def entropy(sizes: Array) -> float:
    """In nats, of the shares that sizes are of their sum."""
    there = sizes[sizes > 0].astype(np.float64)
    if len(there) < 2:
        return 0.0
    return float(-(there / there.sum()) @ np.log(there / there.sum()))


def mutual_information(t: SharedCounts) -> float:
    """In nats: what one way of grouping says about the other."""
    n = float(t.total)
    share = t.counts / n
    expected = np.log(t.sizes[t.first] / n) + np.log(t.others[t.second] / n)
    return max(0.0, float(share @ (np.log(share) - expected)))


def expected_information(t: SharedCounts) -> float:
    """The mean mutual information of groups of these sizes put together by chance (Vinh et al., 2010)."""
    from scipy.special import gammaln

    n = t.total
    total = 0.0
    sizes, ways = np.unique(t.sizes[t.sizes > 0], return_counts=True)
    others, other_ways = np.unique(t.others[t.others > 0], return_counts=True)
    logs = gammaln(np.arange(n + 2))  # log (k − 1)!
    for a, many in zip(sizes.tolist(), ways.tolist(), strict=True):
        for b, more in zip(others.tolist(), other_ways.tolist(), strict=True):
            shared = np.arange(max(1, a + b - n), min(a, b) + 1)
            # The chance of so many shared rows: hypergeometric.
            chance = np.exp(
                logs[a + 1]
                + logs[b + 1]
                + logs[n - a + 1]
                + logs[n - b + 1]
                - logs[n + 1]
                - logs[shared + 1]
                - logs[a - shared + 1]
                - logs[b - shared + 1]
                - logs[n - a - b + shared + 1]
            )
            parts = shared / n * (np.log(n * shared.astype(np.float64)) - math.log(a) - math.log(b))
            total += many * more * float(chance @ parts)
    return total


def averaged_entropy(a: float, b: float, method: str) -> float:
    """The mean of two entropies: "arithmetic", "geometric", "min" or "max"."""
    return {"arithmetic": (a + b) / 2, "geometric": math.sqrt(a * b), "min": min(a, b), "max": max(a, b)}[method]


def normalized_information(t: SharedCounts, method: str = "arithmetic") -> float:
    """Mutual information as a share of the mean entropy: from 0 to 1."""
    if np.count_nonzero(t.sizes) == np.count_nonzero(t.others) <= 1:
        return 1.0
    information = mutual_information(t)
    return information / averaged_entropy(entropy(t.sizes), entropy(t.others), method) if information > 0 else 0.0


def adjusted_information(t: SharedCounts, method: str = "arithmetic") -> float:
    """Mutual information beyond chance, as a share of what there is: 0 as by chance, 1 for the same groups."""
    if t.same:
        return 1.0
    if min(np.count_nonzero(t.sizes), np.count_nonzero(t.others)) <= 1:
        return 0.0
    by_chance = expected_information(t)
    below = averaged_entropy(entropy(t.sizes), entropy(t.others), method) - by_chance
    least = float(np.finfo(np.float64).eps)  # where groups are so small that chance alone explains all of it
    return (mutual_information(t) - by_chance) / (min(below, -least) if below < 0 else max(below, least))


def homogeneity_completeness(classes_by_clusters: SharedCounts) -> tuple[float, float]:
    """Whether clusters hold one class each, and whether classes lie in one cluster each; classes come first."""
    t = classes_by_clusters
    of_classes, of_clusters, information = entropy(t.sizes), entropy(t.others), mutual_information(t)
    return (
        information / of_classes if of_classes > 0 else 1.0,
        information / of_clusters if of_clusters > 0 else 1.0,
    )


def v_measure(homogeneity: float, completeness: float, beta: float = 1.0) -> float:
    """The harmonic mean, in which `beta` above 1 makes completeness count more."""
    below = beta * homogeneity + completeness
    return (1 + beta) * homogeneity * completeness / below if below > 0 else 0.0
