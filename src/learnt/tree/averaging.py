"""Answers averaged along the way to a leaf, by how likely the training rows are under trees cut there.

Every node t has a marginal likelihood L_t of the targets that reached it: of classes with a Dirichlet prior α, of
numbers with a Gaussian whose mean and variance have the conjugate prior. Two averages are exact, and need little more
than one pass down the tree:

- "prunings": over all trees that cutting can make of this one, each test being kept with probability ½ beforehand
  (Buntine; Willems, Shtarkov and Tjalkens). W_t is the likelihood of what is below t, averaged over its prunings:

      W_t = L_t in leaves, else ½·L_t + ½·Π_{children c} W_c        P(cut at t | not above) = ½·L_t / W_t

- "path": over the trees on the way from the root alone to the whole tree, one test after another, always the test that
  raises the likelihood most (Buntine):

      weight of a tree ∝ Π_{its leaves l} L_l        next test: the node t of largest Π_{children c} L_c / L_t
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.learner.parameters import Domain, OneOf
from learnt.tree.arrays import TreeArrays
from learnt.tree.smoothing import Smoothing

AVERAGE: Domain = OneOf(None, "path", "prunings")
AVERAGE_WORDS = 'answers averaged by likelihood, over the "path" of trees grown or over all "prunings" of the tree'

#: The prior of numbers: in rows, how much the mean of all counts for each node's mean and variance, and the part of
#: the variance of all that is expected within a node.
MEAN_ROWS, VARIANCE_ROWS, WITHIN = 0.1, 2.0, 0.1


def averaged_shares(tree: TreeArrays, smoothing: Smoothing, average: str) -> Array:
    """The averaged probability of each class at all nodes, as if a row ended there; nodes × classes.

    `smoothing` is the prior: m rows with the classes of the whole table, else one row of each class.
    """
    from scipy.special import gammaln

    counts = tree.value
    # Tests were chosen by the rows that then judge them. Half a row of each class, the usual prior of codes, left
    # probabilities of real tables too sure.
    alpha = np.ones(counts.shape[1])
    if smoothing and smoothing != "laplace":
        alpha = np.maximum(float(smoothing) * counts[0] / counts[0].sum(), 1e-9)
    met = np.where(tree.weight[:, None] > 0, counts, 0.0) + alpha
    log_likelihood = gammaln(met).sum(axis=1) - gammaln(met.sum(axis=1)) + gammaln(alpha.sum()) - gammaln(alpha).sum()
    posterior = counts + alpha
    return averaged(tree, posterior / posterior.sum(axis=1, keepdims=True), log_likelihood, average)


def averaged_numbers(tree: TreeArrays, average: str) -> Array:
    """The averaged prediction at all nodes, nodes × 1; impurities are variances."""
    from scipy.special import gammaln

    spread = float(tree.impurity[0])
    if not spread > 0:
        return tree.value
    center, scale = float(tree.value[0, 0]), np.sqrt(spread)
    n, mean, variance = tree.weight, (tree.value[:, 0] - center) / scale, tree.impurity / spread
    rows, half = n + MEAN_ROWS, (VARIANCE_ROWS + n) / 2
    rest = (VARIANCE_ROWS * WITHIN + n * variance + MEAN_ROWS * n / rows * mean**2) / 2
    log_likelihood = gammaln(half) - half * np.log(rest) - np.log(rows) / 2 - n / 2 * np.log(2 * np.pi)
    first, least = VARIANCE_ROWS / 2, VARIANCE_ROWS * WITHIN / 2
    log_likelihood += first * np.log(least) - gammaln(first) + np.log(MEAN_ROWS) / 2
    answers = averaged(tree, (n / rows * mean)[:, None], log_likelihood, average)
    found: Array = center + scale * answers
    return found


def averaged(tree: TreeArrays, answers: Array, log_likelihood: Array, average: str) -> Array:
    """The `answers` of all nodes (nodes × anything), averaged over the nodes above and the node itself."""
    levels, parents = _levels(tree), tree.parents()
    cut = (_cut_by_prunings if average == "prunings" else _cut_by_path)(tree, log_likelihood, levels, parents)
    left = np.ones(tree.node_count)  # the probability that there is no cut above
    told = np.zeros_like(answers)  # what the cuts above answer, each by its probability
    for nodes in levels[1:]:
        above = parents[nodes]
        told[nodes] = told[above] + (left[above] * cut[above])[:, None] * answers[above]
        left[nodes] = left[above] * (1 - cut[above])
    found: Array = told + left[:, None] * answers
    return found


def _cut_by_prunings(tree: TreeArrays, log_likelihood: Array, levels: list[Array], parents: Array) -> Array:
    """How probable it is that a pruning cuts at each node, if none above."""
    below = np.zeros(tree.node_count)  # of children, added: ln Π W_c
    total = log_likelihood.copy()
    for nodes in reversed(levels):
        inner = nodes[~tree.is_leaf[nodes]]
        total[inner] = np.logaddexp(log_likelihood[inner], below[inner]) - np.log(2)
        above = parents[nodes]
        np.add.at(below, above[above >= 0], total[nodes[above >= 0]])
    found: Array = np.where(tree.is_leaf, 1.0, np.minimum(np.exp(np.minimum(log_likelihood - total, 1.0)) / 2, 1.0))
    return found


def _cut_by_path(tree: TreeArrays, log_likelihood: Array, _: list[Array], parents: Array) -> Array:
    """How probable the trees are that end at each node, among those that reach it.

    A node is a leaf of the trees grown after its parent was asked and before it is asked itself.
    """
    inner = np.flatnonzero(~tree.is_leaf)
    below = np.bincount(parents[1:], weights=log_likelihood[1:], minlength=tree.node_count)
    gain = below - log_likelihood
    asked = np.full(tree.node_count, len(inner) + 1)  # after how many tests of others; leaves: never
    waiting = [(-gain[0], 0)] if len(inner) else []
    gains = np.zeros(len(inner) + 1)
    for step in range(len(inner)):
        _, i = heappop(waiting)
        asked[i], gains[step + 1] = step + 1, gain[i]
        for child in tree.children_of(i).tolist():
            if not tree.is_leaf[child]:
                heappush(waiting, (-gain[child], child))
    log_weight = np.cumsum(gains)
    # From the last tree back: the weight of all trees that have at least so many tests. Sums of the first would round
    # what is left for the last to nothing.
    rest = np.append(np.logaddexp.accumulate(log_weight[::-1])[::-1], -np.inf)
    born = np.append(0, asked[parents[1:]])
    found: Array = -np.expm1(np.minimum(rest[asked] - rest[born], 0.0))
    return found


def _levels(tree: TreeArrays) -> list[Any]:
    """The nodes of each depth, from the root down."""
    depths = tree.depths()
    order = np.argsort(depths, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depths))[:-1])
