"""Where rows end in a tree, and by which nodes they get there."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Table
from learnt.engine.whole import unpacked
from learnt.tree.arrays import TreeArrays
from learnt.tree.grow.exact import apply_rows, kernel_rows, walked_fields
from learnt.tree.prune.routing import Router, Sent

Array = np.ndarray[Any, Any]


def leaves_of(tree: TreeArrays, table: Table) -> Array:
    """The leaf of each row; where a missing cell cuts it up, the way of the heaviest child."""
    return apply_rows(tree, table)


def shares_of(tree: TreeArrays, table: Table, answers: Array) -> Array:
    """The `answers` (nodes × anything) at each row's leaf; of a row cut up, their mean by parts."""
    out = np.empty((table.n_rows, answers.shape[1]))
    fields = walked_fields(tree, table.schema) | {"value": np.ascontiguousarray(answers)}
    _core.tree_predict(**fields, classes=False, x=kernel_rows(table), out=out)
    return out


def reach_leaves(tree: TreeArrays, table: Table, weights: Array | None = None, *, path: bool = False) -> Sent:
    """Every row at all leaves it reaches, or with `path` at all nodes on the way, with the part of its weight there.

    Row after row, each one's nodes in pre-order.
    """
    x = kernel_rows(unpacked(table))
    given = None if weights is None else np.ascontiguousarray(weights, np.float64)
    fields = walked_fields(tree, table.schema) | {"weights": given, "path": path, "x": x}
    return Sent(
        *(_core.tree_reach(**fields) if isinstance(x, np.ndarray) else _core.tree_reach(**fields, rows=table.n_rows))
    )


def sent_rows(tree: TreeArrays, table: Table, weights: Array | None = None) -> Sent:
    """Every row at all leaves it reaches, with the part of its weight there: leaves of fewer tests first.

    Sums over the entries are rounded in their order. Where rows are cut up, that is the order in which pruning
    moves them, level by level, and so are they sent here.
    """
    if tree.cuts_rows:
        whole = np.ones(table.n_rows) if weights is None else weights
        return Router(tree, unpacked(table)).send(0, np.arange(table.n_rows), whole)
    found = reach_leaves(tree, table, weights)
    order = np.argsort(tree.depths()[found.leaf], kind="stable")
    return Sent(found.leaf[order], found.row[order], found.weight[order])


def pass_nodes(tree: TreeArrays, sent: Sent) -> Sent:
    """The same at all nodes on the way; a row that passes a node by two ways is there twice."""
    parents = tree.parents()
    found, node, row, weight = [sent], sent.leaf, sent.row, sent.weight
    while True:
        above = parents[node]
        inside = above >= 0
        if not inside.any():
            return Sent(
                *(np.concatenate([getattr(part, name) for part in found]) for name in ("leaf", "row", "weight"))
            )
        node, row, weight = above[inside], row[inside], weight[inside]
        found.append(Sent(node, row, weight))


def ways_of(tree: TreeArrays, table: Table) -> Sent:
    """Every row at all nodes it passes; of a row that is cut up, a node is there once for each leaf below it."""
    return pass_nodes(tree, sent_rows(tree, table)) if tree.cuts_rows else reach_leaves(tree, table, path=True)


def path_matrix(tree: TreeArrays, table: Table) -> Any:
    """The part of each row that passes each node, as a CSR matrix, rows × nodes."""
    from scipy.sparse import csr_matrix

    way = ways_of(tree, table)
    matrix = csr_matrix((way.weight, (way.row, way.leaf)), shape=(table.n_rows, tree.node_count))
    matrix.sort_indices()
    return matrix
