"""Rows sent down trees, and that neither threads nor the order of rows and columns decide anything."""

from dataclasses import fields

import numpy as np
import pytest

from learnt import _core
from learnt.data.table import Table
from learnt.tree.arrays import TreeArrays
from learnt.tree.grow import GrowOptions, apply_rows, grow, n_categories, predict_rows

from .layouts import layouts, same_for_any_threads
from .test_tree_grow import mixed_table, target_of


def walk(tree, table, i):
    """{leaf: share} of one row, by the book."""
    ends, ways = {}, [(0, 1.0)]
    while ways:
        node, share = ways.pop()
        children = tree.children_of(node)
        if not len(children):
            ends[node] = ends.get(node, 0) + share
            continue
        column = table.columns[tree.feature[node]]
        cell = column.values[i]
        if tree.route_start[node] >= 0:
            child = tree.routes_of(node)[cell] if cell >= 0 else -1
        elif column.missing[i]:
            child = -1
        else:
            child = int(cell > tree.threshold[node])
        child = tree.missing[node] if child < 0 else child
        if child >= 0:
            ways.append((children[child], share))
        else:
            weight = tree.weight[children]
            ways += [(c, share * w / weight.sum()) for c, w in zip(children, weight, strict=True) if w > 0]
    return ends


@pytest.mark.parametrize("nominal", ["multiway", "equals", "subset"])
@pytest.mark.parametrize("missing", ["fractional", "majority", "class_majority", "learned"])
def test_rows_reach_the_leaves_their_cells_say(missing, nominal):
    table = mixed_table(11, 150)
    tree = grow(table, target_of(table, 11, 3), None, GrowOptions(missing=missing, nominal=nominal, min_samples_leaf=3))
    new = mixed_table(12, 200, missing=0.3)
    shares = predict_rows(tree, new, classes=True)
    leaves = apply_rows(tree, new)
    for i in range(200):
        ends = walk(tree, new, i)
        want = sum(share * tree.value[leaf] / tree.value[leaf].sum() for leaf, share in ends.items())
        np.testing.assert_allclose(shares[i], want, atol=1e-12)
        if len(ends) == 1:
            assert leaves[i] in ends
    np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("rows", [0, 1, 15, 16, 17, 1000])
@pytest.mark.parametrize("missing", ["fractional", "learned"])
def test_matrices_of_any_layout_go_where_their_columns_go(rows, missing, dtype):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 5)).astype(dtype)
    y = (x[:, 0] * x[:, 1] > 0).astype(np.int32)
    x[rng.random(x.shape) < 0.1] = np.nan
    tree = grow(Table(x), y, None, GrowOptions(missing=missing, min_samples_leaf=3))
    new = rng.normal(size=(rows, 5)).astype(dtype)
    new[rng.random(new.shape) < 0.1] = np.nan
    for view in layouts(new).values():
        by_column = Table.of_columns(Table(np.array(view)).columns)
        np.testing.assert_array_equal(apply_rows(tree, Table(view)), apply_rows(tree, by_column))
        np.testing.assert_allclose(
            predict_rows(tree, Table(view), classes=True), predict_rows(tree, by_column, classes=True), atol=1e-15
        )


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"missing": "fractional", "nominal": "multiway"},
        {"criterion": "entropy", "nominal": "equals"},
        {"max_leaf_nodes": 40},
        {"max_features": 2, "seed": 5},
    ],
    ids=str,
)
def test_threads_change_nothing(change):
    table = mixed_table(13, 6000, levels=30)
    y = target_of(table, 13, 3)
    options = GrowOptions(**{"min_samples_leaf": 5, **change})

    def run():
        tree = grow(table, y, None, options)
        parts = [getattr(tree, field.name) for field in fields(TreeArrays)]
        return [*parts, apply_rows(tree, table), predict_rows(tree, table, classes=True)]

    same_for_any_threads(run)


@pytest.mark.parametrize("criterion", ["mse", "mae"])
def test_threads_change_nothing_in_a_regression(criterion):
    table = mixed_table(14, 3000)
    y = target_of(table, 14, 0)
    weights = np.random.default_rng(14).uniform(0.5, 2, 3000)
    options = GrowOptions(criterion=criterion, min_samples_leaf=5)
    same_for_any_threads(lambda: [getattr(grow(table, y, weights, options), f.name) for f in fields(TreeArrays)])


def test_the_order_of_rows_and_columns_does_not_matter():
    table = mixed_table(15, 500)
    y = target_of(table, 15, 0)
    options = GrowOptions(criterion="mse", min_samples_leaf=10)
    rng = np.random.default_rng(15)
    rows, names = rng.permutation(500), [str(name) for name in rng.permutation(table.names)]
    tree, other = grow(table, y, None, options), grow(table.take(rows).select(names), y[rows], None, options)
    assert [table.names[j] for j in tree.feature if j >= 0] == [names[j] for j in other.feature if j >= 0]
    np.testing.assert_allclose(tree.value, other.value, atol=1e-9)


def test_another_seed_draws_other_columns_and_the_same_one_the_same():
    x = np.random.default_rng(16).normal(size=(500, 8))
    y = (x.sum(axis=1) > 0).astype(np.int32)
    roots = {
        seed: grow(Table(x), y, None, GrowOptions(max_features=1, max_depth=3, seed=seed)).feature.tolist()
        for seed in range(20)
    }
    again = grow(Table(x), y, None, GrowOptions(max_features=1, max_depth=3, seed=7)).feature.tolist()
    assert again == roots[7]
    assert len({features[0] for features in roots.values()}) > 3


def test_a_column_that_cannot_be_split_does_not_use_up_the_draw():
    x = np.zeros((50, 6))
    x[:, 4] = np.arange(50)
    y = (x[:, 4] > 20).astype(np.int32)
    for seed in range(10):
        assert grow(Table(x), y, None, GrowOptions(max_features=1, seed=seed)).feature[0] == 4


def test_trees_that_point_outside_are_refused():
    x = np.random.default_rng(17).normal(size=(60, 2))
    tree = grow(Table(x), (x[:, 0] > 0).astype(np.int32), None, GrowOptions())
    kinds = n_categories(Table(x).schema)
    names = (
        "feature",
        "threshold",
        "child_start",
        "n_children",
        "children",
        "route_start",
        "routes",
        "missing",
        "weight",
        "value",
    )
    good = {name: getattr(tree, name).copy() for name in names}
    for name, value in [
        ("feature", 2),
        ("children", 99),
        ("children", 0),
        ("child_start", 50),
        ("missing", 2),
        ("route_start", 7),
    ]:
        bad = {**good, name: good[name].copy()}
        bad[name][0] = value
        with pytest.raises(ValueError, match="points outside"):
            _core.tree_apply(*bad.values(), kinds, x, np.empty(60, np.int32))


def test_codes_and_labels_outside_are_refused():
    codes = np.array([0, 3], dtype=np.int32)
    y = np.array([0, 1], dtype=np.int32)
    table = mixed_table(18, 2)
    rest = {"n_classes": 2, "targets": None, "weights": None}
    options = {f.name: getattr(GrowOptions(), f.name) for f in fields(GrowOptions)} | {
        "max_depth": -1, "max_leaf_nodes": 0, "max_features": 0,
    }  # fmt: skip
    with pytest.raises(ValueError, match="code 3"):
        _core.grow_tree([codes], np.array([3], np.int32), y, **rest, **options)
    with pytest.raises(ValueError, match="'labels' is 2"):
        _core.grow_tree([codes], np.array([4], np.int32), y * 2, **rest, **options)
    with pytest.raises(ValueError, match="No row has any weight"):
        grow(table, y, np.zeros(2), GrowOptions())
    with pytest.raises(ValueError, match="row 1"):
        grow(table, y, np.array([1, -1.0]), GrowOptions())
    with pytest.raises(ValueError, match="does not fit"):
        grow(table, y, None, GrowOptions(criterion="mse"))
