"""Many binary trees as flat arrays, one tree after another: what ensembles of trees predict with and are saved as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.ensemble.trees.checks import FIELDS, broken, check_forest, check_numbers, refuse
from learnt.ensemble.trees.predict import add_answers, find_leaves, pack, shapley_values
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.storable import storable
from learnt.tree import TreeArrays, check_columns, check_overflow, trusted, typed

__all__ = ["Forest"]

_SAME = ("feature", "threshold", "n_routes", "otherwise", "missing", "weight", "impurity", "value", "missing_weight")


@storable
@dataclass(frozen=True, eq=False)
class Forest:
    """Trees of two branches a test, their nodes one after another, each tree's in pre-order.

    `tree_start` has the place of every tree's first node, and the number of all nodes at its end. Child 0 of a
    node is the node after it; `right` has the number of child 1, counted within the tree, and −1 in a leaf.
    `route_start` points into `route_codes` and `routes` of all trees. The other fields are those of
    `TreeArrays`; `missing` is 0 or 1 at every test.
    """

    tree_start: Array
    feature: Array
    threshold: Array
    right: Array
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
        for name, (dtype, n_dim) in FIELDS.items():
            object.__setattr__(self, name, typed(name, getattr(self, name), dtype, n_dim))
        check_forest(self)

    @classmethod
    def grown(cls, fields: dict[str, Array]) -> Forest:
        """The forest of the fields that a kernel returns: they fit together by construction."""
        forest = trusted(cls, fields, FIELDS)
        check_overflow(forest, check_numbers)
        return forest

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its fields and checked again; what was worked out from them is left behind."""
        return Forest, tuple(getattr(self, name) for name in FIELDS)

    @classmethod
    def of(cls, trees: Sequence[TreeArrays]) -> Forest:
        """The forest of some trees, at least one, each with two branches a test."""
        if not trees:
            raise InputError("There are no trees. A forest is made of at least one. Use Forest.empty(n_outputs).")
        fields: dict[str, Any] = {name: np.concatenate([getattr(t, name) for t in trees]) for name in _SAME}
        sizes = [t.node_count for t in trees]
        fields["right"] = np.concatenate([t.children_right for t in trees])
        fields["route_codes"] = np.concatenate([t.route_codes for t in trees])
        fields["routes"] = np.concatenate([t.routes for t in trees])
        before = np.cumsum([0] + [len(t.routes) for t in trees])[:-1]
        start = np.concatenate([t.route_start for t in trees])
        fields["route_start"] = np.where(start < 0, -1, start + np.repeat(before, sizes))
        forest = trusted(cls, fields | {"tree_start": np.cumsum([0, *sizes])}, FIELDS)
        spread = (forest.right >= 0) & (forest.missing < 0)
        refuse(forest, spread, "sends missing cells to child {}; a forest's tests send them to 0 or 1", forest.missing)
        return forest

    @classmethod
    def empty(cls, n_outputs: int = 1) -> Forest:
        """A forest without trees, to join others to."""
        none: dict[str, Any] = {name: np.empty(0, dtype) for name, (dtype, _) in FIELDS.items()}
        return trusted(cls, none | {"tree_start": np.zeros(1, np.int64), "value": np.empty((0, n_outputs))}, FIELDS)

    def __len__(self) -> int:
        return len(self.tree_start) - 1

    def __getitem__(self, i: int) -> TreeArrays:
        """Tree `i`, negative counted from the end."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"There is no tree {i}. The forest has {len(self)}.")
        part = self.part(i % len(self), i % len(self) + 1)
        inner = part.right >= 0
        first: Array = np.cumsum(inner) - inner
        children = np.column_stack([np.flatnonzero(inner) + 1, part.right[inner]]).ravel()
        same = {name: getattr(part, name) for name in (*_SAME, "route_start", "route_codes", "routes")}
        made = {"child_start": 2 * first, "n_children": 2 * inner.astype(np.int32), "children": children}
        return TreeArrays.of_parts(same | made)

    def __iter__(self) -> Iterator[TreeArrays]:
        return (self[i] for i in range(len(self)))

    def part(self, first: int, last: int) -> Forest:
        """The trees from `first` up to, not including, `last`."""
        first, last = self._span(first, last)
        nodes = slice(self.tree_start[first], self.tree_start[last])
        ends = np.concatenate([[0], np.cumsum(self.n_routes, dtype=np.int64)])
        routes = slice(ends[nodes.start], ends[nodes.stop])
        fields = {name: getattr(self, name)[nodes] for name in (*_SAME, "right")}
        start = self.route_start[nodes]
        fields |= {
            "tree_start": self.tree_start[first : last + 1] - nodes.start,
            "route_start": np.where(start < 0, -1, start - routes.start),
            "route_codes": self.route_codes[routes],
            "routes": self.routes[routes],
        }
        return trusted(Forest, fields, FIELDS)

    def joined(self, other: Forest) -> Forest:
        """These trees, then those of another."""
        if self.n_outputs != other.n_outputs:
            raise InputError(
                f"The trees predict {self.n_outputs} and {other.n_outputs} numbers. Join trees of one kind."
            )
        fields = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in FIELDS}
        fields["tree_start"] = np.concatenate([self.tree_start, other.tree_start[1:] + self.node_count])
        moved = np.where(other.route_start < 0, -1, other.route_start + len(self.routes))
        fields["route_start"] = np.concatenate([self.route_start, moved])
        return trusted(Forest, fields, FIELDS)

    def check_columns(self, schema: Schema) -> None:
        """Refuse trees that test columns, or categories, in another way than `schema` has them."""
        check_columns(self, schema, broken)

    # What it is

    @property
    def node_count(self) -> int:
        """The number of nodes of all trees."""
        return len(self.feature)

    @property
    def n_outputs(self) -> int:
        """How many numbers a leaf holds."""
        return int(self.value.shape[1])

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
        mass = self.weight * self.impurity
        inner = np.flatnonzero(self.right >= 0)
        tree = np.searchsorted(self.tree_start, inner, side="right") - 1
        below = mass[inner + 1] + mass[self.tree_start[tree] + self.right[inner]]
        found = np.bincount(self.feature[inner], mass[inner] - below, n_columns)
        total = found.sum()
        return found / total if total > 0 else np.zeros(n_columns)

    def split_counts(self, n_columns: int) -> Array:
        """Per column, the number of tests of it in all trees."""
        return np.bincount(self.feature[self.right >= 0], minlength=n_columns)


def class_shares(value: Array) -> Array:
    """The weights of classes, nodes × classes, as shares; equal ones where there is no weight."""
    total = value.sum(axis=1, keepdims=True)
    return np.where(total > 0, value, 1.0) / np.where(total > 0, total, float(value.shape[1]))
