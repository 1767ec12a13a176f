"""Nodes of trees as flat arrays: their fields, their checks and their storing, for one tree and for a forest alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.schema import Schema
from learnt.errors import InputError
from learnt.tree.array_checks import check_columns, check_numbers, check_routes, check_tests, typed

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Nodes:
    """The nodes of one tree or of many, one tree after another, each tree's in pre-order: its root comes first, and a
    node's first child is the node after it.

    | field | per node |
    |---|---|
    | `feature` | the column tested, by position; −1 in a leaf |
    | `threshold` | numeric and ordinal tests: cells ≤ it go to child 0, others to child 1; NaN elsewhere |
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

    Where children are is said by the members' own fields. The arrays are read-only. The constructor checks them, since
    they come from a file or a user; what kernels grow, and what is made from other trees, fits together by its making
    (`grown`, `changed`, `of_parts`). To check it again in every round of an ensemble would cost more than the rounds
    of a small table.
    """

    feature: Array
    threshold: Array
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

    types: ClassVar[dict[str, tuple[type, int]]] = {  # what each field is made of: type of number, dimensions
        "feature": (np.int32, 1),
        "threshold": (np.float64, 1),
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
    listed: ClassVar[frozenset[str]] = frozenset({"route_codes", "routes"})  # fields without an entry for each node
    noun: ClassVar[str] = "tree"
    made_by: ClassVar[str] = "a grower"

    def __post_init__(self) -> None:
        for name, (dtype, n_dim) in self.types.items():
            object.__setattr__(self, name, typed(self, name, getattr(self, name), dtype, n_dim))
        n = self.node_count
        for name in self.per_node():
            if len(getattr(self, name)) != n:
                raise self.broken(f"has {n} nodes, but {name!r} has {len(getattr(self, name))} entries")
        if self.n_outputs == 0:
            raise self.broken(f"has {n} nodes that predict 0 numbers")
        self.check_shape()
        if n:
            check_tests(self)
            check_routes(self)
            check_numbers(self)

    @classmethod
    def of_parts(cls, fields: dict[str, Array]) -> Self:
        """What fields of a kernel or of other trees make up, in their types and read-only, without a look at them."""
        made = object.__new__(cls)
        kept: dict[str, Any] = {name: np.ascontiguousarray(fields[name], t) for name, (t, _) in cls.types.items()}
        for array in kept.values():
            array.flags.writeable = False
        made.__dict__.update(kept)
        return made

    @classmethod
    def grown(cls, fields: dict[str, Array]) -> Self:
        """What the fields that a kernel returns make up. Numbers too large to add are the data's doing, and refused."""
        made = cls.of_parts(fields)
        with np.errstate(over="ignore", invalid="ignore"):
            total = made.weight.sum() + made.value.sum() + made.impurity.sum()
        if not math.isfinite(total):
            check_numbers(made)
        return made

    def fields(self) -> dict[str, Array]:
        """The arrays by their names."""
        return {name: getattr(self, name) for name in self.types}

    def changed(self, **fields: Array) -> Self:
        """The same with other numbers in some fields; where its nodes are stays as it is."""
        return self.grown(self.fields() | fields)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its fields and checked again; what was worked out from them is left behind."""
        return _of_fields, (type(self), self.fields())

    # Where nodes are: what members say

    def check_shape(self) -> None:
        """Refuse nodes that are not trees in pre-order."""
        raise NotImplementedError

    def branch_counts(self) -> Array:
        """The number of children of each node."""
        raise NotImplementedError

    def child_nodes(self) -> Array:
        """The children of all inner nodes, in the order of the nodes, counted through all trees."""
        raise NotImplementedError

    # What is the same for all

    @property
    def node_count(self) -> int:
        """The number of nodes of all trees."""
        return len(self.feature)

    @property
    def n_outputs(self) -> int:
        """How many numbers a node holds: one per class, or 1 in regression."""
        return int(self.value.shape[1])

    @classmethod
    def per_node(cls) -> list[str]:
        """The fields with an entry for each node."""
        return [name for name in cls.types if name not in cls.listed]

    def check_columns(self, schema: Schema) -> None:
        """Refuse tests of columns, or categories, in another way than `schema` has them."""
        check_columns(self, schema)

    def place_of(self, i: int) -> str:
        """Node `i` in words."""
        return f"node {i}"

    def refuse(self, wrong: Array, what: str, numbers: Array) -> None:
        """Raise if any node is `wrong`, naming the first and its number."""
        if wrong.any():
            i = int(np.argmax(wrong))
            raise self.broken(f"is broken: {self.place_of(i)} {what.format(numbers[i])}")

    def broken(self, what: str) -> InputError:
        return InputError(
            f"The {self.noun} {what}. Build {self.noun}s with {self.made_by}, or give arrays that fit together."
        )


def joined_fields(parts: list[dict[str, Array]]) -> dict[str, Array]:
    """The fields of nodes one part after another, each with its own routes."""
    before = np.cumsum([0] + [len(part["routes"]) for part in parts])
    fields = {name: np.concatenate([part[name] for part in parts]) for name in Nodes.types}
    fields["route_start"] = np.concatenate(
        [moved(part["route_start"], shift) for part, shift in zip(parts, before[:-1], strict=True)]
    )
    return fields


def moved(route_start: Array, shift: Any) -> Array:
    """Where routes start after a shift; −1 where there are none."""
    start: Array = np.where(route_start < 0, -1, route_start + shift)
    return start


def _of_fields(cls: type[Nodes], fields: dict[str, Array]) -> Nodes:
    return cls(**fields)
