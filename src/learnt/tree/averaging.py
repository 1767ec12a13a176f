"""Answers averaged along the way to a leaf, by how likely the training rows are under trees cut there.

Every node t has a marginal likelihood L_t of the targets that reached it: of classes with a Dirichlet prior α, of
numbers with a Gaussian whose mean and variance have the conjugate prior. Two averages are exact and need one pass up
and one down the tree:

- "prunings": over all trees that cutting can make of this one, each test being kept with probability ½ beforehand
  (Buntine; Willems, Shtarkov and Tjalkens). W_t is the likelihood of what is below t, averaged over its prunings:

      W_t = L_t in leaves, else ½·L_t + ½·Π_{children c} W_c        P(cut at t | not above) = ½·L_t / W_t

- "path": over the trees that are cut at one node of the row's way and whole elsewhere (Oliver and Hand):

      weight of t ∝ L_t / Π_{leaves l below t} L_l
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.learner.parameters import Domain, OneOf
from learnt.tree.arrays import TreeArrays
from learnt.tree.smoothing import Smoothing

AVERAGE: Domain = OneOf(None, "path", "prunings")
AVERAGE_WORDS = 'answers averaged along the way to the leaf: "path", or "prunings", over all prunings of the tree'

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
    levels = _levels(tree)
    parents = tree.parents()
    below = np.zeros(tree.node_count)  # of children, added: ln Π W_c, or ln Π of the leaves below them
    total = log_likelihood.copy()
    for nodes in reversed(levels):
        inner = nodes[~tree.is_leaf[nodes]]
        if average == "prunings":
            total[inner] = np.logaddexp(log_likelihood[inner], below[inner]) - np.log(2)
        else:
            total[inner] = below[inner]
        above = parents[nodes]
        np.add.at(below, above[above >= 0], total[nodes[above >= 0]])
    return (_by_prunings if average == "prunings" else _by_path)(tree, answers, log_likelihood - total, levels, parents)


def _by_prunings(tree: TreeArrays, answers: Array, log_ratio: Array, levels: list[Array], parents: Array) -> Array:
    """`log_ratio` is ln(L_t / W_t)."""
    cut = np.where(tree.is_leaf, 1.0, np.minimum(np.exp(np.minimum(log_ratio, 1.0)) / 2, 1.0))
    left = np.ones(tree.node_count)  # the probability that there is no cut above
    told = np.zeros_like(answers)  # what the cuts above answer, each by its probability
    for nodes in levels[1:]:
        above = parents[nodes]
        told[nodes] = told[above] + (left[above] * cut[above])[:, None] * answers[above]
        left[nodes] = left[above] * (1 - cut[above])
    found: Array = told + left[:, None] * answers
    return found


def _by_path(tree: TreeArrays, answers: Array, log_ratio: Array, levels: list[Array], parents: Array) -> Array:
    """`log_ratio` is ln(L_t / Π L_l)."""
    found, total = answers.copy(), log_ratio.copy()
    for nodes in levels[1:]:
        above = parents[nodes]
        total[nodes] = np.logaddexp(total[above], log_ratio[nodes])
        share = np.exp(log_ratio[nodes] - total[nodes])[:, None]
        found[nodes] = (1 - share) * found[above] + share * answers[nodes]
    return found


def _levels(tree: TreeArrays) -> list[Any]:
    """The nodes of each depth, from the root down."""
    depths = tree.depths()
    order = np.argsort(depths, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depths))[:-1])
