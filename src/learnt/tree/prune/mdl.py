"""Pruning by description length: a subtree stays if telling it, and the classes it leaves open, takes fewer bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.tree.arrays import TreeArrays
from learnt.tree.prune.pruned import Cut, Pruned

Array = np.ndarray[Any, Any]


def prune_mdl(tree: TreeArrays, schema: Schema) -> Pruned:
    """Prune from the leaves up: a node becomes a leaf if that takes no more bits.

        leaf:  1 + log₂ C(n + k − 1, k − 1) + log₂ (n! / Π_c n_c!)
        test:  1 + log₂ p + bits of the threshold or of the categories + bits of the branches

    One bit tells a leaf from a test. A leaf tells how many of its n rows have each of the k classes, and
    then which ones. A test tells which of p columns, and then one of the n − 1 places where n numbers can be
    cut, or which branch each category takes, unless each has one of its own.

    Reference: J. R. Quinlan and R. L. Rivest, Inferring decision trees using the minimum description
    length principle, 1989.
    """
    n = tree.node_count
    as_leaf = 1 + class_bits(np.where(tree.weight[:, None] > 0, tree.value, 0.0))
    sizes, parents = tree.sizes(), tree.parents()
    bits = np.where(tree.is_leaf, as_leaf, 0.0)
    cuts = []
    for i in range(n - 1, -1, -1):
        if not tree.is_leaf[i]:
            bits[i] += 1 + _test_bits(tree, i, schema)
            if as_leaf[i] <= bits[i]:
                cuts.append(Cut(i, int(sizes[i]), "a leaf takes fewer bits to tell", float(bits[i]), float(as_leaf[i])))
                bits[i] = as_leaf[i]
        if i:
            bits[parents[i]] += bits[i]
    return Pruned(tree.collapsed([cut.node for cut in cuts]), tuple(cuts))


def class_bits(counts: Array) -> Array:
    """The bits it takes to tell the class of every row, for rows of class weights."""
    from scipy.special import gammaln

    n, k = counts.sum(axis=1), counts.shape[1]
    how_many = gammaln(n + k) - gammaln(n + 1) - gammaln(k)
    which = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    bits: Array = (how_many + which) / np.log(2)
    return bits


def _test_bits(tree: TreeArrays, i: int, schema: Schema) -> float:
    bits = float(np.log2(len(schema)))
    if tree.route_start[i] < 0:
        known = tree.weight[i] - tree.missing_weight[i]
        return bits + float(np.log2(max(known - 1, 1.0)))
    routed = tree.routes_of(i, len(schema.columns[tree.feature[i]].categories))
    routed = routed[routed >= 0]
    sizes = np.bincount(routed)
    if (sizes <= 1).all():
        return bits
    return bits + (float(np.log2(len(routed))) if sizes.min() == 1 else float(len(routed) - 1))
