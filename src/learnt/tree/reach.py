"""Where rows end in a tree, and by which nodes they get there."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Table
from learnt.engine.whole import unpacked
from learnt.tree.arrays import TreeArrays
from learnt.tree.grow.exact import _fields, apply_rows, kernel_rows
from learnt.tree.prune.routing import Router, Sent

Array = np.ndarray[Any, Any]


def leaves_of(tree: TreeArrays, table: Table) -> Array:
    """The leaf of each row; where a missing cell cuts it up, the way of the heaviest child."""
    return apply_rows(tree, table)


def shares_of(tree: TreeArrays, table: Table, answers: Array) -> Array:
    """The `answers` (nodes × anything) at each row's leaf; of a row cut up, their mean by parts."""
    out = np.empty((table.n_rows, answers.shape[1]))
    fields = _fields(tree, table.schema) | {"value": np.ascontiguousarray(answers)}
    _core.tree_predict(**fields, classes=False, x=kernel_rows(table), out=out)
    return out


def sent_rows(tree: TreeArrays, table: Table) -> Sent:
    """Every row, at all leaves it reaches, with the part of it that does."""
    return Router(tree, unpacked(table)).send(0, np.arange(table.n_rows), np.ones(table.n_rows))


def passed(tree: TreeArrays, sent: Sent) -> Sent:
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


def path_matrix(tree: TreeArrays, table: Table) -> Any:
    """The part of each row that passes each node, as a CSR matrix, rows × nodes."""
    from scipy.sparse import csr_matrix

    way = passed(tree, sent_rows(tree, table))
    matrix = csr_matrix((way.weight, (way.row, way.leaf)), shape=(table.n_rows, tree.node_count))
    matrix.sort_indices()
    return matrix
