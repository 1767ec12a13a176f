"""Whether arrays make up a tree: a kernel that follows their numbers stays inside them and comes to an end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.schema import Schema
from learnt.errors import InputError

if TYPE_CHECKING:
    from learnt.tree.arrays import TreeArrays

Array = np.ndarray[Any, Any]


def check_shape(tree: TreeArrays) -> None:
    n, count = tree.node_count, tree.n_children
    refuse((count < 0) | (count == 1), "has {} children", count)
    inner = ~tree.is_leaf
    reach = np.where(inner, tree.child_start, 0)
    # Compared without adding, since a sum of hostile numbers may overflow.
    refuse((reach < 0) | (reach > len(tree.children) - count), "has its children outside 'children'", reach)
    # Counted before they are gathered: hostile nodes may all share one long list of children.
    if count.sum(dtype=np.int64) != n - 1 or not np.array_equal(np.sort(tree.kids), np.arange(1, n)):
        raise broken("is not one tree: every node but the first must be the child of exactly one other")
    parents = tree.parents()
    refuse(parents >= np.arange(n), "comes before its parent", parents)
    # Pre-order: the first child follows its parent, the next one the first one's whole subtree.
    first = np.cumsum(count) - count
    kids, sizes = tree.kids, tree.sizes()
    expected = np.empty(n - 1, dtype=np.int64)
    expected[1:] = kids[:-1] + sizes[kids[:-1]]
    expected[first[inner]] = np.flatnonzero(inner) + 1
    if not np.array_equal(kids, expected):
        raise broken("does not number its nodes in pre-order")


def check_tests(tree: TreeArrays) -> None:
    leaf, nominal = tree.is_leaf, tree.route_start >= 0
    refuse(tree.feature < -1, "tests column {}", tree.feature)
    refuse(leaf != (tree.feature == -1), "tests column {} but has no children, or the reverse", tree.feature)
    refuse(leaf & nominal, "is a leaf with routes from {}", tree.route_start)
    refuse(tree.route_start < -1, "has routes from {}", tree.route_start)
    numeric = ~leaf & ~nominal
    refuse(numeric & np.isnan(tree.threshold), "tests column {} against no threshold", tree.feature)
    refuse(numeric & (tree.n_children != 2), "compares numbers, but has {} children", tree.n_children)
    wrong = (tree.missing < -1) | (tree.missing >= np.maximum(tree.n_children, 1))
    refuse(wrong, "sends missing cells to child {}", tree.missing)
    check_routes(tree)


def check_routes(tree: TreeArrays) -> None:
    nominal, count = tree.route_start >= 0, tree.n_routes
    refuse(count < 0, "has {} routes", count)
    refuse(~nominal & (count > 0), "compares no categories, but has {} routes", count)
    wrong = (tree.otherwise < -1) | (tree.otherwise >= tree.n_children)
    refuse(wrong, "sends other categories to child {}", tree.otherwise)
    # Counted first, so that hostile counts make no long arrays below.
    ends = np.cumsum(count, dtype=np.int64)
    if not len(tree.routes) == len(tree.route_codes) == ends[-1]:
        raise broken(f"counts {ends[-1]} routes, but lists {len(tree.routes)}, of {len(tree.route_codes)} categories")
    off = nominal & (tree.route_start != ends - count)
    refuse(off, "has routes from {}, not behind those of the nodes before", tree.route_start)
    owner = np.repeat(np.arange(tree.node_count), count)
    off = np.flatnonzero((tree.routes < -1) | (tree.routes >= tree.n_children[owner]))
    if len(off):
        raise broken(f"sends a category of node {owner[off[0]]} to child {tree.routes[off[0]]}, which is not there")
    follows = np.flatnonzero(owner[1:] == owner[:-1]) + 1
    off = follows[tree.route_codes[follows] <= tree.route_codes[follows - 1]]
    if len(off) or (tree.route_codes < 0).any():
        raise broken("does not list the categories of a test by rising codes")


def check_numbers(tree: TreeArrays) -> None:
    if tree.node_count == 0 or tree.n_outputs == 0:
        raise broken(f"has {tree.node_count} nodes that predict {tree.n_outputs} numbers")
    for name in ("weight", "missing_weight"):
        amount = getattr(tree, name)
        refuse(~(np.isfinite(amount) & (amount >= 0)), f"has a {name} of {{}}", amount)
    refuse(~np.isfinite(np.sum(tree.value, axis=1)), "predicts {}", tree.value[:, 0])
    refuse(np.isnan(tree.impurity), "has an impurity of {}", tree.impurity)


def check_columns(tree: Any, schema: Schema, wrong: Callable[[str], Exception] | None = None) -> None:
    """Refuse tests of columns, or categories, in another way than `schema` has them.

    `tree` has the fields of tests of `TreeArrays`, of one tree or of many one after another.
    """
    wrong = wrong or broken
    inner = np.flatnonzero(tree.feature >= 0)
    column = tree.feature[inner]
    if column.size and column.max() >= len(schema):
        raise wrong(f"tests column {column.max()}, but there are {len(schema)} columns")
    nominal = tree.route_start[inner] >= 0
    unfit = np.array([c.kind == "numeric" for c in schema]), np.array([c.kind == "nominal" for c in schema])
    off = np.flatnonzero(np.where(nominal, unfit[0][column], unfit[1][column]))
    if off.size:
        raise wrong(f"tests column {schema.columns[column[off[0]]].name!r} not as its kind is tested")
    categories = np.array([len(c.categories) for c in schema], dtype=np.int64)
    tested = np.repeat(tree.feature, tree.n_routes)
    beyond = np.flatnonzero(tree.route_codes >= categories[tested])
    if beyond.size:
        code, place = tree.route_codes[beyond[0]], tested[beyond[0]]
        raise wrong(
            f"has a route for category {code} of column {schema.columns[place].name!r}, which has {categories[place]}"
        )


def typed(name: str, given: Any, dtype: type, n_dim: int) -> Array:
    """The array in its own type, read-only; another type is accepted where no number changes."""
    array = np.asarray(given)
    if array.ndim != n_dim:
        raise broken(f"has a {name!r} of {array.ndim} dimensions, not {n_dim}")
    if array.dtype != dtype or not array.flags.c_contiguous:
        kinds = "iu" if np.dtype(dtype).kind == "i" else "iuf"
        if array.size and array.dtype.kind not in kinds:
            raise broken(f"has a {name!r} of type {array.dtype}, not {np.dtype(dtype)}")
        same: Array = np.ascontiguousarray(array, dtype=dtype)
        if kinds == "iu" and array.size and not np.array_equal(same, array):
            raise broken(f"has numbers in {name!r} too large for {np.dtype(dtype)}")
        array = same
    view = array.view()
    view.flags.writeable = False
    return view


def spans(starts: Array, lengths: Array) -> Array:
    """The numbers start, start + 1, …, start + length − 1 of every span, one span after another."""
    lengths = lengths.astype(np.int64)
    ends = np.cumsum(lengths)
    shift = np.repeat(starts - (ends - lengths), lengths)
    return shift + np.arange(len(shift))


def refuse(wrong: Array, what: str, numbers: Array) -> None:
    """Raise if any node is `wrong`, naming the first and its number."""
    if wrong.any():
        i = int(np.argmax(wrong))
        raise broken(f"is broken: node {i} {what.format(numbers[i])}")


def broken(what: str) -> InputError:
    return InputError(f"The tree {what}. Build trees with a grower, or give arrays that fit together.")
