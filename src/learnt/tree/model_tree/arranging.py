"""From the nodes of growing and pruning to the flat arrays of a tree."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.tree.arrays import TreeArrays
from learnt.tree.model_tree.growing import Node
from learnt.tree.model_tree.ranked_cells import RankedCells
from learnt.tree.model_tree.splitting import Rows


def kept_nodes(nodes: list[Node], leaf: Array) -> list[int]:
    """The numbers of the nodes that pruning has left, in pre-order."""
    kept = np.zeros(len(nodes), dtype=bool)
    for i, node in enumerate(nodes):
        kept[i] = node.above < 0 or (kept[node.above] and not leaf[node.above])
    return np.flatnonzero(kept).tolist()


def tree_of(
    rows: Rows, cells: RankedCells, nodes: list[Node], leaf: Array, kept: list[int], value: Array
) -> TreeArrays:
    """The tree of the kept nodes; `value` is what is predicted at each on average. The impurity is the variance."""
    place = {i: k for k, i in enumerate(kept)}
    n = len(kept)
    fields: dict[str, Array] = {
        "feature": np.full(n, -1, np.int32),
        "threshold": np.full(n, np.nan),
        "route_start": np.full(n, -1, np.int64),
        "n_routes": np.zeros(n, np.int32),
        "otherwise": np.full(n, -1, np.int32),
        "missing": np.full(n, -1, np.int32),
        "weight": np.array([nodes[i].weight for i in kept]),
        "impurity": np.zeros(n),
        "value": value[:, None],
        "missing_weight": np.zeros(n),
        "child_start": np.zeros(n, np.int64),
        "n_children": np.zeros(n, np.int32),
    }
    children: list[int] = []
    route_codes: list[Array] = []
    routes: list[Array] = []
    n_routes = 0
    for k, i in enumerate(kept):
        node = nodes[i]
        y, w = rows.target[node.rows], rows.weights[node.rows]
        fields["impurity"][k] = np.average((y - np.average(y, weights=w)) ** 2, weights=w)
        fields["child_start"][k] = len(children)
        if leaf[i]:
            continue
        j = node.column
        fields["feature"][k] = j
        fields["missing"][k] = 0 if node.missing_left else 1
        fields["missing_weight"][k] = w[np.isnan(rows.cells[j, node.rows])].sum()
        fields["n_children"][k] = 2
        children += [place[child] for child in node.children]
        if not rows.nominal[j]:
            fields["threshold"][k] = node.threshold
            continue
        rank = cells.of_column(j)
        codes = np.flatnonzero(rank >= 0)
        fields["route_start"][k], fields["n_routes"][k] = n_routes, len(codes)
        route_codes.append(codes)
        routes.append((rank[codes] > node.threshold).astype(np.int32))
        n_routes += len(codes)
    none = np.zeros(0, np.int32)
    lists = {
        "children": np.array(children, np.int32),
        "route_codes": np.concatenate([none, *route_codes]).astype(np.int32),
        "routes": np.concatenate([none, *routes]).astype(np.int32),
    }
    return TreeArrays.grown(fields | lists)
