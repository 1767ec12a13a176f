"""A forest predicts as its trees do one by one, for any kind of table, level and number of threads."""

import pickle
import time
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy import sparse
from tests.ensemble.forest.random_forests import LEVELS, at_level, forest_of, mixed, numbers, trees_of
from tests.saving.saving_box import holding
from tests.tree.trees import build, leaf, node

from learnt import _core
from learnt.data.table import Column, Table
from learnt.ensemble.trees.forest import Forest
from learnt.errors import InputError
from learnt.saving import load, save
from learnt.tree.arrays import TreeArrays, one_leaf
from learnt.tree.reach import leaves_of

TABLES = {
    "float64": numbers(1),
    "float32": numbers(2, dtype=np.float32),
    "mixed": mixed(3),
    "mixed float32": mixed(4, dtype=np.float32),
    "very many categories": mixed(5, many=40_000),
}


def same(a, b):
    for field in fields(TreeArrays):
        np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name))


def plain_sums(trees, table, answers, group=1, base=0.0):
    """Tree by tree, by the walk of single trees; `answers` gives the numbers of a tree's nodes."""
    outputs = group if group > 1 else trees[0].n_outputs
    total = np.zeros((table.n_rows, outputs)) + base
    for t, tree in enumerate(trees):
        here = slice(t % group, t % group + 1) if group > 1 else slice(None)
        total[:, here] += answers(tree)[leaves_of(tree, table)]
    return total


def values(tree):
    return tree.value


def shares(tree):
    return tree.value / tree.value.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("leaves", [2, 7, 64, 65, None])
@pytest.mark.parametrize("level", LEVELS)
def test_leaves_sums_and_shares_are_those_of_the_trees(table, leaves, level):
    trees = trees_of(table, 7, leaves=leaves)
    forest = Forest.of(trees)
    for rows in (table, table.rows(0, 1), table.rows(3, 12), table.rows(4, 4)):
        expected = np.column_stack([leaves_of(tree, rows) for tree in trees])
        with at_level(level):
            np.testing.assert_array_equal(forest.leaves(rows), expected)
            np.testing.assert_array_equal(forest.sums(rows, base=0.5), plain_sums(trees, rows, values, base=0.5))
            np.testing.assert_array_equal(forest.mean_shares(rows), plain_sums(trees, rows, shares) / len(trees))
            np.testing.assert_array_equal(forest.means(rows), plain_sums(trees, rows, values) / len(trees))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 3000])
def test_neither_threads_nor_other_rows_change_a_bit(n):
    table = numbers(1, n)
    forest = forest_of(numbers(1), 2, 9, classes=0, leaves=40)
    before = _core.get_threads()
    try:
        found = []
        for threads in (1, 2, 5):
            _core.set_threads(threads)
            found.append(forest.sums(table))
    finally:
        _core.set_threads(before)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    assert found[0][n // 2] == forest.sums(table.rows(n // 2, n // 2 + 1))[0]


@pytest.mark.parametrize("layout", ["rows", "columns", "reversed", "every other"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_may_lie_in_memory_in_any_way(layout, dtype):
    x = numbers(3, dtype=dtype).matrix
    forest = forest_of(Table(x), 1)
    laid = {
        "rows": x,
        "columns": np.asfortranarray(x),
        "reversed": np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
        "every other": np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    }[layout]
    np.testing.assert_array_equal(forest.sums(Table.of_matrix(laid)), forest.sums(Table.of_matrix(x)))


def test_a_sparse_matrix_is_a_dense_one():
    x = np.where(np.random.default_rng(0).random((200, 6)) < 0.7, 0.0, numbers(0, 200, 6, missing=0).matrix)
    forest = forest_of(Table(x), 1)
    table = Table(sparse.csr_matrix(x))
    np.testing.assert_array_equal(forest.sums(table), forest.sums(Table(x)))
    np.testing.assert_array_equal(forest.leaves(table), forest.leaves(Table(x)))
    np.testing.assert_allclose(forest.contributions(table), forest.contributions(Table(x)), atol=1e-15)


def test_a_float32_cell_is_compared_as_the_number_it_is():
    near = np.nextafter(np.float32(0.1), np.float32(1))  # 0.1 lies between two float32 numbers
    cells = np.array([np.nextafter(near, np.float32(0)), near, np.float32(0.1), 0.2, -np.inf, np.inf], np.float32)
    tree = build(node(0, leaf(1.0), leaf(2.0), threshold=0.1, missing=0))
    table = Table(np.column_stack([np.tile(cells, 12)]))
    wide = Table(table.matrix.astype(np.float64))
    found = Forest.of([tree]).sums(table)
    np.testing.assert_array_equal(found, Forest.of([tree]).sums(wide))
    np.testing.assert_array_equal(found[:6, 0], np.where(cells.astype(np.float64) <= 0.1, 1.0, 2.0))


def test_infinite_thresholds_ask_whether_a_cell_is_known():
    for threshold, missing in [(np.inf, 1), (-np.inf, 0)]:
        tree = build(node(0, leaf(1.0), leaf(2.0), threshold=threshold, missing=missing))
        x = np.array([[0.0], [np.nan], [np.inf], [-np.inf]])
        for dtype in (np.float32, np.float64):
            table = Table(np.repeat(x, 20, axis=0).astype(dtype))
            expected = tree.value[leaves_of(tree, table)]
            np.testing.assert_array_equal(Forest.of([tree]).sums(table), expected)


def test_categories_without_a_route_go_where_the_test_says():
    table = Table.of_columns([Column("c", "nominal", np.array([-1, 0, 1, 2, 3] * 20, np.int32), tuple("abcd"))])
    for otherwise in (-1, 0, 1):
        for missing in (0, 1):
            tree = build(node(0, leaf(1.0), leaf(2.0), routes={1: 0, 2: 1}, otherwise=otherwise, missing=missing))
            forest = Forest.of([tree])
            for rows in (table, table.rows(0, 5)):
                np.testing.assert_array_equal(forest.leaves(rows)[:, 0], leaves_of(tree, rows))


def test_a_boolean_may_be_tested_by_routes_here_and_by_a_threshold_there():
    table = Table.of_columns([Column("b", "boolean", np.array([-1, 0, 1] * 30, np.int32), (False, True))])
    trees = [
        build(node(0, leaf(1.0), leaf(2.0), threshold=0.5, missing=1)),
        build(node(0, leaf(4.0), leaf(8.0), routes=[1, 0], missing=0)),
    ]
    forest = Forest.of(trees)
    for rows in (table, table.rows(0, 3)):
        np.testing.assert_array_equal(forest.sums(rows), plain_sums(trees, rows, values))
        np.testing.assert_allclose(forest.contributions(rows)[:, 0] + forest.expected(), forest.sums(rows))


def test_trees_may_take_turns():
    table = numbers(5)
    trees = trees_of(table, 3, 7, classes=0, leaves=10)
    found = Forest.of(trees).sums(table, base=[1.0, 2.0, 3.0], group=3)
    np.testing.assert_array_equal(found, plain_sums(trees, table, values, 3, np.array([1.0, 2.0, 3.0])))
    with pytest.raises(InputError, match="hold 3 numbers"):
        forest_of(table, 1).sums(table, group=3)


def test_stages_add_up_to_the_whole():
    table = mixed(6)
    forest = forest_of(table, 3, 6, classes=0, leaves=10)
    staged = forest.sums(table, 0, 2)
    staged = forest.sums(table, 2, 5, base=staged)
    np.testing.assert_array_equal(forest.sums(table, 5, base=staged), forest.sums(table))
    np.testing.assert_array_equal(forest.leaves(table, 2, 4), forest.leaves(table)[:, 2:4])
    with pytest.raises(InputError, match="no trees 2 to 9"):
        forest.sums(table, 2, 9)


def test_it_holds_the_trees_it_was_made_of():
    trees = [*trees_of(mixed(1), 2), one_leaf([1.0, 2.0, 3.0], 6.0)]
    forest = Forest.of(trees)
    assert len(forest) == len(trees)
    for made, tree in zip(forest, trees, strict=True):
        same(made, tree)
    same(forest[-1], trees[-1])
    with pytest.raises(IndexError, match="no tree 6"):
        forest[6]


def test_joined_and_parted_forests_hold_the_same_trees():
    trees = trees_of(mixed(1), 2)
    both = Forest.of(trees[:2]).joined(Forest.of(trees[2:]))
    for made, tree in zip(both, trees, strict=True):
        same(made, tree)
    for made, tree in zip(both.part(1, 4), trees[1:4], strict=True):
        same(made, tree)
    assert len(both.part(2, 2)) == 0
    joined = Forest.empty(3).joined(both)
    assert len(joined) == 5
    with pytest.raises(InputError, match="3 and 1 numbers"):
        both.joined(Forest.empty(1))


def test_an_empty_forest_adds_nothing():
    table = numbers(1)
    empty = Forest.empty(2)
    np.testing.assert_array_equal(empty.sums(table, base=1.5), np.full((table.n_rows, 2), 1.5))
    assert empty.leaves(table).shape == (table.n_rows, 0)
    np.testing.assert_array_equal(empty.contributions(table), np.zeros((table.n_rows, 4, 2)))
    np.testing.assert_array_equal(empty.gain_importance(4), np.zeros(4))


def test_a_forest_without_tests_says_the_same_of_all_rows():
    forest = Forest.of([one_leaf(2.0, 1.0), one_leaf(3.0, 1.0)])
    table = numbers(1, 70)
    np.testing.assert_array_equal(forest.sums(table), np.full((70, 1), 5.0))
    assert forest.expected() == 5.0


def test_it_is_pickled_and_saved_with_all_its_fields(tmp_path):
    table = mixed(1)
    forest = forest_of(table, 2)
    before = forest.sums(table)
    save(holding(forest), tmp_path / "forest.learnt")
    for copy in (pickle.loads(pickle.dumps(forest)), load(tmp_path / "forest.learnt").predict()):
        assert "packs" not in copy.__dict__
        np.testing.assert_array_equal(copy.sums(table), before)


def test_importance_counts_what_tests_take_away():
    table = mixed(1)
    trees = trees_of(table, 2)
    forest = Forest.of(trees)
    gain, count = np.zeros(5), np.zeros(5)
    for tree in trees:
        for i in np.flatnonzero(~tree.is_leaf):
            kids = tree.children_of(i)
            gain[tree.feature[i]] += tree.weight[i] * tree.impurity[i] - tree.weight[kids] @ tree.impurity[kids]
            count[tree.feature[i]] += 1
    np.testing.assert_allclose(forest.gain_importance(5), gain / gain.sum(), rtol=1e-10)
    np.testing.assert_array_equal(forest.split_counts(5), count)


# Arrays that make up no forest

TABLE = mixed(8)
GOOD = forest_of(TABLE, 8, 3)
TEST = int(np.flatnonzero((GOOD.right >= 0) & (GOOD.route_start < 0))[3])
NOMINAL = int(np.flatnonzero(GOOD.n_routes > 2)[1])
LEAF = int(np.flatnonzero(GOOD.right < 0)[2])


def changed(name, place, number):
    array = getattr(GOOD, name).copy()
    array[place] = number
    return array


BROKEN = {
    "a child behind all nodes": ("right", changed("right", TEST, 2**31 - 1), "pre-order"),
    "a child before its parent": ("right", changed("right", TEST, 0), "pre-order"),
    "a child inside the first one's subtree": ("right", GOOD.right + (GOOD.right > 5), "pre-order"),
    "a leaf that has a child": ("right", changed("right", LEAF, LEAF + 1), "pre-order|no children"),
    "a test without one": ("right", changed("right", TEST, -1), "pre-order"),
    "a child at −7": ("right", changed("right", LEAF, -7), "second child at -7"),
    "no column": ("feature", changed("feature", TEST, -1), "or the reverse"),
    "a column below": ("feature", changed("feature", TEST, -2), "column -2"),
    "no threshold": ("threshold", changed("threshold", TEST, np.nan), "no threshold"),
    "missing cells nowhere": ("missing", changed("missing", TEST, -1), "missing cells to child -1"),
    "missing cells to a third child": ("missing", changed("missing", TEST, 2), "missing cells to child 2"),
    "other categories to a third child": ("otherwise", changed("otherwise", NOMINAL, 2), "categories to child 2"),
    "a route to a third child": ("routes", changed("routes", 3, 2), "to child 2, which is not there"),
    "falling codes": ("route_codes", GOOD.route_codes[::-1], "rising codes"),
    "very many routes": ("n_routes", changed("n_routes", NOMINAL, 2**31 - 1), "counts"),
    "fewer than no routes": ("n_routes", changed("n_routes", NOMINAL, -1), "-1 routes"),
    "routes elsewhere": ("route_start", changed("route_start", NOMINAL, 2**40), "routes from"),
    "routes of a leaf": ("route_start", changed("route_start", LEAF, 0), "leaf with routes"),
    "a weight below 0": ("weight", changed("weight", 0, -1.0), "weight of -1"),
    "a weight that is none": ("weight", changed("weight", 4, np.nan), "weight of nan"),
    "an infinite value": ("value", changed("value", 2, np.inf), "predicts inf"),
    "an impurity that is none": ("impurity", changed("impurity", 2, np.nan), "impurity of nan"),
    "a tree that starts late": ("tree_start", changed("tree_start", 0, 1), "rising nodes"),
    "trees that do not rise": ("tree_start", changed("tree_start", 1, 0), "rising nodes"),
    "a tree cut off": ("tree_start", changed("tree_start", 1, GOOD.tree_start[1] - 1), "pre-order"),
    "no trees for nodes": ("tree_start", np.zeros(0, np.int64), "rising nodes"),
    "numbers for columns": ("feature", GOOD.feature + 0.5, "type float64"),
    "one node less": ("threshold", GOOD.threshold[1:], "entries"),
    "flat values": ("value", GOOD.value.ravel(), "dimensions"),
}


@pytest.mark.parametrize(("name", "array", "message"), BROKEN.values(), ids=BROKEN)
def test_arrays_that_are_no_forest_are_refused(name, array, message):
    with pytest.raises(InputError, match=message):
        replace(GOOD, **{name: array})


def test_the_error_names_the_node_and_its_tree():
    with pytest.raises(InputError, match=r"node 0 of tree 2 sends missing cells to child 5"):
        replace(GOOD, missing=changed("missing", int(GOOD.tree_start[2]), 5))


def test_columns_that_the_table_does_not_have_are_refused():
    GOOD.check_columns(TABLE.schema)
    with pytest.raises(InputError, match="not as its kind is tested"):
        GOOD.check_columns(numbers(1, p=5).schema)
    with pytest.raises(InputError, match="column 4, but there are 2 columns"):
        GOOD.check_columns(numbers(1, p=2).schema)
    fewer = [
        Column(c.name, c.kind, c.values * 0, c.categories[:4] if c.name == "town" else c.categories)
        for c in TABLE.columns
    ]
    with pytest.raises(InputError, match="of column 'town', which has 4"):
        GOOD.check_columns(Table.of_columns(fewer).schema)


def test_checking_a_million_nodes_takes_milliseconds():
    forest = forest_of(numbers(1, 3000), 1, 3)
    arrays = {field.name: getattr(forest, field.name) for field in fields(Forest)}
    times = -(-1_000_000 // forest.node_count)
    many = {n: np.concatenate([a] * times) for n, a in arrays.items() if n != "tree_start"}
    sizes = np.tile(np.diff(forest.tree_start), times)
    many["tree_start"] = np.concatenate([[0], np.cumsum(sizes)])
    began = time.process_time()
    Forest(**many)
    assert time.process_time() - began < 0.3  # about 0.015 s on a quiet machine
