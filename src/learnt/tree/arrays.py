"""A fitted tree as flat arrays: what the growers fill, and all that predicts, prints or prunes reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.storable import storable
from learnt.tree.array_checks import check_lists_of_children, spans
from learnt.tree.nodes import Nodes, joined_fields

__all__ = ["Array", "TreeArrays", "one_leaf", "spans"]

Array = np.ndarray[Any, Any]

_BLANK = {  # what a leaf has in the fields of a test
    "feature": -1,
    "threshold": np.nan,
    "n_children": 0,
    "route_start": -1,
    "n_routes": 0,
    "otherwise": -1,
    "missing": -1,
    "missing_weight": 0.0,
}


@storable
@dataclass(frozen=True, eq=False, kw_only=True)
class TreeArrays(Nodes):
    """One tree, a forest of a single root: the fields of `Nodes`, and lists of as many children as tests have branches.

    `children[start : start + n]` are the numbers of a node's children, where `child_start` and `n_children` have its
    `start` and `n`.
    """

    child_start: Array
    n_children: Array
    children: Array

    types: ClassVar[dict[str, tuple[type, int]]] = {
        **Nodes.types,
        "child_start": (np.int64, 1),
        "n_children": (np.int32, 1),
        "children": (np.int32, 1),
    }
    listed: ClassVar[frozenset[str]] = Nodes.listed | {"children"}

    def check_shape(self) -> None:
        check_lists_of_children(self)

    def branch_counts(self) -> Array:
        return self.n_children

    def child_nodes(self) -> Array:
        return self.kids

    # What it is.

    @cached_property
    def is_leaf(self) -> Array:
        """Which nodes are leaves, as booleans."""
        leaf: Array = self.n_children == 0
        return leaf

    @cached_property
    def cuts_rows(self) -> bool:
        """Whether some test sends a row whose cell is missing down all branches."""
        return bool(np.any((self.missing < 0) & ~self.is_leaf))

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.is_leaf))

    @property
    def max_depth(self) -> int:
        return int(self.depths().max())

    def children_of(self, i: int) -> Array:
        """The numbers of node `i`'s children."""
        start = self.child_start[i]
        return self.children[start : start + self.n_children[i]]

    def routes_of(self, i: int, n_categories: int) -> Array:
        """The child number of each category of a nominal test; −1: as if missing."""
        here = slice(self.route_start[i], self.route_start[i] + self.n_routes[i])
        found = np.full(n_categories, self.otherwise[i])
        found[self.route_codes[here]] = self.routes[here]
        return found

    def share(self, i: int) -> Array:
        """Which part of node `i`'s weight each child got; equal parts where there is none."""
        weight = self.weight[self.children_of(i)]
        total = weight.sum()
        return weight / total if total > 0 else np.full(len(weight), 1 / max(len(weight), 1))

    @cached_property
    def kids(self) -> Array:
        """The children of all inner nodes, in the order of the nodes."""
        inner = ~self.is_leaf
        return self.children[spans(self.child_start[inner], self.n_children[inner])].astype(np.int64)

    def parents(self) -> Array:
        """The parent of each node; −1 for the root."""
        parents = np.full(self.node_count, -1, dtype=np.int64)
        parents[self.kids] = np.repeat(np.arange(self.node_count), self.n_children)
        return parents

    def depths(self) -> Array:
        """The number of tests above each node. In log(depth) steps, each looking up twice as far."""
        up = self.parents()
        depth = (up >= 0).astype(np.int64)
        while (up >= 0).any():
            below = up >= 0
            depth[below], up[below] = depth[below] + depth[up[below]], up[up[below]]
        return depth

    def sizes(self) -> Array:
        """The number of nodes of each subtree. In log(depth) steps: all that lies less than 1, 2, 4, … below."""
        up = self.parents()
        size = np.ones(self.node_count, dtype=np.int64)
        while (below := up >= 0).any():
            size += np.bincount(up[below], size[below], self.node_count).astype(np.int64)
            up[below] = up[up[below]]
        return size

    @property
    def n_node_samples(self) -> Array:
        """The rows that reached each node: their weights added, whole where all are; a row that was cut up for a
        missing cell counts in parts. As scikit-learn names it."""
        return self.weight.astype(np.int64) if np.array_equal(self.weight, np.floor(self.weight)) else self.weight

    @property
    def weighted_n_node_samples(self) -> Array:
        """The same, always as floats: `weight` by the name scikit-learn has for it."""
        return self.weight

    @property
    def children_left(self) -> Array:
        """The left child of each node of a binary tree, −1 in leaves: as scikit-learn names it."""
        return self._side(0)

    @property
    def children_right(self) -> Array:
        """The right child of each node of a binary tree, −1 in leaves: as scikit-learn names it."""
        return self._side(1)

    def _side(self, side: int) -> Array:
        wide = np.flatnonzero(self.n_children > 2)
        if wide.size:
            raise InputError(
                f"Node {wide[0]} has {self.n_children[wide[0]]} children. Left and right need a binary tree. "
                "Use children_of(node) instead."
            )
        found = np.full(self.node_count, -1, dtype=np.int64)
        inner = ~self.is_leaf
        found[inner] = self.children[self.child_start[inner] + side]
        return found

    # Trees made from it.

    def subtree(self, i: int) -> TreeArrays:
        """The tree whose root is node `i`."""
        part = self._part(np.arange(i, i + self.sizes()[i]))
        part["children"] = part["children"] - i
        return joined_parts([part])

    def collapsed(self, nodes: Iterable[int]) -> TreeArrays:
        """The tree in which these nodes are leaves."""
        cut = np.unique(np.fromiter(nodes, dtype=np.int64))
        if cut.size == 0:
            return self
        edge = np.zeros(self.node_count + 1, dtype=np.int64)  # +1 where a subtree to drop begins, −1 behind it
        np.add.at(edge, cut + 1, 1)
        np.add.at(edge, cut + self.sizes()[cut], -1)
        kept = np.cumsum(edge[:-1]) == 0
        part = self._part(np.flatnonzero(kept), leaves=cut)
        part["children"] = (np.cumsum(kept) - 1)[part["children"]]
        return joined_parts([part])

    def replaced(self, i: int, by: TreeArrays) -> TreeArrays:
        """The tree with `by` in the place of the subtree at node `i`; the nodes above it stay as they are."""
        end = i + int(self.sizes()[i])
        before, after = self._part(np.arange(i)), self._part(np.arange(end, self.node_count))
        middle = by._part(np.arange(by.node_count))
        for part in (before, after):
            part["children"] = part["children"] + np.where(part["children"] > i, i + by.node_count - end, 0)
        middle["children"] = middle["children"] + i
        return joined_parts([before, middle, after])

    def _part(self, keep: Array, leaves: Any = ()) -> dict[str, Array]:
        """The fields of these nodes, with their own children and routes one after another.

        `leaves` lose their tests and children.
        """
        part = {name: getattr(self, name)[keep] for name in self.per_node()}
        bare = np.isin(keep, leaves)
        for name, blank in _BLANK.items():
            part[name][bare] = blank
        part["children"] = self.children[spans(part["child_start"], part["n_children"])]
        kept = spans(part["route_start"], part["n_routes"])
        part["route_codes"], part["routes"] = self.route_codes[kept], self.routes[kept]
        ends = np.cumsum(part["n_routes"], dtype=np.int64)
        part["route_start"] = np.where(part["route_start"] < 0, -1, ends - part["n_routes"])
        part["child_start"] = np.cumsum(part["n_children"], dtype=np.int64) - part["n_children"]
        return part


def one_leaf(value: Any, weight: float, impurity: float = 0.0) -> TreeArrays:
    """A tree without a test: `value` holds the weight of each class, or the number predicted."""
    none, row = np.empty(0, dtype=np.int32), np.array([value], dtype=np.float64).reshape(1, -1)
    blank: dict[str, Array] = {name: np.array([entry], TreeArrays.types[name][0]) for name, entry in _BLANK.items()}
    amounts = {"weight": np.array([float(weight)]), "impurity": np.array([float(impurity)])}
    start = np.zeros(1, dtype=np.int64)
    return TreeArrays(**blank, **amounts, child_start=start, children=none, route_codes=none, routes=none, value=row)


def joined_parts(parts: list[dict[str, Array]]) -> TreeArrays:
    """One tree of the nodes of all parts, whose children carry their final numbers already."""
    before = np.cumsum([0] + [len(part["children"]) for part in parts])
    fields = joined_fields(parts)
    fields |= {name: np.concatenate([part[name] for part in parts]) for name in ("n_children", "children")}
    starts = [part["child_start"] + shift for part, shift in zip(parts, before[:-1], strict=True)]
    return TreeArrays.of_parts(fields | {"child_start": np.concatenate(starts)})
