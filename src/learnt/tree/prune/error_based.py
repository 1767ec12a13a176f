"""C4.5's pruning: a subtree gives way to a leaf, or to its largest branch, where few more errors are expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Table
from learnt.tree.arrays import TreeArrays, spans
from learnt.tree.prune.pessimistic import Estimate, pessimistic_errors
from learnt.tree.prune.pruned import Cut, Pruned
from learnt.tree.prune.routing import Router, Sent, merge_entries

Array = np.ndarray[Any, Any]

_SLACK = 0.1 + 1e-6  # C4.5 lets the simpler tree make this many more errors; the rest is rounding
_TIE = 1e-6


def collapse(tree: TreeArrays) -> Pruned:
    """Cut every subtree that does not make fewer errors on its training rows than a leaf in its place."""
    wrong = _wrong(_counts(tree))
    below = np.append(0.0, np.cumsum(np.where(tree.is_leaf, wrong, 0.0)))
    sizes = tree.sizes()
    subtree = below[np.arange(tree.node_count) + sizes] - below[:-1]
    useless = np.flatnonzero(~tree.is_leaf & (subtree >= wrong - 1e-3))
    cuts = [
        Cut(i, int(sizes[i]), "a leaf makes no more training errors", float(subtree[i]), float(wrong[i]))
        for i in _outermost(useless.tolist(), sizes)
    ]
    return Pruned(tree.collapsed(useless), tuple(cuts))


def prune_error_based(
    tree: TreeArrays,
    confidence: float = 0.25,
    *,
    estimate: Estimate = "j48",
    rows: tuple[Table, Array, Array | None] | None = None,
    impurity: Any = None,
) -> Pruned:
    """Prune from the leaves up by estimated errors (see `pessimistic_errors`).

    A node becomes a leaf if that costs at most 0.1 errors more than its subtree. With `rows`, the training
    rows as (table, class codes, weights or None), its largest branch may take its place too (subtree
    raising): the node's rows are sent down that branch, and the result is pruned again.
    `impurity` maps class weights, nodes × classes, to the impurities of nodes that raising changed; bits
    of entropy by default.
    """
    return _Pruning(tree, confidence, estimate, rows, impurity or entropy).run()


class _Pruning:
    """The state of one pruning: which test stands where, and what every place holds."""

    def __init__(
        self,
        tree: TreeArrays,
        confidence: float,
        estimate: Estimate,
        rows: tuple[Table, Array, Array | None] | None,
        impurity: Any,
    ):
        self.tree, self.confidence, self.estimate, self.impurity = tree, confidence, estimate, impurity
        self.sizes = tree.sizes()
        self.counts = _counts(tree)
        self.as_leaf = self._estimated_errors(self.counts)
        self.errors = self.as_leaf.copy()  # of the whole subtree, once that is done
        self.changed = np.zeros(tree.node_count, dtype=bool)
        self.unknown = tree.missing_weight.copy()
        self.cuts: list[Cut] = []
        self.raising = rows is not None
        if rows is None:
            self.source = np.where(tree.is_leaf, -1, np.arange(tree.node_count))
            return
        table, self.codes, weights = rows
        self.router = Router(tree, table)
        self.source = self.router.source
        self.cuts_rows = self.router.cuts_rows
        self.held: dict[int, tuple[Array, Array]] = {}  # rows and weights of places whose parents are not done
        self._send(0, np.arange(table.n_rows), np.ones(table.n_rows) if weights is None else weights)

    def run(self) -> Pruned:
        waiting = [(0, False)]
        while waiting:
            i, children_done = waiting.pop()
            if self.source[i] < 0:
                continue
            if not children_done:
                waiting.append((i, True))
                waiting.extend((c, False) for c in self._children(i)[::-1].tolist())
            elif self._decide(i):
                waiting.append((i, False))
        return Pruned(self._rebuilt_tree() if self.cuts else self.tree, tuple(self.cuts))

    def _children(self, i: int) -> Array:
        return self.tree.children_of(int(self.source[i]))

    def _decide(self, i: int) -> bool:
        """Keep node `i` or make it a leaf; or put its largest branch there, and say so: all below may change."""
        children = self._children(i)
        if self.changed[i]:
            self.counts[i] = self.counts[children].sum(axis=0)
            self.as_leaf[i] = self._estimated_errors(self.counts[i : i + 1])[0]
        as_leaf = float(self.as_leaf[i])
        as_tree = float(self.errors[children].sum())
        largest = _largest(self.counts[children].sum(axis=1))
        as_branch = self._branch_errors(i, children, largest) if self.raising else np.inf
        if as_leaf <= as_tree + _SLACK and as_leaf <= as_branch + _SLACK:
            self._cut(i, "a leaf is expected to err as little", as_tree, as_leaf)
            self.source[i], self.errors[i] = -1, as_leaf
        elif as_branch <= as_tree + _SLACK:
            self._cut(i, "its largest branch alone is expected to err as little", as_tree, as_branch)
            self.source[i] = self.source[children[largest]]
            self._resettle(i)
            return True
        else:
            self.errors[i] = as_tree
        return False

    def _cut(self, i: int, why: str, before: float, after: float) -> None:
        self.cuts.append(Cut(i, int(self.sizes[i]), why, before, after))

    # Raising

    def _branch_errors(self, i: int, children: Array, largest: int) -> float:
        """The errors expected if the largest branch got all rows of node `i`."""
        branch = int(children[largest])
        parts = [self.held.pop(c) for c in children.tolist()]
        row, weight = _joined(parts)
        if self.cuts_rows:
            row, weight = merge_entries(row, weight)
        self.held[i] = row, weight
        if not self.cuts_rows:  # the branch's own rows stay where they are
            row, weight = _joined(parts[:largest] + parts[largest + 1 :])
        sent = self.router.send(branch, row, weight, own_shares=True)
        leaves = self._leaves(branch)
        counts = self._count(leaves, sent)
        return float(self._estimated_errors(counts if self.cuts_rows else counts + self.counts[leaves]).sum())

    def _resettle(self, i: int) -> None:
        """Send a node's rows down the branch that now stands there, and count them where they end."""
        below = slice(i, i + int(self.sizes[i]))
        self.unknown[below] = 0.0
        sent = self._send(i, *self.held.pop(i), unknown=self.unknown)
        leaves = self._leaves(i)
        self.counts[leaves] = self._count(leaves, sent)
        self.errors[leaves] = self._estimated_errors(self.counts[leaves])
        self.changed[below] = True

    def _send(self, i: int, row: Array, weight: Array, unknown: Array | None = None) -> Sent:
        """Send rows down from place `i`, and hold them where they end."""
        sent = self.router.send(i, row, weight, own_shares=True, unknown=unknown)
        order = np.argsort(sent.leaf, kind="stable")
        leaves = self._leaves(i)
        ends = np.searchsorted(sent.leaf[order], leaves[1:])
        for leaf, part in zip(leaves.tolist(), np.split(order, ends), strict=True):
            self.held[leaf] = sent.row[part], sent.weight[part]
        return sent

    def _leaves(self, i: int) -> Array:
        found, waiting = [], [i]
        while waiting:
            node = waiting.pop()
            if self.source[node] < 0:
                found.append(node)
            else:
                waiting.extend(self._children(node).tolist())
        return np.sort(np.array(found))

    def _count(self, leaves: Array, sent: Sent) -> Array:
        n, k = len(leaves), self.tree.n_outputs
        place = np.searchsorted(leaves, sent.leaf)
        return np.bincount(place * k + self.codes[sent.row], sent.weight, n * k).reshape(n, k)

    def _estimated_errors(self, counts: Array) -> Array:
        return pessimistic_errors(counts.sum(axis=1), _wrong(counts), self.confidence, self.estimate)

    # The tree that is left

    def _rebuilt_tree(self) -> TreeArrays:
        places = self._preorder()
        source = self.source[places]
        inner = source >= 0
        tree, test = self.tree, np.maximum(source, 0)
        n_children = np.where(inner, tree.n_children[test], 0)
        n_routes = np.where(inner, tree.n_routes[test], 0)
        routed = spans(tree.route_start[test], n_routes)
        number = np.full(tree.node_count, -1)
        number[places] = np.arange(len(places))
        old_children = tree.children[spans(tree.child_start[test], n_children)]
        weight, value = self.counts[places].sum(axis=1), self.counts[places]
        impurity, unknown = tree.impurity[places], np.where(inner, self.unknown[places], 0.0)
        new = self.changed[places]
        impurity[new] = self.impurity(value[new])
        parent = np.zeros(len(places), dtype=np.int64)
        parent[number[old_children]] = np.repeat(np.arange(len(places)), n_children)
        for i in np.flatnonzero(weight <= 0):  # in pre-order: a parent's value is there before its child's
            value[i], impurity[i] = value[parent[i]], impurity[parent[i]]
        same = ~new & (weight > 0)
        weight[same], value[same] = tree.weight[places[same]], tree.value[places[same]]
        return TreeArrays.of_parts(
            {
                "feature": np.where(inner, tree.feature[test], -1),
                "threshold": np.where(inner, tree.threshold[test], np.nan),
                "child_start": np.cumsum(n_children) - n_children,
                "n_children": n_children,
                "children": number[old_children],
                "route_start": np.where(inner & (tree.route_start[test] >= 0), np.cumsum(n_routes) - n_routes, -1),
                "n_routes": n_routes,
                "route_codes": tree.route_codes[routed],
                "routes": tree.routes[routed],
                "otherwise": np.where(inner, tree.otherwise[test], -1),
                "missing": np.where(inner, tree.missing[test], -1),
                "weight": weight,
                "impurity": impurity,
                "value": value,
                "missing_weight": unknown,
            }
        )

    def _preorder(self) -> Array:
        found, waiting = [], [0]
        while waiting:
            i = waiting.pop()
            found.append(i)
            if self.source[i] >= 0:
                waiting.extend(self._children(i)[::-1].tolist())
        return np.array(found)


def entropy(counts: Array) -> Array:
    """Bits of entropy of class weights, row by row."""
    total = counts.sum(axis=1, keepdims=True)
    share = counts / np.where(total > 0, total, 1.0)
    bits: Array = -np.sum(share * np.log2(np.where(share > 0, share, 1.0)), axis=1)
    return bits


def _counts(tree: TreeArrays) -> Array:
    """Class weights of the nodes; a leaf that no row reached shows its parent's in the tree, but has none."""
    return np.where(tree.weight[:, None] > 0, tree.value, 0.0)


def _wrong(counts: Array) -> Array:
    wrong: Array = counts.sum(axis=1) - counts.max(axis=1)
    return wrong


def _joined(parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    row, weight = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    return row, weight


def _largest(weight: Array) -> int:
    """The branch with the most weight; of equal ones the last, as C4.5 has it."""
    return int(np.flatnonzero(weight >= weight.max() - _TIE)[-1])


def _outermost(nodes: list[int], sizes: Array) -> list[int]:
    """Those of the nodes, in pre-order, that lie in no subtree of another."""
    kept: list[int] = []
    end = 0
    for i in nodes:
        if i >= end:
            kept.append(i)
            end = i + int(sizes[i])
    return kept
