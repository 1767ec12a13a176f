"""Chi² pre-pruning: stop where a split could just as well be due to chance."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Literal

import numpy as np

from learnt.tree.arrays import TreeArrays
from learnt.tree.prune.pruned import Cut, Pruned

Array = np.ndarray[Any, Any]
Correction = Literal["none", "yates", "exact"]

_MOST_TABLES = 20_000  # that an exact test goes through; with more, the rows are many enough for chi² itself


def independence_p(counts: Any, correction: Correction = "none") -> float:
    """The probability that branches which do not depend on the class look at least as dependent as these.

    `counts` holds the weight of each class (columns) in each branch (rows). Chi² adds (O − E)²/E over the
    cells, with (branches − 1)·(classes − 1) degrees of freedom. `"yates"` moves every O by ½ towards its E
    (at most onto it) in 2 × 2 tables. `"exact"` adds the probabilities of all tables with the same margins
    that are no more probable than this one (Fisher, Freeman and Halton); weights are rounded for it, and
    tables too large for it are left to chi².

    >>> round(independence_p([[8, 2], [1, 5]]), 3), round(independence_p([[8, 2], [1, 5]], "exact"), 3)
    (0.013, 0.035)
    """
    table = np.asarray(counts, dtype=np.float64)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape, default=0) < 2:
        return 1.0
    if correction == "exact":
        p = _exact_p(np.rint(table).astype(int))
        if p is not None:
            return p
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    gap = np.abs(table - expected)
    if correction == "yates" and table.shape == (2, 2):
        gap -= np.minimum(0.5, gap)
    return _chi2_tail(float(np.sum(gap**2 / expected)), (table.shape[0] - 1) * (table.shape[1] - 1))


def stop_by_chi2(tree: TreeArrays, alpha: float, correction: Correction = "none") -> Pruned:
    """The tree that growing would have left, had it stopped wherever the best split has p > `alpha`.

    A split is chosen without regard to what follows, so looking at the grown tree from the root down
    gives the same tree.
    """
    cuts, sizes = [], tree.sizes()
    i = 0
    while i < tree.node_count:
        if not tree.is_leaf[i]:
            children = tree.children_of(i)
            p = independence_p(np.where(tree.weight[children, None] > 0, tree.value[children], 0.0), correction)
            if p > alpha:
                cuts.append(Cut(i, int(sizes[i]), "the split may be chance: p-value", float(alpha), p))
                i += int(sizes[i])
                continue
        i += 1
    return Pruned(tree.collapsed([cut.node for cut in cuts]), tuple(cuts))


def _chi2_tail(statistic: float, freedom: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(freedom, statistic))


def _exact_p(table: Array) -> float | None:
    """Σ P(T) over tables T of these margins with P(T) ≤ P(table); None if there are too many of them.

    Branch after branch takes its rows from what is left of each class: P(T) = Π_branches Π_classes
    C(left, taken) / C(all left, all taken). Tables that leave the same behind share their futures.
    """
    if table.shape[1] > table.shape[0]:
        table = table.T
    sizes, classes = table.sum(axis=1).tolist(), tuple(table.sum(axis=0).tolist())
    if _count_tables(sizes, classes) > _MOST_TABLES:
        return None
    seen = math.fsum(_log_choices(left, row) for left, row in _steps(table))
    limit = seen + 1e-7  # tables as probable as this one, but for rounding

    @cache
    def futures(branch: int, left: tuple[int, ...]) -> tuple[float, ...]:
        if branch == len(sizes) - 1:
            return (0.0,)
        return tuple(
            _log_choices(left, row) + later
            for row in _fills(sizes[branch], left)
            for later in futures(branch + 1, tuple(a - b for a, b in zip(left, row, strict=True)))
        )

    return min(1.0, math.fsum(math.exp(p) for p in futures(0, classes) if p <= limit))


def _steps(table: Array) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    left = table.sum(axis=0) - np.vstack([np.zeros((1, table.shape[1]), int), np.cumsum(table, axis=0)])[:-1]
    return [(tuple(a), tuple(b)) for a, b in zip(left.tolist()[:-1], table.tolist()[:-1], strict=True)]


def _log_choices(left: tuple[int, ...], row: tuple[int, ...]) -> float:
    ways = math.fsum(_log_binomial(a, b) for a, b in zip(left, row, strict=True))
    return ways - _log_binomial(sum(left), sum(row))


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _fills(size: int, left: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All ways to take `size` rows from what is left of the classes."""
    if len(left) == 1:
        return [(size,)] if size <= left[0] else []
    rest = sum(left[1:])
    return [
        (taken, *more)
        for taken in range(max(0, size - rest), min(size, left[0]) + 1)
        for more in _fills(size - taken, left[1:])
    ]


def _count_tables(sizes: list[int], classes: tuple[int, ...]) -> float:
    """No fewer than there are: each branch alone, without regard to what others took."""
    count = 1.0
    for size in sizes[:-1]:
        for amount in sorted(classes)[:-1]:
            count *= min(size, amount) + 1
    return count
