"""Reduced-error pruning: a subtree stays only if rows it was not grown from say that it helps."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.tree.arrays import TreeArrays
from learnt.tree.pruned import Cut, Pruned
from learnt.tree.routing import Router

Array = np.ndarray[Any, Any]


def prune_reduced_error(tree: TreeArrays, table: Table, codes: Array, weights: Array | None = None) -> Pruned:
    """Prune from the leaves up: a node becomes a leaf if that makes no more errors on these rows.

    The rows, with their class codes and weights, should be ones the tree has not seen. Leaves keep the
    class weights of the rows they were grown from.
    """
    router = Router(tree, table)
    sent = router.send(0, np.arange(table.n_rows), np.ones(table.n_rows) if weights is None else weights)
    n, k = tree.value.shape
    counts = np.bincount(sent.leaf * k + codes[sent.row], sent.weight, n * k).reshape(n, k)
    sizes, parents = tree.sizes(), tree.parents()
    label = tree.value.argmax(axis=1)
    errors = np.zeros(n)  # of the subtree, pruned as far as it is done
    cuts = []
    for i in range(n - 1, -1, -1):  # in pre-order children come behind their parents
        as_leaf = counts[i].sum() - counts[i, label[i]]
        if tree.is_leaf[i]:
            errors[i] = as_leaf
        elif as_leaf <= errors[i] + 1e-6:
            why = "a leaf makes no more errors on rows held out"
            cuts.append(Cut(i, int(sizes[i]), why, float(errors[i]), float(as_leaf)))
            errors[i] = as_leaf
        if i:
            counts[parents[i]] += counts[i]
            errors[parents[i]] += errors[i]
    return Pruned(tree.collapsed([cut.node for cut in cuts]), tuple(cuts))


def hold_out(codes: Array, parts: int) -> Array:
    """Which rows to keep for pruning, as booleans: every `parts`-th of the rows grouped by class.

    The rows are grouped as J48 does it: a row of the wanted class changes places with the first one behind
    the group, so that classes after the first come in an order of their own.
    """
    order = np.arange(len(codes))
    first = 0
    while first < len(order):
        for j in first + np.flatnonzero(codes[order[first:]] == codes[order[first]]):
            order[first], order[j] = order[j], order[first]
            first += 1
    held = np.zeros(len(codes), dtype=bool)
    held[order[parts - 1 :: parts]] = True
    return held
