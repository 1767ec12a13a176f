"""A fitted tree as flat arrays: what the growers fill, and all that predicts, prints or prunes reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.storable import storable
from learnt.tree.array_checks import broken, check_columns, check_numbers, check_shape, check_tests, spans, typed
from learnt.tree.trusted import check_overflow, trusted

__all__ = ["Array", "TreeArrays", "one_leaf", "spans"]

Array = np.ndarray[Any, Any]

_TYPES: dict[str, tuple[type, int]] = {  # what each field is made of: type of number, dimensions
    "feature": (np.int32, 1),
    "threshold": (np.float64, 1),
    "child_start": (np.int64, 1),
    "n_children": (np.int32, 1),
    "children": (np.int32, 1),
    "route_start": (np.int64, 1),
    "n_routes": (np.int32, 1),
    "route_codes": (np.int32, 1),
    "routes": (np.int32, 1),
    "otherwise": (np.int32, 1),
    "missing": (np.int32, 1),
    "weight": (np.float64, 1),
    "impurity": (np.float64, 1),
    "value": (np.float64, 2),
    "missing_weight": (np.float64, 1),
}
_FREE_LENGTH = {"children", "route_codes", "routes"}
_MOST_CODES = 1 << 31  # codes are int32
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
@dataclass(frozen=True, eq=False)
class TreeArrays:
    """The nodes of a tree in pre-order: the root is 0, a node's first child is the node after it.

    | field | per node |
    |---|---|
    | `feature` | the column tested, by position; −1 in a leaf |
    | `threshold` | numeric and ordinal tests: cells ≤ it go to child 0, others to child 1; NaN elsewhere |
    | `child_start`, `n_children` | `children[start : start + n]` are the numbers of its children |
    | `route_start`, `n_routes` | nominal tests: `route_codes[start : start + n]` are categories, by rising code, and \
`routes[start : start + n]` the children they go to, counted from 0 (−1: as if missing); −1 and 0 elsewhere |
    | `otherwise` | nominal tests: the child of all other categories (−1: as if missing) |
    | `missing` | which child, counted from 0, missing cells go to; −1: all, in proportion to their weights |
    | `weight` | the training weight that reached it |
    | `impurity` | of its target |
    | `value` | the weight of each class, or the one number predicted |
    | `missing_weight` | the part of the weight whose tested cell was missing |

    A threshold of ∞ (−∞) sends all known cells to child 0 (1): a test of whether the cell is missing.
    A leaf no training row reached has weight 0 and the `value` of its parent.
    The arrays are read-only. The constructor checks them, since they come from a file or a user; what kernels grow,
    and what is made from other trees, fits together by its making (`grown`, `changed`).
    """

    feature: Array
    threshold: Array
    child_start: Array
    n_children: Array
    children: Array
    route_start: Array
    n_routes: Array
    route_codes: Array
    routes: Array
    otherwise: Array
    missing: Array
    weight: Array
    impurity: Array
    value: Array
    missing_weight: Array

    def __post_init__(self) -> None:
        for name, (dtype, n_dim) in _TYPES.items():
            object.__setattr__(self, name, typed(name, getattr(self, name), dtype, n_dim))
        n = len(self.feature)
        for name in _TYPES.keys() - _FREE_LENGTH:
            if len(getattr(self, name)) != n:
                raise broken(f"has {n} nodes, but {name!r} has {len(getattr(self, name))} entries")
        check_numbers(self)
        check_shape(self)
        check_tests(self)

    @classmethod
    def grown(cls, fields: Iterable[Array]) -> TreeArrays:
        """The tree of the fields that a kernel returns, in their order."""
        tree = trusted(cls, dict(zip(_TYPES, fields, strict=True)), _TYPES)
        check_overflow(tree, check_numbers)
        return tree

    def changed(self, **fields: Array) -> TreeArrays:
        """The same tree with other numbers in some fields; where its nodes are stays as it is."""
        tree = trusted(TreeArrays, {name: getattr(self, name) for name in _TYPES} | fields, _TYPES)
        check_overflow(tree, check_numbers)
        return tree

    @classmethod
    def of_parts(cls, fields: dict[str, Array]) -> TreeArrays:
        """The tree of fields taken from other trees."""
        return trusted(cls, fields, _TYPES)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its fields and checked again; what was worked out from them is left behind."""
        return TreeArrays, tuple(getattr(self, name) for name in _TYPES)

    def check_columns(self, schema: Schema) -> None:
        """Refuse a tree that tests columns, or categories, in another way than `schema` has them."""
        check_columns(self, schema)

    # What it is.

    @property
    def node_count(self) -> int:
        return len(self.feature)

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

    @property
    def n_outputs(self) -> int:
        """The number of classes; 1 in regression."""
        return int(self.value.shape[1])

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

    def route(self, nodes: Array, codes: Array) -> Array:
        """The child number that each category takes at the nominal test beside it; −1: as if missing."""
        found = self.otherwise[nodes]
        place, sure = self.route_start[nodes] + codes, codes < self.n_routes[nodes]
        sure[sure] = self.route_codes[place[sure]] == codes[sure]  # so no category below it is left out
        found[sure] = self.routes[place[sure]]
        if not sure.all() and len(self.routes):
            wanted = nodes[~sure] * _MOST_CODES + codes[~sure]
            place = np.minimum(np.searchsorted(self._route_keys, wanted), len(self.routes) - 1)
            found[~sure] = np.where(self._route_keys[place] == wanted, self.routes[place], found[~sure])
        return found

    @cached_property
    def _route_keys(self) -> Array:
        """One rising number for each route, from its node and its category."""
        return np.repeat(np.arange(self.node_count), self.n_routes) * _MOST_CODES + self.route_codes

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
        return _joined([part])

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
        return _joined([part])

    def replaced(self, i: int, by: TreeArrays) -> TreeArrays:
        """The tree with `by` in the place of the subtree at node `i`; the nodes above it stay as they are."""
        end = i + int(self.sizes()[i])
        before, after = self._part(np.arange(i)), self._part(np.arange(end, self.node_count))
        middle = by._part(np.arange(by.node_count))
        for part in (before, after):
            part["children"] = part["children"] + np.where(part["children"] > i, i + by.node_count - end, 0)
        middle["children"] = middle["children"] + i
        return _joined([before, middle, after])

    def _part(self, keep: Array, leaves: Any = ()) -> dict[str, Array]:
        """The fields of these nodes, with their own children and routes one after another.

        `leaves` lose their tests and children.
        """
        part = {name: getattr(self, name)[keep] for name in _TYPES.keys() - _FREE_LENGTH}
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
    blank: dict[str, Array] = {name: np.array([entry], _TYPES[name][0]) for name, entry in _BLANK.items()}
    amounts = {"weight": np.array([float(weight)]), "impurity": np.array([float(impurity)])}
    start = np.zeros(1, dtype=np.int64)
    return TreeArrays(**blank, **amounts, child_start=start, children=none, route_codes=none, routes=none, value=row)


def _joined(parts: list[dict[str, Array]]) -> TreeArrays:
    """One tree of the nodes of all parts, whose children carry their final numbers already."""
    n_children = n_routes = 0
    for part in parts:
        part["child_start"] = part["child_start"] + n_children
        part["route_start"] = np.where(part["route_start"] < 0, -1, part["route_start"] + n_routes)
        n_children, n_routes = n_children + len(part["children"]), n_routes + len(part["routes"])
    return TreeArrays.of_parts({name: np.concatenate([part[name] for part in parts]) for name in _TYPES})
