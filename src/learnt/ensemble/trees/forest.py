"""Many binary trees as flat arrays, one tree after another: what ensembles of trees predict with and are saved as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.ensemble.trees.predict import add_answers, find_leaves, pack, shapley_values
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.storable import storable
from learnt.tree import Nodes, TreeArrays, impurity_importance, joined_fields, moved, split_counts

__all__ = ["Forest"]


@storable
@dataclass(frozen=True, eq=False, kw_only=True)
class Forest(Nodes):
    """Trees of two branches a test, their nodes one after another, each tree's in pre-order.

    `tree_start` has the place of every tree's first node, and the number of all nodes at its end. Child 0 of a
    node is the node after it; `right` has the number of child 1, counted within the tree, and −1 in a leaf.
    `route_start` points into `route_codes` and `routes` of all trees. The other fields are those of `Nodes`;
    `missing` is 0 or 1 at every test.
    """

    tree_start: Array
    right: Array

    types: ClassVar[dict[str, tuple[type, int]]] = {**Nodes.types, "tree_start": (np.int64, 1), "right": (np.int32, 1)}
    listed: ClassVar[frozenset[str]] = Nodes.listed | {"tree_start"}
    noun: ClassVar[str] = "forest"
    made_by: ClassVar[str] = "a learner"

    def check_shape(self) -> None:
        """The order of inner nodes and leaves alone makes a tree in pre-order; `right` must agree with it."""
        start = self.tree_start
        if len(start) == 0 or start[0] != 0 or start[-1] != self.node_count or (start[1:] <= start[:-1]).any():
            raise self.broken("does not start its trees at rising nodes, from 0 to the number of nodes")
        self.refuse(self.right < -1, "has its second child at {}", self.right)
        i = _core.find_misplaced(start, self.right)
        if i >= 0:
            where = f"{self.place_of(i)} does not come where pre-order has it"
            raise self.broken(f"is broken: {where}, or its tree ends too soon or too late")
        self._check_missing()

    def _check_missing(self) -> None:
        spread = (self.right >= 0) & (self.missing < 0)
        self.refuse(spread, "sends missing cells to child {}; a forest's tests send them to 0 or 1", self.missing)

    def branch_counts(self) -> Array:
        return np.where(self.right < 0, np.int32(0), np.int32(2))

    def child_nodes(self) -> Array:
        inner = np.flatnonzero(self.right >= 0)
        tree = np.searchsorted(self.tree_start, inner, side="right") - 1
        return np.column_stack([inner + 1, self.tree_start[tree] + self.right[inner]]).ravel()

    def place_of(self, i: int) -> str:
        tree = int(np.searchsorted(self.tree_start, i, side="right")) - 1
        return f"node {i - self.tree_start[tree]} of tree {tree}"

    @classmethod
    def of(cls, trees: Sequence[TreeArrays]) -> Forest:
        """The forest of some trees, at least one, each with two branches a test."""
        if not trees:
            raise InputError("There are no trees. A forest is made of at least one. Use Forest.empty(n_outputs).")
        fields = joined_fields([tree.fields() for tree in trees])
        fields["right"] = np.concatenate([tree.children_right for tree in trees])
        fields["tree_start"] = np.cumsum([0] + [tree.node_count for tree in trees])
        forest = cls.of_parts(fields)
        forest._check_missing()
        return forest

    @classmethod
    def empty(cls, n_outputs: int = 1) -> Forest:
        """A forest without trees, to join others to."""
        none: dict[str, Array] = {name: np.empty(0, dtype) for name, (dtype, _) in cls.types.items()}
        return cls.of_parts(none | {"tree_start": np.zeros(1, np.int64), "value": np.empty((0, n_outputs))})

    def __len__(self) -> int:
        return len(self.tree_start) - 1

    def __getitem__(self, i: int) -> TreeArrays:
        """Tree `i`, negative counted from the end."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"There is no tree {i}. The forest has {len(self)}.")
        part = self.part(i % len(self), i % len(self) + 1)
        inner = part.right >= 0
        first: Array = np.cumsum(inner) - inner
        made = {"child_start": 2 * first, "n_children": part.branch_counts(), "children": part.child_nodes()}
        return TreeArrays.of_parts(part.fields() | made)

    def __iter__(self) -> Iterator[TreeArrays]:
        return (self[i] for i in range(len(self)))

    def part(self, first: int, last: int) -> Forest:
        """The trees from `first` up to, not including, `last`."""
        first, last = self._span(first, last)
        nodes = slice(self.tree_start[first], self.tree_start[last])
        ends = np.concatenate([[0], np.cumsum(self.n_routes, dtype=np.int64)])
        routes = slice(ends[nodes.start], ends[nodes.stop])
        fields = {name: getattr(self, name)[nodes] for name in self.per_node()}
        fields |= {
            "tree_start": self.tree_start[first : last + 1] - nodes.start,
            "route_start": moved(self.route_start[nodes], -routes.start),
            "route_codes": self.route_codes[routes],
            "routes": self.routes[routes],
        }
        return Forest.of_parts(fields)

    def joined(self, other: Forest) -> Forest:
        """These trees, then those of another."""
        if self.n_outputs != other.n_outputs:
            raise InputError(
                f"The trees predict {self.n_outputs} and {other.n_outputs} numbers. Join trees of one kind."
            )
        fields = joined_fields([self.fields(), other.fields()])
        fields["right"] = np.concatenate([self.right, other.right])
        fields["tree_start"] = np.concatenate([self.tree_start, other.tree_start[1:] + self.node_count])
        return Forest.of_parts(fields)

    def _span(self, first: int, last: int | None) -> tuple[int, int]:
        last = len(self) if last is None else last
        if not 0 <= first <= last <= len(self):
            raise InputError(f"There are no trees {first} to {last}. The forest has {len(self)}, counted from 0.")
        return first, last

    # Where rows go, and what the leaves there say

    @cached_property
    def packs(self) -> dict[Any, Any]:
        """The forms in which kernels take it, made when they are needed."""
        return {}

    @cached_property
    def leaf_values(self) -> Array:
        """The values of the leaves of all trees, leaves × outputs."""
        return np.ascontiguousarray(self.value[self.right < 0])

    @cached_property
    def node_shares(self) -> Array:
        """The class shares of the nodes of all trees, nodes × classes."""
        return class_shares(self.value)

    @cached_property
    def leaf_shares(self) -> Array:
        """The class shares of the leaves of all trees, leaves × classes."""
        return class_shares(self.leaf_values)

    def made_ready(self, source: Any) -> Forest:
        """The same, with what predicting rows like those of a table in memory needs worked out beforehand."""
        if len(self) and isinstance(source, Table) and source.n_rows:
            pack(self, source)
            _ = self.leaf_shares if self.n_outputs > 1 else self.leaf_values
        return self

    def leaves(self, table: Table, first: int = 0, last: int | None = None) -> Array:
        """The leaf each row comes to, by its number in the tree, rows × trees."""
        return find_leaves(self, table, *self._span(first, last))

    def sums(self, table: Table, first: int = 0, last: int | None = None, *, base: Any = 0.0, group: int = 1) -> Array:
        """Per row `base` plus the values of the leaves it comes to, added tree by tree, rows × outputs.

        With `group` = K > 1 tree t adds to output t mod K, and leaves hold one number. `base` is a number, one
        per output, or an array rows × outputs: sums of earlier trees.
        """
        self._check_group(group)
        total = np.empty((table.n_rows, group if group > 1 else self.n_outputs))
        total[:] = base
        add_answers(self, table, *self._span(first, last), self.leaf_values, group, total)
        return total

    def means(self, table: Table, first: int = 0, last: int | None = None) -> Array:
        """Per row the values of the leaves it comes to, averaged over the trees, rows × outputs."""
        first, last = self._span(first, last)
        return self.sums(table, first, last) / max(last - first, 1)

    def mean_shares(self, table: Table, first: int = 0, last: int | None = None) -> Array:
        """Per row the class shares of the leaves it comes to, averaged over the trees, rows × classes."""
        first, last = self._span(first, last)
        total = np.zeros((table.n_rows, self.n_outputs))
        add_answers(self, table, first, last, self.leaf_shares, 1, total)
        return total / max(last - first, 1)

    # What the columns add to it

    def contributions(self, table: Table, *, group: int = 1, shares: bool = False, mean: bool = False) -> Array:
        """What each column adds to `expected` to make the answer for a row, rows × columns × outputs.

        Shapley values of the columns, a tree's test of an unknown one being answered by training shares (path
        dependent TreeSHAP). They add up to `sums`, with `mean` to `means`, with `shares` to `mean_shares`.
        """
        return self._shapley(table, group, shares, mean, pairs=False)[0]

    def expected(self, *, group: int = 1, shares: bool = False, mean: bool = False) -> Array:
        """The answer when no column is known, one per output: that of the training rows on average."""
        nothing = Table.of_matrix(np.empty((0, int(self.feature.max(initial=-1)) + 1)))
        return self._shapley(nothing, group, shares, mean, pairs=False)[1]

    def interactions(self, table: Table, *, group: int = 1, shares: bool = False, mean: bool = False) -> Array:
        """The contributions divided up, rows × columns × columns × outputs: what two columns add together, half on
        each side of the diagonal, and on it what a column adds by itself. Rows of it sum to `contributions`."""
        found, _ = self._shapley(table, group, shares, mean, pairs=True)
        each = np.arange(table.n_columns)
        alone = self.contributions(table, group=group, shares=shares, mean=mean)
        found[:, each, each] = alone - found.sum(axis=2)
        return found

    def _shapley(self, table: Table, group: int, shares: bool, mean: bool, *, pairs: bool) -> tuple[Array, Array]:
        self._check_group(group)
        answers = self.node_shares if shares else self.value
        found, expected = shapley_values(self, table, answers, group, pairs)
        if shares or mean:
            scale = 1 / max(len(self), 1)
            found *= scale
            expected *= scale
        return found, expected

    def _check_group(self, group: int) -> None:
        if group > 1 and self.n_outputs != 1:
            raise InputError(f"The leaves hold {self.n_outputs} numbers. Trees that take turns hold one.")

    # How much columns matter

    def gain_importance(self, n_columns: int) -> Array:
        """Per column, the impurity its tests take away in all trees, by weight, as shares that sum to 1."""
        return impurity_importance(self, n_columns)

    def split_counts(self, n_columns: int) -> Array:
        """Per column, the number of tests of it in all trees."""
        return split_counts(self, n_columns)


def class_shares(value: Array) -> Array:
    """The weights of classes, nodes × classes, as shares; equal ones where there is no weight."""
    total = value.sum(axis=1, keepdims=True)
    return np.where(total > 0, value, 1.0) / np.where(total > 0, total, float(value.shape[1]))
