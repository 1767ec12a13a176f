"""Cost complexity: the nested sequence of smaller trees that trade impurity for leaves, and the choice among them.

With R(t) the impurity of node t times its share of the training weight, and R(T_t) the sum of that over the
leaves below it, turning t into a leaf costs per leaf saved

    α(t) = (R(t) − R(T_t)) / (|leaves of T_t| − 1)

The weakest link is the node where that is least. Cutting it, again and again, gives the trees that minimise
R(T) + α·|leaves of T| for each α.

Reference: L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984, chapter 3.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.tree.arrays import TreeArrays
from learnt.tree.prune.pruned import Cut, Pruned
from learnt.tree.reach import pass_nodes, sent_rows
from learnt.watch import report, watching

Array = np.ndarray[Any, Any]

FOLDS = 10


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The trees of the sequence, the whole one first: `ccp_alphas` from which each is the best one, its `impurities`
    (of the leaves, by weight), and `nodes`, the node cut to get there (−1 for the first)."""

    ccp_alphas: Array
    impurities: Array
    nodes: Array


def cost_complexity_path(tree: TreeArrays) -> PruningPath:
    """The sequence of weakest links, down to the root alone; one cut an entry, as scikit-learn lists them."""
    chain = _Chain(tree)
    alphas, impurities, nodes = [0.0], [chain.below[0]], [-1]
    while (found := chain.weakest()) is not None:
        alpha, node = found
        chain.cut(node)
        alphas.append(alpha)
        impurities.append(chain.below[0])
        nodes.append(node)
    return PruningPath(np.array(alphas), np.array(impurities), np.array(nodes, dtype=np.int64))


def prune_cost_complexity(tree: TreeArrays, ccp_alpha: float) -> Pruned:
    """Cut weakest links as long as a saved leaf costs at most `ccp_alpha`."""
    chain, sizes = _Chain(tree), tree.sizes()
    why = f"a leaf saved costs at most {ccp_alpha:.4g}"
    cuts: list[Cut] = []
    while (found := chain.weakest()) is not None and found[0] <= ccp_alpha:
        node = found[1]
        cuts.append(Cut(node, int(sizes[node]), why, float(chain.below[node]), float(chain.own[node])))
        chain.cut(node)
    return Pruned(tree.collapsed(cut.node for cut in cuts), tuple(cuts))


class _Chain:
    """The weakest link of a shrinking tree, found in O(depth · log n) a cut."""

    def __init__(self, tree: TreeArrays):
        n = tree.node_count
        own = tree.weight * tree.impurity / max(float(tree.weight[0]), np.finfo(float).tiny)
        ends = np.arange(n) + tree.sizes()
        leaf_costs = np.append(0.0, np.cumsum(np.where(tree.is_leaf, own, 0.0)))
        leaf_counts = np.append(0, np.cumsum(tree.is_leaf))
        self.own: list[float] = own.tolist()
        self.below: list[float] = (leaf_costs[ends] - leaf_costs[:-1]).tolist()
        self.leaves: list[int] = (leaf_counts[ends] - leaf_counts[:-1]).tolist()
        self.parents: list[int] = tree.parents().tolist()
        self.gone = tree.is_leaf.copy()  # nodes with nothing left to cut below them
        self.ends = ends
        self.stamp = [0] * n  # how often a node's figures changed: older entries of the queue are void
        self.queue = [(self._alpha(i), i, 0) for i in np.flatnonzero(~tree.is_leaf).tolist()]
        heapq.heapify(self.queue)

    def _alpha(self, i: int) -> float:
        return (self.own[i] - self.below[i]) / (self.leaves[i] - 1)

    def weakest(self) -> tuple[float, int] | None:
        """The cost per leaf saved and the node, of equal ones the first in pre-order; None when no test is left."""
        while self.queue:
            alpha, node, stamp = self.queue[0]
            if not self.gone[node] and stamp == self.stamp[node]:
                return alpha, node
            heapq.heappop(self.queue)
        return None

    def cut(self, node: int) -> None:
        self.gone[node : self.ends[node]] = True
        cost, leaves = self.own[node] - self.below[node], 1 - self.leaves[node]
        i = node
        while i >= 0:
            self.below[i] += cost
            self.leaves[i] += leaves
            if i != node:
                self.stamp[i] += 1
                heapq.heappush(self.queue, (self._alpha(i), i, self.stamp[i]))
            i = self.parents[i]


Grow = Callable[[Table, Array, Array | None], TreeArrays]
Loss = Callable[[TreeArrays, Array, Array], Array]


def chosen_alpha(
    path: PruningPath,
    rows: tuple[Table, Array, Array | None],
    grow: Grow,
    loss: Loss,
    rng: np.random.Generator,
    *,
    one_standard_error: bool = False,
    learner: str = "",
) -> float:
    """The `ccp_alpha` that does best on rows the trees were not grown from, by ten-fold cross-validation.

    `path` is that of the tree grown from all rows; the geometric mean of two neighbouring alphas stands for the
    first. `loss(tree, nodes, targets)` is what it costs that rows of these targets end at these nodes. With
    `one_standard_error`, the largest alpha within one standard error (over the folds) of the best. `learner` is the
    name that is reported to whoever watches.
    """
    table, target, weights = rows
    alphas = np.unique(np.maximum(path.ccp_alphas, 0.0))
    tried = np.append(np.sqrt(alphas[:-1]) * np.sqrt(alphas[1:]), alphas[-1])
    folds = rng.permutation(table.n_rows) % min(FOLDS, table.n_rows)
    n_folds = int(folds.max()) + 1
    if n_folds < 2 or len(tried) < 2:
        return float(tried[-1])
    found, mass = np.empty((n_folds, len(tried))), np.empty(n_folds)
    for fold in range(n_folds):
        train, test = folds != fold, folds == fold
        part = grow(table.take(train), target[train], None if weights is None else weights[train])
        w = np.ones(int(test.sum())) if weights is None else weights[test]
        found[fold], mass[fold] = _held_out(part, table.take(test), target[test], w, tried, loss), w.sum()
        if watching():
            report("fold", learner=learner, iteration=fold + 1, total=n_folds, objective=float(found[fold].min()))
    mean = found.sum(axis=0) / mass.sum()
    best = mean.min()
    if one_standard_error:
        each = found[:, int(mean.argmin())] / mass
        unit = math.ldexp(1.0, math.frexp(float(np.abs(each).max()))[1] - 1)  # a power of two changes no digit
        best += unit * (each / unit).std(ddof=1) / np.sqrt(n_folds)
    return float(tried[np.flatnonzero(mean <= best)[-1]])


def _held_out(tree: TreeArrays, table: Table, target: Array, weights: Array, tried: Array, loss: Loss) -> Array:
    """The loss of these rows in the tree pruned by each of the alphas tried, which rise."""
    first, last = _leaf_between(tree)
    way = pass_nodes(tree, sent_rows(tree, table))
    cost = way.weight * weights[way.row] * loss(tree, way.leaf, target[way.row])
    begin, end = (np.searchsorted(tried, bound, "left") for bound in (first, last))
    size = len(tried) + 1
    change = np.bincount(begin[way.leaf], cost, size) - np.bincount(np.maximum(begin, end)[way.leaf], cost, size)
    losses: Array = np.cumsum(change)[:-1]
    return losses


def _leaf_between(tree: TreeArrays) -> tuple[Array, Array]:
    """For each node the alpha from which it is a leaf, and the one from which it is cut off with a node above it."""
    path = cost_complexity_path(tree)
    first = np.where(tree.is_leaf, -np.inf, np.inf)
    first[path.nodes[1:]] = np.maximum.accumulate(path.ccp_alphas)[1:]
    last = np.full(tree.node_count, np.inf)
    for i, above in enumerate(tree.parents().tolist()):
        if above >= 0:
            last[i] = min(first[above], last[above])
    return first, last
