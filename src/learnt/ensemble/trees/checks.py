"""Whether arrays make up a forest: a kernel that follows their numbers stays inside them and comes to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError

if TYPE_CHECKING:
    from learnt.ensemble.trees.forest import Forest

FIELDS: dict[str, tuple[type, int]] = {  # what each field is made of: type of number, dimensions
    "tree_start": (np.int64, 1),
    "feature": (np.int32, 1),
    "threshold": (np.float64, 1),
    "right": (np.int32, 1),
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
_FREE_LENGTH = {"tree_start", "route_codes", "routes"}


def check_forest(forest: Forest) -> None:
    n = forest.node_count
    for name in FIELDS.keys() - _FREE_LENGTH:
        if len(getattr(forest, name)) != n:
            raise broken(f"has {n} nodes, but {name!r} has {len(getattr(forest, name))} entries")
    if forest.value.shape[1] == 0:
        raise broken("has nodes that predict no numbers")
    start = forest.tree_start
    if len(start) == 0 or start[0] != 0 or start[-1] != n or (start[1:] <= start[:-1]).any():
        raise broken("does not start its trees at rising nodes, from 0 to the number of nodes")
    if n:
        _check_shape(forest)
        _check_tests(forest)
        _check_routes(forest)
        check_numbers(forest)


def _check_shape(forest: Forest) -> None:
    """The order of inner nodes and leaves alone makes a tree in pre-order; `right` must agree with it."""
    refuse(forest, forest.right < -1, "has its second child at {}", forest.right)
    i = _core.find_misplaced(forest.tree_start, forest.right)
    if i >= 0:
        where = _where(forest, i)
        raise broken(f"is broken: {where} does not come where pre-order has it, or its tree ends too soon or too late")


def _check_tests(forest: Forest) -> None:
    leaf, nominal = forest.right < 0, forest.route_start >= 0
    refuse(forest, forest.feature < -1, "tests column {}", forest.feature)
    refuse(
        forest, leaf != (forest.feature == -1), "tests column {} but has no children, or the reverse", forest.feature
    )
    refuse(forest, leaf & nominal, "is a leaf with routes from {}", forest.route_start)
    numeric = ~leaf & ~nominal
    refuse(forest, numeric & np.isnan(forest.threshold), "tests column {} against no threshold", forest.feature)
    wrong = ~leaf & ((forest.missing < 0) | (forest.missing > 1))
    refuse(forest, wrong, "sends missing cells to child {}; a forest's tests send them to 0 or 1", forest.missing)
    wrong = (forest.otherwise < -1) | (forest.otherwise > 1)
    refuse(forest, wrong, "sends other categories to child {}", forest.otherwise)


def _check_routes(forest: Forest) -> None:
    nominal, count = forest.route_start >= 0, forest.n_routes
    refuse(forest, forest.route_start < -1, "has routes from {}", forest.route_start)
    if not nominal.any() and not count.any() and not len(forest.routes) and not len(forest.route_codes):
        return
    refuse(forest, count < 0, "has {} routes", count)
    refuse(forest, ~nominal & (count > 0), "compares no categories, but has {} routes", count)
    # Counted first, so that hostile counts make no long arrays below.
    ends = np.cumsum(count, dtype=np.int64)
    if not len(forest.routes) == len(forest.route_codes) == ends[-1]:
        lists = f"lists {len(forest.routes)}, of {len(forest.route_codes)} categories"
        raise broken(f"counts {ends[-1]} routes, but {lists}")
    off = nominal & (forest.route_start != ends - count)
    refuse(forest, off, "has routes from {}, not behind those of the nodes before", forest.route_start)
    wrong = np.flatnonzero((forest.routes < -1) | (forest.routes > 1))
    if len(wrong):
        raise broken(f"sends a category to child {forest.routes[wrong[0]]}, which is not there")
    rises = forest.route_codes[1:] > forest.route_codes[:-1]
    rises[ends[:-1][(ends[:-1] > 0) & (ends[:-1] < ends[-1])] - 1] = True  # from one test to the next
    if not rises.all() or (forest.route_codes < 0).any():
        raise broken("does not list the categories of a test by rising codes")


def check_numbers(forest: Forest) -> None:
    # The least and the largest number are NaN if any is: two quick looks, and a third only at what is wrong.
    for name in ("weight", "missing_weight"):
        amount = getattr(forest, name)
        if not (amount.min() >= 0 and amount.max() < np.inf):
            refuse(forest, ~(np.isfinite(amount) & (amount >= 0)), f"has a {name} of {{}}", amount)
    value = forest.value
    if not (value.min() > -np.inf and value.max() < np.inf):
        refuse(forest, ~np.isfinite(value.sum(axis=1)), "predicts {}", value[:, 0])
    if np.isnan(forest.impurity.min()):
        refuse(forest, np.isnan(forest.impurity), "has an impurity of {}", forest.impurity)


def refuse(forest: Forest, wrong: Array, what: str, numbers: Array) -> None:
    """Raise if any node is `wrong`, naming the first, its tree and its number."""
    if wrong.any():
        i = int(np.argmax(wrong))
        raise broken(f"is broken: {_where(forest, i)} {what.format(numbers[i])}")


def _where(forest: Forest, i: int) -> str:
    tree = int(np.searchsorted(forest.tree_start, i, side="right")) - 1
    return f"node {i - forest.tree_start[tree]} of tree {tree}"


def broken(what: str) -> InputError:
    return InputError(f"The forest {what}. Build forests with a learner, or give arrays that fit together.")
