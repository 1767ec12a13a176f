"""Rows sent down trees, and that neither threads nor the order of rows and columns decide anything."""

from dataclasses import fields

import numpy as np
import pytest
from tests.tree.prune.plain_router import PlainRouter

from learnt import _core
from learnt.data.table import Column, Table
from learnt.tree.arrays import TreeArrays
from learnt.tree.grow.exact import _WALKED, GrowOptions, apply_rows, grow, n_categories, predict_rows
from learnt.tree.prune.routing import Router
from learnt.tree.reach import pass_nodes, reach_leaves, sent_rows

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
            child = tree.routes_of(node, len(column.categories))[cell] if cell >= 0 else -1
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
@pytest.mark.parametrize("levels", [4, 300])  # a route for each category, or for those a node knows
def test_rows_reach_the_leaves_their_cells_say(missing, nominal, levels):
    table = mixed_table(11, 150, levels=levels)
    tree = grow(table, target_of(table, 11, 3), None, GrowOptions(missing=missing, nominal=nominal, min_samples_leaf=3))
    new = mixed_table(12, 200, missing=0.3, levels=levels)
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
        {"random_cuts": True, "seed": 5},
        {"random_cuts": True, "max_features": 2, "nominal": "equals"},
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


@pytest.mark.costly
@pytest.mark.parametrize("more", [{}, {"random_cuts": True}, {"monotonic": np.array([1, 0, 0, -1, 1, 0])}], ids=str)
@pytest.mark.parametrize("criterion", ["mse", "mae"])
def test_threads_change_nothing_in_a_regression(criterion, more):
    table = mixed_table(14, 3000)
    y = target_of(table, 14, 0)
    weights = np.random.default_rng(14).uniform(0.5, 2, 3000)
    options = GrowOptions(criterion=criterion, min_samples_leaf=5, **more)
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
    good = {name: getattr(tree, name).copy() for name in _WALKED}
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


@pytest.mark.parametrize("nominal", ["multiway", "equals", "subset"])
@pytest.mark.parametrize("missing", ["fractional", "learned"])
def test_the_kernel_sends_rows_where_they_go_by_the_book_and_by_levels(missing, nominal):
    table = mixed_table(21, 150, levels=6)
    tree = grow(table, target_of(table, 21, 3), None, GrowOptions(missing=missing, nominal=nominal, min_samples_leaf=3))
    new, weights = mixed_table(22, 80, missing=0.3, levels=6), np.random.default_rng(22).random(80)
    found = reach_leaves(tree, new, weights)
    assert (np.diff(found.row) >= 0).all()
    for i in range(80):
        here = found.row == i
        ends = walk(tree, new, i)
        got = {leaf: part for leaf, part in zip(found.leaf[here], found.weight[here], strict=True) if part > 0}
        assert got == pytest.approx({leaf: share * weights[i] for leaf, share in ends.items()})
    by_levels = PlainRouter(tree, new).send(0, np.arange(80), weights)
    sent = sent_rows(tree, new, weights)
    for name in ("leaf", "row", "weight"):
        np.testing.assert_array_equal(getattr(sent, name), getattr(by_levels, name))


@pytest.mark.parametrize("own_shares", [True, False])
@pytest.mark.parametrize("missing", ["fractional", "learned"])
@pytest.mark.parametrize("nominal", ["multiway", "equals", "subset"])
def test_rows_go_down_moved_tests_level_by_level_to_the_bit(nominal, missing, own_shares):
    table = mixed_table(26, 150, levels=6)
    tree = grow(table, target_of(table, 26, 3), None, GrowOptions(missing=missing, nominal=nominal, min_samples_leaf=2))
    new, rng = mixed_table(27, 90, missing=0.3, levels=6), np.random.default_rng(27)
    row, weight = rng.integers(0, 90, 120), rng.random(120)
    routers = Router(tree, new), PlainRouter(tree, new)
    inner = np.flatnonzero(~tree.is_leaf)
    for _ in range(20):  # more and more nodes give way to a child, or become leaves
        for start in (0, int(rng.choice(inner))):
            unknown = np.zeros(tree.node_count), np.zeros(tree.node_count)
            found, expected = (
                router.send(start, row, weight, own_shares=own_shares, unknown=met)
                for router, met in zip(routers, unknown, strict=True)
            )
            for name in ("leaf", "row", "weight"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
            np.testing.assert_array_equal(*unknown)
        i = int(rng.choice(inner))
        if routers[0].source[i] >= 0:
            child = int(rng.choice(tree.children_of(int(routers[0].source[i]))))
            for router in routers:
                router.source[i] = router.source[child]


def test_a_sender_refuses_what_leads_outside_or_back():
    x = np.random.default_rng(28).normal(size=(60, 2))
    tree = grow(Table(x), (x[:, 0] + x[:, 1] > 0).astype(np.int32), None, GrowOptions())
    leaf, below = int(np.flatnonzero(tree.is_leaf)[0]), int(np.flatnonzero(~tree.is_leaf)[1])
    for place, source in [(0, leaf), (below, 0), (0, tree.node_count), (0, -2), (leaf, 0)]:
        router = Router(tree, Table(x))
        router.source[place] = source
        with pytest.raises(ValueError, match="inner node of the subtree"):
            router.send(0, np.arange(3), np.ones(3))
    router = Router(tree, Table(x))
    for start, row, weights, what in [
        (-1, [0], [1.0], "start"),
        (0, [60], [1.0], "row"),
        (0, [0], [1.0, 2.0], "weight"),
    ]:
        with pytest.raises(ValueError, match=what):
            router.send(start, np.array(row), np.array(weights))


@pytest.mark.parametrize("missing", ["fractional", "learned"])
def test_the_path_of_a_row_leads_from_the_root_to_its_leaves(missing):
    table = mixed_table(23, 150, levels=6)
    tree = grow(table, target_of(table, 23, 3), None, GrowOptions(missing=missing, min_samples_leaf=3))
    new = mixed_table(24, 80, missing=0.3, levels=6)
    way, above = reach_leaves(tree, new, path=True), pass_nodes(tree, sent_rows(tree, new))
    size = (80, tree.node_count)
    parts, sums = np.zeros(size), np.zeros(size)
    parts[way.row, way.leaf] = way.weight  # each node once
    assert len(np.unique(way.row * tree.node_count + way.leaf)) == len(way.row)
    np.add.at(sums, (above.row, above.leaf), above.weight)
    np.testing.assert_allclose(parts, sums, atol=1e-12)
    assert (parts[:, 0] == 1).all()


@pytest.mark.parametrize("layout", ["matrix", "float32", "columns"])
def test_paths_are_the_same_for_any_layout_and_number_of_threads(layout):
    x = np.round(np.random.default_rng(25).normal(size=(5000, 3)), 2).astype(np.float32)
    tree = grow(Table(x[:300]), x[:300, 0] + np.abs(x[:300, 1]), None, GrowOptions("mse", missing="fractional"))
    plain = reach_leaves(tree, Table(x.astype(np.float64)), path=True)
    given = {"matrix": Table(x.astype(np.float64)), "float32": Table(x)}.get(layout)
    table = Table({f"x{j}": x[:, j] for j in range(3)}) if given is None else given
    same_for_any_threads(lambda: vars_of(reach_leaves(tree, table, path=True)))
    for one, two in zip(vars_of(plain), vars_of(reach_leaves(tree, table, path=True)), strict=True):
        np.testing.assert_array_equal(one, two)


def vars_of(sent):
    return sent.leaf, sent.row, sent.weight


def test_a_node_keeps_the_routes_of_the_categories_it_knows():
    rng = np.random.default_rng(19)
    codes = rng.permutation(5000)[:400].astype(np.int32)
    table = Table.of_columns([Column("town", "nominal", codes, tuple(map(str, range(5000))))])
    y = rng.normal(size=400)
    subset = grow(table, y, None, GrowOptions("mse"))
    by_node = pass_nodes(subset, sent_rows(subset, table))
    for i in np.flatnonzero(~subset.is_leaf):
        here = slice(subset.route_start[i], subset.route_start[i] + subset.n_routes[i])
        assert subset.route_codes[here].tolist() == sorted(codes[by_node.row[by_node.leaf == i]])
        assert subset.otherwise[i] == -1
    equals = grow(table, y, None, GrowOptions("mse", nominal="equals"))
    inner = ~equals.is_leaf
    assert set(equals.n_routes[inner]) == set(equals.otherwise[inner]) == {1}
    for tree in (subset, equals):
        np.testing.assert_allclose(predict_rows(tree, table, classes=False)[:, 0], y)


def test_routes_that_point_outside_are_refused():
    table = Table.of_columns([Column("town", "nominal", np.arange(90, dtype=np.int32), tuple(map(str, range(200))))])
    tree = grow(table, np.arange(90.0), None, GrowOptions("mse", max_depth=1))
    good = {name: getattr(tree, name).copy() for name in _WALKED}
    assert good["n_routes"][0] == 90
    for name, place, value in [
        ("n_routes", 0, 91),
        ("n_routes", 0, -1),
        ("n_routes", 0, 2**31 - 1),
        ("route_start", 0, 1),
        ("route_start", 0, 2**62),
        ("routes", 7, 2),
        ("otherwise", 0, 2),
        ("route_codes", 0, -1),
        ("route_codes", 7, 6),
        ("route_codes", 7, 100),
        ("route_codes", 89, 200),
    ]:
        bad = {**good, name: good[name].copy()}
        bad[name][place] = value
        with pytest.raises(ValueError, match="points outside"):
            _core.tree_apply(*bad.values(), n_categories(table.schema), [table["town"].values], np.empty(90, np.int32))
    bad = {**good, "route_codes": good["route_codes"][:-1]}
    with pytest.raises(ValueError, match="route_codes"):
        _core.tree_apply(*bad.values(), n_categories(table.schema), [table["town"].values], np.empty(90, np.int32))


def test_directions_that_cannot_be_kept_are_refused():
    table = mixed_table(20, 30)
    y = target_of(table, 20, 2)
    for directions, more, said in [
        ([2, 0, 0, 0, 0, 0], {}, "'monotonic' is 2 for column 0"),
        ([0, 1, 0, 0, 0, 0], {}, "more than two categories"),
        ([1, 0, 0], {}, "'monotonic'"),
        ([1, 0, 0, 0, 0, 0], {"missing": "fractional"}, "does not go with"),
        ([1, 0, 0, 0, 0, 0], {"nominal": "multiway"}, "does not go with"),
    ]:
        with pytest.raises(ValueError, match=said):
            grow(table, y, None, GrowOptions(monotonic=np.array(directions), **more))
    with pytest.raises(ValueError, match="3 classes"):
        grow(table, target_of(table, 20, 3), None, GrowOptions(monotonic=np.array([1, 0, 0, 0, 0, 0])))


def test_codes_and_labels_outside_are_refused():
    codes = np.array([0, 3], dtype=np.int32)
    y = np.array([0, 1], dtype=np.int32)
    table = mixed_table(18, 2)
    rest = {"n_classes": 2, "targets": None, "weights": None}
    settings = {f.name: getattr(GrowOptions(), f.name) for f in fields(GrowOptions)} | {
        "max_depth": -1, "max_leaf_nodes": 0, "max_features": 0,
    }  # fmt: skip
    rest |= {name: settings.pop(name) for name in ("monotonic", "feature_costs")}
    options = _core.TreeOptions(**settings)
    with pytest.raises(ValueError, match="code 3"):
        _core.grow_tree([codes], np.array([3], np.int32), y, **rest, options=options)
    with pytest.raises(ValueError, match="'labels' is 2"):
        _core.grow_tree([codes], np.array([4], np.int32), y * 2, **rest, options=options)
    with pytest.raises(ValueError, match="No row has any weight"):
        grow(table, y, np.zeros(2), GrowOptions())
    with pytest.raises(ValueError, match="row 1"):
        grow(table, y, np.array([1, -1.0]), GrowOptions())
    with pytest.raises(ValueError, match="does not fit"):
        grow(table, y, None, GrowOptions(criterion="mse"))
