"""Growing a model tree: nodes in pre-order, split while the target still varies in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.tree.model_tree.splitting import Criterion, Rows, best_split, order_in_turn

#: A column of a linear model: the number of a table's column, and 0, or the rank that its categories reach.
Term = tuple[int, int]


@dataclass(slots=True)
class Node:
    """A node while the tree is made; `column` is −1 in a leaf. Children are numbers in the list of nodes."""

    rows: Array
    weight: float
    above: int
    depth: int
    column: int = -1
    threshold: float = math.nan
    missing_left: bool = True
    children: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GrowSettings:
    criterion: Criterion
    min_samples_leaf: float
    min_deviation: float  # in units of the target
    max_depth: int | None
    fill: Array | None  # where missing cells are routed by the column's mean or mode; None: the heavier branch


def grow_nodes(rows: Rows, settings: GrowSettings) -> list[Node]:
    """All nodes in pre-order."""
    p, n = rows.cells.shape
    nodes = [Node(np.arange(n), float(rows.weights.sum()), -1, 0)]
    weka = settings.criterion == "weka"
    by_column = order_in_turn(rows.cells, rows.target) if weka else np.argsort(rows.cells, axis=1, kind="stable")
    waiting = [(0, by_column)]
    while waiting:
        i, order = waiting.pop()
        node = nodes[i]
        if not _is_split(rows, node, order, settings):
            continue
        left = _left_rows(rows, node, settings)
        inside = left[order]
        for side, part in ((left[node.rows], inside), (~left[node.rows], ~inside)):
            members = node.rows[side]
            child = Node(members, float(rows.weights[members].sum()), i, node.depth + 1)
            node.children += (len(nodes),)
            waiting.append((len(nodes), order[part].reshape(p, -1)))
            nodes.append(child)
    return _in_preorder(nodes)


def _is_split(rows: Rows, node: Node, order: Array, settings: GrowSettings) -> bool:
    """Whether the node is worth a test; if so it has one afterwards."""
    weka = settings.criterion == "weka"
    least = settings.min_samples_leaf * (1 - 1e-9)
    if len(order) == 0 or len(node.rows) < 2 or node.weight < (least if weka else 2 * least):
        return False
    if settings.max_depth is not None and node.depth >= settings.max_depth:
        return False
    y, w = rows.target[node.rows], rows.weights[node.rows]
    deviation = math.sqrt(float(np.average((y - np.average(y, weights=w)) ** 2, weights=w)))
    if deviation < settings.min_deviation or deviation == 0:
        return False
    found = best_split(rows, order, settings.criterion, least, settings.min_deviation)
    if found is None:
        return False
    node.column, node.threshold = found.column, found.threshold
    return True


def _left_rows(rows: Rows, node: Node, settings: GrowSettings) -> Array:
    """Which of all rows go left, as booleans; decides where missing cells go."""
    cells = rows.cells[node.column, node.rows]
    missing = np.isnan(cells)
    left = cells <= node.threshold
    w = rows.weights[node.rows]
    if settings.fill is not None:
        node.missing_left = bool(settings.fill[node.column] <= node.threshold)
    else:
        node.missing_left = bool(w[left].sum() >= w[~left & ~missing].sum())
    left |= missing & node.missing_left
    out = np.zeros(len(rows.target), dtype=bool)
    out[node.rows[left]] = True
    return out


def _in_preorder(nodes: list[Node]) -> list[Node]:
    """The same nodes, each followed by those below it, left before right."""
    sequence, waiting = [], [0]
    while waiting:
        i = waiting.pop()
        sequence.append(i)
        waiting.extend(reversed(nodes[i].children))
    place = {i: k for k, i in enumerate(sequence)}
    found = [nodes[i] for i in sequence]
    for node in found:
        node.above = place[node.above] if node.above >= 0 else -1
        node.children = tuple(place[child] for child in node.children)
    return found


def term_of(nominal: Array, node: Node) -> Term:
    """The column of a linear model that the test asks about: the number itself, or whether a rank is reached."""
    return node.column, math.floor(node.threshold) + 1 if nominal[node.column] else 0
