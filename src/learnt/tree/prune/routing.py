"""Sending rows down a tree whose tests are moved about: what raising subtrees needs.

Rows go down a tree as it stands by the kernel that `reach` calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.tree.arrays import TreeArrays, spans

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """Where rows ended: one entry per row and leaf it reached, with the part of its weight that did."""

    leaf: Array
    row: Array
    weight: Array


class Router:
    """Tests of a tree applied to rows of a table.

    A place in the tree may hold the test of another one: `source[i]` says whose test stands at `i`, and
    with it whose children; −1 makes `i` a leaf. Pruning moves tests about by changing `source` alone.
    """

    def __init__(self, tree: TreeArrays, table: Table):
        self.tree = tree
        self.source = np.where(tree.is_leaf, -1, np.arange(tree.node_count))
        self._cells = {int(j): _cells(table, int(j)) for j in np.unique(tree.feature[~tree.is_leaf])}

    @property
    def cuts_rows(self) -> bool:
        """Whether some row of the table may have to be cut up, since its cell is missing where it is tested."""
        spread = np.unique(self.tree.feature[~self.tree.is_leaf & (self.tree.missing < 0)])
        return any(bool(_missing(self._cells[int(j)]).any()) for j in spread)

    def send(
        self, start: int, row: Array, weight: Array, *, own_shares: bool = False, unknown: Array | None = None
    ) -> Sent:
        """Rows sent from node `start` to the leaves below it.

        A row whose cell is missing goes the way the tree says. Where that is to all children, it is cut in
        proportion to the tree's training weights, or with `own_shares` to the rows now sent. `unknown`, one
        number per node, is added the weight that met a test without knowing its cell.
        """
        node = np.full(len(row), start)
        done: list[tuple[Array, Array, Array]] = []
        while True:
            ended = self.source[node] < 0
            done.append((node[ended], row[ended], weight[ended]))
            node, row, weight = node[~ended], row[~ended], weight[~ended]
            if not len(node):
                return Sent(*(np.concatenate(parts) for parts in zip(*done, strict=True)))
            node, row, weight = self._step(node, row, weight, own_shares, unknown)

    def _step(
        self, node: Array, row: Array, weight: Array, own_shares: bool, unknown: Array | None
    ) -> tuple[Array, Array, Array]:
        tree, source = self.tree, self.source[node]
        place = self._places(source, row)
        lost = place < 0
        if not lost.any():
            return tree.children[tree.child_start[source] + place].astype(np.int64), row, weight
        if unknown is not None:
            np.add.at(unknown, node[lost], weight[lost])
        place = np.where(lost, tree.missing[source], place)
        known = place >= 0
        child = tree.children[tree.child_start[source[known]] + place[known]].astype(np.int64)
        if known.all():
            return child, row, weight
        spread = ~known
        kids, many = self._all_children(source[spread])
        share = _shares(_weights_at(kids, child, weight[known]) if own_shares else tree.weight[kids], many)
        return (
            np.concatenate([child, kids]),
            np.concatenate([row[known], np.repeat(row[spread], many)]),
            np.concatenate([weight[known], np.repeat(weight[spread], many) * share]),
        )

    def _all_children(self, source: Array) -> tuple[Array, Array]:
        many = self.tree.n_children[source].astype(np.int64)
        return self.tree.children[spans(self.tree.child_start[source], many)].astype(np.int64), many

    def _places(self, source: Array, row: Array) -> Array:
        """Which child, counted from 0, each row goes to by the test of `source`; −1 if its cell is missing."""
        tree = self.tree
        place = np.empty(len(row), dtype=np.int64)
        feature = tree.feature[source]
        for j in np.unique(feature):
            here = np.flatnonzero(feature == j)
            cell, test = self._cells[int(j)][row[here]], source[here]
            nominal = tree.route_start[test] >= 0
            if nominal.any():  # one column is tested in one way throughout
                place[here] = np.where(cell < 0, -1, tree.route(test, np.maximum(cell, 0)))
            else:
                place[here] = np.where(_missing(cell), -1, cell > tree.threshold[test])
        return place


def merge_entries(row: Array, weight: Array) -> tuple[Array, Array]:
    """Entries of one row made one: rows in order, each with the sum of its weights."""
    rows, place = np.unique(row, return_inverse=True)
    return rows, np.bincount(place, weight, len(rows))


def _weights_at(nodes: Array, node: Array, weight: Array) -> Array:
    """The sum of the weights that came to each of `nodes`."""
    first = min(nodes.min(), node.min(initial=nodes.min()))
    span = max(nodes.max(), node.max(initial=0)) - first + 1
    total: Array = np.bincount(node - first, weight, span)[nodes - first]
    return total


def _shares(weight: Array, many: Array) -> Array:
    """Each child's part of its family's weight; families come one after another. Equal parts where there is none."""
    family = np.repeat(np.arange(len(many)), many)
    total = np.bincount(family, weight, len(many))[family]
    return np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1 / many[family])


def _cells(table: Table, j: int) -> Array:
    column = table.columns[j]
    if column.kind == "ordinal":  # tested by thresholds, as numbers
        return np.where(column.values < 0, np.nan, column.values)
    return column.values


def _missing(cells: Array) -> Array:
    absent: Array = cells < 0 if cells.dtype.kind == "i" else np.isnan(cells)
    return absent
