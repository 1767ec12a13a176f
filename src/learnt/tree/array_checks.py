"""Whether arrays make up trees: a kernel that follows their numbers stays inside them and comes to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.schema import Schema

if TYPE_CHECKING:
    from learnt.tree.arrays import TreeArrays
    from learnt.tree.nodes import Nodes

Array = np.ndarray[Any, Any]


def check_lists_of_children(tree: TreeArrays) -> None:
    n, count = tree.node_count, tree.n_children
    if n == 0:
        raise tree.broken("has 0 nodes")
    tree.refuse((count < 0) | (count == 1), "has {} children", count)
    inner = ~tree.is_leaf
    reach = np.where(inner, tree.child_start, 0)
    # Compared without adding, since a sum of hostile numbers may overflow.
    tree.refuse((reach < 0) | (reach > len(tree.children) - count), "has its children outside 'children'", reach)
    # Counted before they are gathered: hostile nodes may all share one long list of children.
    if count.sum(dtype=np.int64) != n - 1 or not np.array_equal(np.sort(tree.kids), np.arange(1, n)):
        raise tree.broken("is not one tree: every node but the first must be the child of exactly one other")
    parents = tree.parents()
    tree.refuse(parents >= np.arange(n), "comes before its parent", parents)
    # Pre-order: the first child follows its parent, the next one the first one's whole subtree.
    first = np.cumsum(count) - count
    kids, sizes = tree.kids, tree.sizes()
    expected = np.empty(n - 1, dtype=np.int64)
    expected[1:] = kids[:-1] + sizes[kids[:-1]]
    expected[first[inner]] = np.flatnonzero(inner) + 1
    if not np.array_equal(kids, expected):
        raise tree.broken("does not number its nodes in pre-order")


def check_tests(nodes: Nodes) -> None:
    count = nodes.branch_counts()
    leaf, nominal = count == 0, nodes.route_start >= 0
    nodes.refuse(nodes.feature < -1, "tests column {}", nodes.feature)
    nodes.refuse(leaf != (nodes.feature == -1), "tests column {} but has no children, or the reverse", nodes.feature)
    nodes.refuse(leaf & nominal, "is a leaf with routes from {}", nodes.route_start)
    numeric = ~leaf & ~nominal
    nodes.refuse(numeric & np.isnan(nodes.threshold), "tests column {} against no threshold", nodes.feature)
    nodes.refuse(numeric & (count != 2), "compares numbers, but has {} children", count)
    wrong = (nodes.missing < -1) | (nodes.missing >= np.maximum(count, 1))
    nodes.refuse(wrong, "sends missing cells to child {}", nodes.missing)
    wrong = (nodes.otherwise < -1) | (nodes.otherwise >= count)
    nodes.refuse(wrong, "sends other categories to child {}", nodes.otherwise)


def check_routes(nodes: Nodes) -> None:
    nominal, count = nodes.route_start >= 0, nodes.n_routes
    nodes.refuse(nodes.route_start < -1, "has routes from {}", nodes.route_start)
    if not nominal.any() and not count.any() and not len(nodes.routes) and not len(nodes.route_codes):
        return
    nodes.refuse(count < 0, "has {} routes", count)
    nodes.refuse(~nominal & (count > 0), "compares no categories, but has {} routes", count)
    # Counted first, so that hostile counts make no long arrays below.
    ends = np.cumsum(count, dtype=np.int64)
    if not len(nodes.routes) == len(nodes.route_codes) == ends[-1]:
        lists = f"lists {len(nodes.routes)}, of {len(nodes.route_codes)} categories"
        raise nodes.broken(f"counts {ends[-1]} routes, but {lists}")
    off = nominal & (nodes.route_start != ends - count)
    nodes.refuse(off, "has routes from {}, not behind those of the nodes before", nodes.route_start)
    owner = np.repeat(np.arange(nodes.node_count), count)
    wrong = np.flatnonzero((nodes.routes < -1) | (nodes.routes >= nodes.branch_counts()[owner]))
    if len(wrong):
        where, child = nodes.place_of(int(owner[wrong[0]])), nodes.routes[wrong[0]]
        raise nodes.broken(f"sends a category of {where} to child {child}, which is not there")
    rises = (nodes.route_codes[1:] > nodes.route_codes[:-1]) | (owner[1:] != owner[:-1])
    if not rises.all() or (nodes.route_codes < 0).any():
        raise nodes.broken("does not list the categories of a test by rising codes")


def check_numbers(nodes: Nodes) -> None:
    # The least and the largest number are NaN if any is: two quick looks, and a third only at what is wrong.
    for name in ("weight", "missing_weight"):
        amount = getattr(nodes, name)
        if not (amount.min() >= 0 and amount.max() < np.inf):
            nodes.refuse(~(np.isfinite(amount) & (amount >= 0)), f"has a {name} of {{}}", amount)
    value = nodes.value
    nodes.refuse(~np.isfinite(value.sum(axis=1)), "predicts {}", value[:, 0])
    if np.isnan(nodes.impurity.min()):
        nodes.refuse(np.isnan(nodes.impurity), "has an impurity of {}", nodes.impurity)


def check_columns(tree: Nodes, schema: Schema) -> None:
    """Refuse tests of columns, or categories, in another way than `schema` has them."""
    inner = np.flatnonzero(tree.feature >= 0)
    column = tree.feature[inner]
    if column.size and column.max() >= len(schema):
        raise tree.broken(f"tests column {column.max()}, but there are {len(schema)} columns")
    nominal = tree.route_start[inner] >= 0
    unfit = np.array([c.kind == "numeric" for c in schema]), np.array([c.kind == "nominal" for c in schema])
    off = np.flatnonzero(np.where(nominal, unfit[0][column], unfit[1][column]))
    if off.size:
        raise tree.broken(f"tests column {schema.columns[column[off[0]]].name!r} not as its kind is tested")
    categories = np.array([len(c.categories) for c in schema], dtype=np.int64)
    tested = np.repeat(tree.feature, tree.n_routes)
    beyond = np.flatnonzero(tree.route_codes >= categories[tested])
    if beyond.size:
        code, place = tree.route_codes[beyond[0]], tested[beyond[0]]
        raise tree.broken(
            f"has a route for category {code} of column {schema.columns[place].name!r}, which has {categories[place]}"
        )


def typed(nodes: Nodes, name: str, given: Any, dtype: type, n_dim: int) -> Array:
    """The array in its own type, read-only; another type is accepted where no number changes."""
    array = np.asarray(given)
    if array.ndim != n_dim:
        raise nodes.broken(f"has a {name!r} of {array.ndim} dimensions, not {n_dim}")
    if array.dtype != dtype or not array.flags.c_contiguous:
        kinds = "iu" if np.dtype(dtype).kind == "i" else "iuf"
        if array.size and array.dtype.kind not in kinds:
            raise nodes.broken(f"has a {name!r} of type {array.dtype}, not {np.dtype(dtype)}")
        same: Array = np.ascontiguousarray(array, dtype=dtype)
        if kinds == "iu" and array.size and not np.array_equal(same, array):
            raise nodes.broken(f"has numbers in {name!r} too large for {np.dtype(dtype)}")
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
