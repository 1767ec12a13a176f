import dataclasses

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from learnt.data.schema import ColumnSchema, Schema
from learnt.errors import InputError, LearntError
from learnt.tree.array_checks import spans
from learnt.tree.arrays import TreeArrays, one_leaf

from .trees import FIELDS, PLAY, build, from_sklearn, leaf, node, numeric, play


@pytest.fixture(scope="module")
def deep():
    X, y = make_classification(600, 5, n_informative=4, n_redundant=0, flip_y=0.3, random_state=3)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    return model, from_sklearn(model)


def same(a: TreeArrays, b: TreeArrays) -> bool:
    return all(np.array_equal(getattr(a, f), getattr(b, f), equal_nan=True) for f in FIELDS)


def by_walking(tree: TreeArrays, i: int = 0, depth: int = 0) -> list[tuple[int, int, int]]:
    """(node, depth, size of subtree) by plain recursion."""
    below = [entry for child in tree.children_of(i).tolist() for entry in by_walking(tree, child, depth + 1)]
    return [(i, depth, len(below) + 1), *below]


def test_counts_depths_and_sizes_are_those_found_by_walking(deep):
    model, tree = deep
    walked = by_walking(tree)
    assert [i for i, _, _ in walked] == list(range(tree.node_count))  # pre-order
    assert tree.depths().tolist() == [depth for _, depth, _ in walked]
    assert tree.sizes().tolist() == [size for _, _, size in walked]
    assert tree.node_count == model.tree_.node_count
    assert (tree.n_leaves, tree.max_depth) == (model.get_n_leaves(), model.get_depth())
    assert tree.n_outputs == 2


def test_left_and_right_children_are_scikit_learns(deep):
    model, tree = deep  # scikit-learn numbers depth-first trees in pre-order, too
    np.testing.assert_array_equal(tree.children_left, model.tree_.children_left)
    np.testing.assert_array_equal(tree.children_right, model.tree_.children_right)


def test_left_and_right_are_refused_where_a_node_has_three_children():
    with pytest.raises(InputError, match="Node 0 has 3 children"):
        _ = play().children_left


def test_a_chain_as_deep_as_it_is_long_is_no_problem():
    n = 20_001
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    kids = np.column_stack([np.arange(1, n, 2), np.arange(2, n + 1, 2)]).ravel()
    tree = TreeArrays(
        feature=np.where(inner, 0, -1),
        threshold=np.where(inner, 1.0, np.nan),
        child_start=np.cumsum(2 * inner) - 2 * inner,
        n_children=2 * inner,
        children=kids,
        route_start=np.full(n, -1),
        n_routes=np.zeros(n, int),
        route_codes=np.zeros(0, int),
        routes=np.zeros(0, int),
        otherwise=np.full(n, -1),
        missing=np.full(n, -1),
        weight=np.ones(n),
        impurity=np.zeros(n),
        value=np.ones((n, 2)),
        missing_weight=np.zeros(n),
    )
    assert tree.max_depth == 10_000
    assert tree.sizes()[0] == n


def test_a_subtree_is_the_tree_grown_from_there(deep):
    _, tree = deep
    i = int(tree.children_of(0)[1])
    part = tree.subtree(i)
    assert part.node_count == tree.sizes()[i]
    np.testing.assert_array_equal(part.weight, tree.weight[i : i + part.node_count])
    assert part.children_of(0).tolist() == (tree.children_of(i) - i).tolist()


def test_collapsed_nodes_are_leaves_and_what_is_left_keeps_its_numbers():
    tree = play().collapsed([1, 5])
    assert tree.node_count == 4
    assert tree.is_leaf.tolist() == [False, True, True, True]
    assert tree.value.tolist() == [[9, 5], [2, 3], [4, 0], [3, 2]]
    assert tree.routes.tolist() == [0, 1, 2]
    assert play().collapsed([0]).node_count == 1
    assert play().collapsed([]).node_count == 8
    assert same(play().collapsed([1, 2]), play().collapsed([1]))  # a node below a cut one


def test_replacing_a_node_by_its_own_subtree_changes_nothing(deep):
    for tree in (deep[1], play()):
        for i in range(0, tree.node_count, 7):
            assert same(tree.replaced(i, tree.subtree(i)), tree)


def test_replacing_by_a_leaf_is_collapsing():
    tree = play()
    replaced = tree.replaced(5, one_leaf([3, 2], 5))
    assert same(replaced, tree.collapsed([5]))


def test_raising_a_branch_keeps_its_routes():
    tree = play()
    raised = tree.replaced(0, tree.subtree(5))
    assert raised.feature.tolist() == [2, -1, -1]
    assert raised.routes_of(0, 2).tolist() == [0, 1]
    grown = tree.replaced(4, tree)
    assert grown.node_count == 15
    assert [grown.routes_of(i, 3).tolist() for i in (0, 4)] == [[0, 1, 2], [0, 1, 2]]


def many_towns() -> TreeArrays:
    """Two tests of a column of 1,000 categories that list a few of them, and one that lists none."""
    low = node(0, leaf(3, 0), leaf(1, 1), routes={7: 1, 900: 0}, otherwise=-1, missing=0)
    high = node(0, leaf(3, 0), leaf(1, 1), routes={}, otherwise=0, missing=1)
    return build(node(0, low, high, routes={3: 1, 400: 1, 999: -1}, otherwise=0, missing=1))


def test_categories_that_are_not_listed_take_the_other_way():
    tree = many_towns()
    towns = [0, 3, 7, 400, 401, 900, 999]
    assert tree.routes_of(0, 1000)[towns].tolist() == [0, 1, 0, 1, 0, 0, -1]
    assert tree.routes_of(1, 1000)[towns].tolist() == [-1, -1, 1, -1, -1, 0, -1]
    assert (tree.subtree(4).routes_of(0, 5) == 0).all()  # no route is listed at all


def test_parts_of_a_tree_keep_what_they_list():
    tree = many_towns()
    for i in range(tree.node_count):
        assert same(tree.replaced(i, tree.subtree(i)), tree)
    cut = tree.collapsed([1])
    assert (cut.route_codes.tolist(), cut.otherwise.tolist()) == ([3, 400, 999], [0, -1, 0, -1, -1])


def test_shares_are_the_parts_of_the_weight():
    np.testing.assert_allclose(play().share(0), [5 / 14, 4 / 14, 5 / 14])
    empty = build(node(0, leaf(0, 0), leaf(0, 0), threshold=1.0))
    assert empty.share(0).tolist() == [0.5, 0.5]


def test_one_leaf_predicts_without_a_test():
    for tree, k in ((one_leaf([3, 4], 7, 0.9), 2), (one_leaf(2.5, 7), 1)):
        assert (tree.node_count, tree.n_leaves, tree.max_depth, tree.n_outputs) == (1, 1, 0, k)


def test_spans_are_ranges_one_after_another():
    assert spans(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]


def test_arrays_cannot_be_written_to_and_the_givers_stay_writable():
    weight = np.array([7.0])
    tree = dataclasses.replace(one_leaf([3, 4], 7), weight=weight)
    with pytest.raises(ValueError, match="read-only"):
        tree.weight[0] = 1
    weight[0] = 8


HOSTILE = {
    "a child outside": {"children": [1, 2, 3, 4, 99, 6, 7]},
    "a negative child": {"children": [1, 2, 3, 4, -5, 6, 7]},
    "a child twice": {"children": [1, 4, 5, 2, 2, 6, 7]},
    "the root as a child": {"children": [1, 4, 5, 2, 0, 6, 7]},
    "a child before its parent": {"children": [5, 4, 1, 2, 3, 6, 7]},
    "another order": {"children": [1, 5, 4, 2, 3, 6, 7]},
    "children beyond the list": {"child_start": [0, 3, 0, 0, 0, 6, 0, 0]},
    "a start that overflows": {"child_start": [0, 2**63 - 1, 0, 0, 0, 5, 0, 0]},
    "a negative start": {"child_start": [-1, 3, 0, 0, 0, 5, 0, 0]},
    "a single child": {"n_children": [3, 1, 0, 0, 0, 2, 0, 0]},
    "a negative number of children": {"n_children": [3, -2, 0, 0, 0, 2, 0, 0]},
    "countless children": {"n_children": [2**31 - 1, 2, 0, 0, 0, 2, 0, 0]},
    "a route to no child": {"routes": [0, 1, 3, 0, 1]},
    "a route below −1": {"routes": [0, 1, -2, 0, 1]},
    "routes beyond the list": {"route_start": [0, -1, -1, -1, -1, 5, -1, -1]},
    "routes far beyond the list": {"route_start": [0, -1, -1, -1, -1, 2**62, -1, -1]},
    "routes before the list": {"route_start": [0, -1, -1, -1, -1, -2, -1, -1]},
    "shared routes": {"route_start": [0, -1, -1, -1, -1, 0, -1, -1]},
    "routes in a leaf": {"route_start": [0, -1, 2, -1, -1, 3, -1, -1]},
    "routes of a threshold": {"route_start": [0, -1, -1, -1, -1, -1, -1, -1], "threshold": np.ones(8)},
    "a negative number of routes": {"n_routes": [6, 0, 0, 0, 0, -1, 0, 0]},
    "countless routes": {"n_routes": [2**31 - 1, 0, 0, 0, 0, 2, 0, 0]},
    "fewer routes than listed": {"n_routes": [2, 0, 0, 0, 0, 2, 0, 0]},
    "routes without categories": {"route_codes": [0, 1, 2, 0]},
    "categories out of order": {"route_codes": [0, 2, 1, 0, 1]},
    "a category twice": {"route_codes": [0, 1, 1, 0, 1]},
    "a category below 0": {"route_codes": [-1, 1, 2, 0, 1]},
    "other categories to no child": {"otherwise": [3, -1, -1, -1, -1, -1, -1, -1]},
    "other categories below −1": {"otherwise": [-2, -1, -1, -1, -1, -1, -1, -1]},
    "other categories of a leaf": {"otherwise": [-1, -1, 1, -1, -1, -1, -1, -1]},
    "a numeric test of three branches": {"route_start": [-1, -1, -1, -1, -1, 3, -1, -1], "threshold": np.ones(8)},
    "no threshold": {"threshold": np.full(8, np.nan)},
    "a test in a leaf": {"feature": [0, 1, 1, -1, -1, 2, -1, -1]},
    "no test in an inner node": {"feature": [0, -1, -1, -1, -1, 2, -1, -1]},
    "a column below −1": {"feature": [-3, 1, -1, -1, -1, 2, -1, -1]},
    "missing to a child too far": {"missing": [3, 0, 0, 0, 0, 0, 0, 0]},
    "missing below −1": {"missing": [-2, 0, 0, 0, 0, 0, 0, 0]},
    "negative weight": {"weight": [-1.0] * 8},
    "infinite weight": {"weight": [np.inf] * 8},
    "NaN as an answer": {"value": np.full((8, 2), np.nan)},
    "no answers": {"value": np.zeros((8, 0))},
    "a flat answer": {"value": np.zeros(8)},
    "too few weights": {"weight": [1.0] * 7},
    "fractions for children": {"children": [1.0, 4.0, 5.0, 2.0, 3.0, 6.0, 7.5]},
    "numbers beyond int32": {"children": np.array([1, 4, 5, 2, 3, 6, 7 + 2**32])},
    "texts": {"missing": ["a"] * 8},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_arrays_that_do_not_make_a_tree_are_refused(what):
    good = {name: getattr(play(), name) for name in FIELDS}
    TreeArrays(**good)
    with pytest.raises(LearntError, match="The tree "):
        TreeArrays(**(good | {name: np.array(entries) for name, entries in HOSTILE[what].items()}))


def test_no_nodes_are_no_tree():
    empty = {name: getattr(play(), name)[:0] for name in FIELDS}
    with pytest.raises(InputError, match="0 nodes"):
        TreeArrays(**empty)


def test_a_tree_fits_its_columns_or_says_which_it_does_not():
    tree = play()
    tree.check_columns(PLAY)
    with pytest.raises(InputError, match="tests column 2, but there are 2 columns"):
        tree.check_columns(Schema(PLAY.columns[:2]))
    with pytest.raises(InputError, match="'a' not as its kind"):
        tree.check_columns(numeric("a", "b", "c"))
    less = ColumnSchema("outlook", "nominal", ("sunny", "overcast"))
    with pytest.raises(InputError, match="a route for category 2 of column 'outlook', which has 2"):
        tree.check_columns(Schema((less, *PLAY.columns[1:])))
    unordered = ColumnSchema("humidity", "nominal", ("a", "b"))
    with pytest.raises(InputError, match="'humidity' not as its kind"):
        tree.check_columns(Schema((PLAY.columns[0], unordered, PLAY.columns[2])))
