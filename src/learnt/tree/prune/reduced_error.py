"""Reduced-error pruning: a subtree stays only if rows it was not grown from say that it helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.tree.arrays import TreeArrays
from learnt.tree.prune.pruned import Cut, Pruned
from learnt.tree.reach import sent_rows

Array = np.ndarray[Any, Any]


def prune_reduced_error(
    tree: TreeArrays,
    table: Table,
    target: Array,
    weights: Array | None = None,
    cost: Callable[[TreeArrays, Array, Array], Array] | None = None,
) -> Pruned:
    """Prune from the leaves up: a node becomes a leaf if that makes no more errors on these rows.

    The rows, with their class codes or numbers and weights, should be ones the tree has not seen. Leaves keep what
    the rows they were grown from say. `cost(tree, nodes, targets)` tells what it costs that a row of such a target
    ends at such a node; unless given, 1 where the heaviest class of the node is another.
    """
    sent = sent_rows(tree, table, weights)
    sizes, parents = tree.sizes(), tree.parents()
    as_leaf = _costs_as_leaves(tree, parents, sent.leaf, target[sent.row], sent.weight, cost or _wrong_class)
    slack = 1e-6 if cost is None else 1e-9 * float(as_leaf[0])
    errors = np.zeros(tree.node_count)  # of the subtree, pruned as far as it is done
    cuts = []
    for i in range(tree.node_count - 1, -1, -1):  # in pre-order children come behind their parents
        if tree.is_leaf[i]:
            errors[i] = as_leaf[i]
        elif as_leaf[i] <= errors[i] + slack:
            why = "a leaf makes no more errors on rows held out"
            cuts.append(Cut(i, int(sizes[i]), why, float(errors[i]), float(as_leaf[i])))
            errors[i] = as_leaf[i]
        if i:
            errors[parents[i]] += errors[i]
    return Pruned(tree.collapsed([cut.node for cut in cuts]), tuple(cuts))


def _costs_as_leaves(
    tree: TreeArrays,
    parents: Array,
    nodes: Array,
    targets: Array,
    weights: Array,
    cost: Callable[[TreeArrays, Array, Array], Array],
) -> Array:
    """What the rows that come to each node would cost if they ended there: level by level, from their leaves up."""
    found = np.zeros(tree.node_count)
    while len(nodes):
        found += np.bincount(nodes, weights * cost(tree, nodes, targets), tree.node_count)
        inner = nodes > 0  # the root has no parent
        nodes, targets, weights = parents[nodes[inner]], targets[inner], weights[inner]
    return found


def _wrong_class(tree: TreeArrays, nodes: Array, codes: Array) -> Array:
    wrong: Array = (tree.value.argmax(axis=1)[nodes] != codes).astype(np.float64)
    return wrong


def hold_out_numbers(numbers: Array, parts: int) -> Array:
    """Which rows to keep for pruning, as booleans: every `parts`-th of the rows, ordered by their numbers."""
    held = np.zeros(len(numbers), dtype=bool)
    held[np.argsort(numbers, kind="stable")[parts - 1 :: parts]] = True
    return held


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
