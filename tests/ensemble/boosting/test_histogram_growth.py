"""Trees grown from gradients over bins, against a search of all splits in plain NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import learnt
from learnt import _core
from learnt.data.table import Column, Table
from learnt.ensemble.boosting.bins import bin_edges
from learnt.ensemble.boosting.histogram_growth import (
    BatchRows,
    Grower,
    GrowingTree,
    GrowthOptions,
    NodeSums,
    goss_rows,
    goss_threshold,
    gradient_size,
    gradients,
    leaf_sums,
    magnitudes,
    quantise,
    subsample_rows,
    total_loss,
)
from learnt.statistics.quantiles import quantiles_by_group
from learnt.statistics.sketch import sketch
from learnt.threads import threads
from learnt.tree.grow.exact import apply_rows

N = 280


def mixed_table(n=N, seed=0, lost=0.15, categories=6):
    """Two columns of numbers, an ordinal, a nominal and a boolean one, all with missing cells."""
    rng = np.random.default_rng(seed)
    gone = rng.random((5, n)) < lost
    a = np.where(gone[0], np.nan, rng.standard_normal(n))
    b = np.where(gone[1], np.nan, rng.integers(0, 9, n)).astype(np.float32)
    codes = [rng.integers(0, k, n).astype(np.int32) for k in (4, categories, 2)]
    for i, column in enumerate(codes):
        column[gone[2 + i]] = -1
    return Table.of_columns(
        [
            Column("a", "numeric", a),
            Column("b", "numeric", b),
            Column("size", "ordinal", codes[0], ("S", "M", "L", "XL")),
            Column("town", "nominal", codes[1], tuple(f"t{i}" for i in range(categories))),
            Column("flag", "boolean", codes[2], (False, True)),
        ]
    )


def derivatives(n=N, seed=0, dtype=np.float64):
    """Gradients that are multiples of 1/64: rounding them by chance changes nothing."""
    rng = np.random.default_rng(seed + 100)
    return (rng.integers(-64, 65, n) / 64).astype(dtype), (rng.integers(8, 33, n) / 64).astype(dtype)


def grower(table, **options):
    edges = bin_edges(sketch(table), 255)
    return Grower(edges, edges.encode(table), GrowthOptions(**{"min_samples_leaf": 5, **options}))


# ---- the slow way


def score(g, h, l1, l2):
    return max(abs(g) - l1, 0.0) ** 2 / (h + l2) if h + l2 > 0 else 0.0


def sides_of(column):
    """All ways a column can part rows: which go left."""
    missing = column.missing
    if column.kind in ("numeric", "ordinal"):
        cells = column.values.astype(float)
        values = np.unique(cells[~missing])
        for cut in values[:-1]:
            for lost_left in (False, True):
                yield np.where(missing, lost_left, cells <= cut)
        if missing.any():
            yield ~missing
    elif len(column.categories) <= 4:
        for code in range(-1, len(column.categories)):
            yield column.values == code


def brute_force_gain(table, rows, g, h, weight, *, l1, l2, least, min_h):
    best = 0.0
    for column in table.columns:
        for left in sides_of(column):
            left, right = rows & left, rows & ~left
            if min(weight[left].sum(), weight[right].sum()) < least or min(h[left].sum(), h[right].sum()) < min_h:
                continue
            parts = sum(score(g[side].sum(), h[side].sum(), l1, l2) for side in (left, right))
            best = max(best, parts - score(g[rows].sum(), h[rows].sum(), l1, l2))
    return best


def gains_of(tree):
    """What each test of a tree gains, from its own arrays, and the rows' path to it is left to apply_rows."""
    total = tree.weight * tree.impurity
    gain = np.zeros(tree.node_count)
    for i in np.flatnonzero(~tree.is_leaf):
        gain[i] = total[i] - total[tree.children_of(i)].sum()
    return gain


def rows_at(tree, table):
    """By node, which rows pass it."""
    found = np.zeros((tree.node_count, table.n_rows), bool)
    at, parents = apply_rows(tree, table), tree.parents()
    for i, node in enumerate(at):
        while node >= 0:
            found[node, i] = True
            node = parents[node]
    return found


RULES = [
    {"l1": 0.0, "l2": 0.0},
    {"l1": 0.5, "l2": 1.0},
    {"l1": 0.0, "l2": 3.0, "min_child_weight": 8.0},
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_every_test_gains_as_much_as_the_best_of_all_splits(seed, rules, dtype):
    table = mixed_table(seed=seed, categories=4)
    g, h = derivatives(seed=seed, dtype=dtype)
    tree = grower(table, max_leaf_nodes=12, learning_rate=1.0, **rules).grow(g, h, tree_number=0)
    assert tree.n_leaves > 4
    passed, gain = rows_at(tree, table), gains_of(tree)
    limits = {"l1": rules["l1"], "l2": rules["l2"], "least": 5, "min_h": rules.get("min_child_weight", 1e-3)}
    for i in np.flatnonzero(~tree.is_leaf):
        best = brute_force_gain(table, passed[i], g.astype(float), h.astype(float), np.ones(N), **limits)
        assert gain[i] == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_leaves_hold_the_best_values_of_their_rows_and_their_weight(seed):
    table = mixed_table(seed=seed)
    g, h = derivatives(seed=seed)
    g = g + 1 / 3  # no multiples of any power of two
    tree = grower(table, l1=0.25, l2=0.5, learning_rate=0.3).grow(g, h, tree_number=0)
    for node, passed in enumerate(rows_at(tree, table)):
        total = g[passed].sum()
        value = -np.sign(total) * max(abs(total) - 0.25, 0) / (h[passed].sum() + 0.5)
        assert tree.value[node, 0] == pytest.approx(0.3 * value, rel=1e-12)
        assert tree.weight[node] == passed.sum()


def test_leaves_of_rounded_gradients_are_those_of_the_gradients_themselves():
    table = mixed_table(5000, seed=4)
    g, h = (x.astype(np.float32) for x in np.random.default_rng(0).random((2, 5000)))
    tree = grower(table, l2=1.0, learning_rate=1.0).grow(g - np.float32(0.5), h, tree_number=3)
    for node, passed in enumerate(rows_at(tree, table)):
        value = -(g - np.float32(0.5))[passed].sum(dtype=float) / (h[passed].sum(dtype=float) + 1)
        assert tree.value[node, 0] == pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_sorted_subset_is_the_best_of_all_subsets_of_categories(seed):
    """With equal hessians and no smoothing the best two sets are a prefix by mean gradient (Fisher 1958)."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 7, 400).astype(np.int32)
    table = Table.of_columns([Column("town", "nominal", codes, tuple("abcdefg"))])
    g = (rng.integers(-64, 65, 400) / 64) + (codes % 3 - 1) * 0.25
    options = {"cat_smooth": 1e-9, "cat_l2": 0.0, "min_group": 1.0, "max_leaf_nodes": 2, "min_samples_leaf": 1}
    tree = grower(table, **options).grow(g, None, tree_number=0)
    best = 0.0
    for size in range(1, 8):
        for left in itertools.combinations(range(-1, 7), size):
            side = np.isin(codes, left)
            parts = sum(score(g[s].sum(), s.sum(), 0, 0) for s in (side, ~side) if s.any())
            best = max(best, parts - score(g.sum(), 400, 0, 0))
    assert gains_of(tree)[0] == pytest.approx(best, rel=1e-9)


def test_a_subset_lists_at_most_so_many_categories_and_others_go_the_other_way():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 500, 20_000).astype(np.int32)
    table = Table.of_columns([Column("id", "nominal", codes, tuple(range(500)))])
    effect = rng.standard_normal(500)
    tree = grower(table, max_leaf_nodes=4, max_cat_subset=7, min_group=1.0).grow(
        -effect[codes].astype(np.float32), None, tree_number=0
    )
    assert tree.n_leaves == 4
    assert set(tree.n_routes[~tree.is_leaf]) == {7}
    assert set(tree.otherwise[~tree.is_leaf]) == {1}


@pytest.mark.parametrize("fine", [False, True])
def test_no_leaf_is_smaller_than_allowed_however_large_the_node(fine):
    """One row stands out from 20,000, so that the best test would cut it off alone."""
    x = np.random.default_rng(0).standard_normal((20_000, 3))
    g = np.where(np.arange(20_000) == np.argmax(x[:, 1]), -500.0, 0.25)
    g[np.sin(9 * x[:, 0]) > x[:, 2]] = -0.25
    dtype = np.float64 if fine else np.float32
    tree = grower(Table.of_matrix(x), min_samples_leaf=150, max_leaf_nodes=20).grow(
        g.astype(dtype), np.full(20_000, 0.25, dtype), tree_number=0
    )
    assert tree.n_leaves > 5
    assert tree.weight[tree.is_leaf].min() >= 150


@pytest.mark.parametrize("missing_matters", [True, False])
def test_missing_cells_go_where_the_loss_is_smaller(missing_matters):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(1000)
    y = (x > 0).astype(float)
    lost = rng.random(1000) < 0.2
    if missing_matters:
        y[lost] = 1.0
    x[lost] = np.nan
    tree = grower(Table({"x": x}), max_leaf_nodes=2).grow(0.5 - y, None, tree_number=0)
    assert tree.missing_weight[0] == lost.sum()
    if missing_matters:
        assert tree.missing[0] == 1


def test_without_missing_cells_they_would_go_to_the_heavier_side():
    x = np.arange(100.0)
    tree = grower(Table({"x": x}), max_leaf_nodes=2).grow((x < 70) - 0.5, None, tree_number=0)
    assert tree.threshold[0] == 69.5
    assert tree.missing[0] == 0
    assert tree.missing_weight[0] == 0


def test_a_column_can_be_tested_for_being_missing():
    x = np.where(np.arange(200) % 3 == 0, np.nan, 7.0)
    tree = grower(Table({"x": x}), max_leaf_nodes=2).grow(np.isnan(x) - 0.5, None, tree_number=0)
    assert tree.threshold[0] == np.inf
    assert tree.missing[0] == 1
    assert list(tree.weight) == [200, 133, 67]


# ---- constraints


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("growth", ["leaf", "depth"])
def test_scores_keep_the_order_asked_for(order, growth):
    rng = np.random.default_rng(3)
    x = rng.uniform(-3, 3, (3000, 3))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.3 * order * x[:, 0]
    monotonic = np.array([order, 0, 0], np.int8)
    tree = grower(Table.of_matrix(x), max_leaf_nodes=60, growth=growth, monotonic=monotonic).grow(
        -y, None, tree_number=0
    )
    assert (tree.feature == 0).any()
    at = rng.uniform(-3, 3, (50, 3))
    for point in at:
        line = np.repeat(point[None], 200, axis=0)
        line[:, 0] = np.linspace(-3.5, 3.5, 200)
        steps = np.diff(tree.value[apply_rows(tree, Table.of_matrix(line)), 0])
        assert (order * steps >= 0).all()


def test_a_path_tests_columns_of_one_set_only():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((4000, 5))
    y = x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] + x[:, 4]
    sets = ((0, 1), (2, 3), (3, 4))
    tree = grower(Table.of_matrix(x), max_leaf_nodes=40, interactions=sets).grow(-y, None, tree_number=0)
    parents = tree.parents()
    seen = set()
    for leaf in np.flatnonzero(tree.is_leaf):
        path, node = set(), parents[leaf]
        while node >= 0:
            path.add(int(tree.feature[node]))
            node = parents[node]
        assert any(path <= set(allowed) for allowed in sets)
        seen |= path
    assert len(seen) > 1


def test_leaves_and_depth_are_limited():
    x = np.random.default_rng(0).standard_normal((2000, 4))
    g = -(x**2).sum(axis=1)
    for growth, leaves, depth in [("leaf", 9, 0), ("depth", 9, 0), ("leaf", 0, 3), ("depth", 0, 4)]:
        tree = grower(Table.of_matrix(x), max_leaf_nodes=leaves, max_depth=depth, growth=growth).grow(
            g, None, tree_number=0
        )
        assert tree.n_leaves == leaves if leaves else tree.n_leaves <= 2**depth
        assert not depth or tree.max_depth == depth
    level = grower(Table.of_matrix(x), max_leaf_nodes=16, growth="depth", min_samples_leaf=1).grow(
        g, None, tree_number=0
    )
    assert level.max_depth == 4


def test_drawn_columns_differ_by_tree_and_by_node():
    x = np.random.default_rng(0).standard_normal((3000, 10))
    g = -x.sum(axis=1)
    by_tree = grower(Table.of_matrix(x), max_features_tree=0.2)
    used = [set(by_tree.grow(g, None, tree_number=t).feature.tolist()) - {-1} for t in range(6)]
    assert all(len(columns) <= 2 for columns in used)
    assert len(set().union(*used)) > 4
    by_node = grower(Table.of_matrix(x), max_features=0.2).grow(g, None, tree_number=0)
    assert len(set(by_node.feature.tolist()) - {-1}) > 4


# ---- rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_left_out_do_not_count_but_have_a_leaf(dtype):
    table = mixed_table(2000, seed=2)
    g, h = derivatives(2000, dtype=dtype)
    kept = np.random.default_rng(0).random(2000) < 0.5
    some = grower(table)
    tree = some.grow(g, h, tree_number=0, kept=kept)
    np.testing.assert_array_equal(some.leaves(), apply_rows(tree, table))
    assert tree.weight[0] == kept.sum()
    edges = bin_edges(sketch(table), 255)
    alone = Grower(edges, edges.encode(table.take(kept)), GrowthOptions(min_samples_leaf=5, min_group=20.0))
    again = alone.grow(g[kept], h[kept], tree_number=0)
    np.testing.assert_allclose(again.value, tree.value, rtol=1e-12)
    np.testing.assert_array_equal(again.feature, tree.feature)


def test_adding_a_tree_adds_the_value_of_each_rows_leaf():
    table = mixed_table()
    g, h = derivatives()
    one, scores = grower(table), np.ones(N)
    tree = one.grow(g, h, tree_number=0)
    one.add(scores)
    np.testing.assert_array_equal(scores, 1 + tree.value[apply_rows(tree, table), 0])
    one.add(scores, np.arange(tree.node_count, dtype=float))
    np.testing.assert_allclose(scores, 1 + tree.value[one.leaves(), 0] + one.leaves())


def test_a_row_twice_is_a_row_of_weight_two():
    table = mixed_table(seed=8)
    g, h = np.random.default_rng(8).random((2, N))
    times = np.random.default_rng(9).integers(0, 4, N)
    twice = np.repeat(np.arange(N), times)
    options = {"min_samples_leaf": 15, "min_group": 3.0}
    w = times.astype(float)
    edges = bin_edges(sketch(table, w), 255)
    weighted = Grower(edges, edges.encode(table), GrowthOptions(**options)).grow(
        (g - 0.5) * w, h * w, tree_number=0, weights=w, kept=times > 0
    )
    copied = grower(table.take(twice), **options).grow(g[twice] - 0.5, h[twice], tree_number=0)
    np.testing.assert_array_equal(weighted.feature, copied.feature)
    np.testing.assert_array_equal(weighted.threshold, copied.threshold)
    np.testing.assert_allclose(weighted.value, copied.value, rtol=1e-12)
    np.testing.assert_allclose(weighted.weight, copied.weight)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_trees_have_the_same_bits_for_any_number_of_threads(dtype):
    table = mixed_table(30_000, seed=1, categories=400)
    g, h = (x.astype(dtype) for x in np.random.default_rng(0).random((2, 30_000)))
    trees = []
    for n in (1, 2, 5):
        with threads(n):
            trees.append(grower(table, max_leaf_nodes=40).grow(g - dtype(0.5), h, tree_number=7))
    for other in trees[1:]:
        for name in ("feature", "threshold", "value", "weight", "impurity", "route_codes"):
            np.testing.assert_array_equal(getattr(other, name), getattr(trees[0], name))


# ---- the same in parts


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cuts", [[], [7000], [1, 2000, 2001, 9000, 11_999]])
def test_growing_by_batches_gives_the_tree_of_the_whole(dtype, cuts):
    n = 12_000
    table = mixed_table(n, seed=6, categories=300)
    g, h = (x.astype(dtype) for x in np.random.default_rng(1).random((2, n)))
    g = g - dtype(0.5)
    options = GrowthOptions(max_leaf_nodes=25, growth="depth", max_depth=4, max_features=0.7, seed=3)
    edges = bin_edges(sketch(table), 255)
    whole = Grower(edges, edges.encode(table), options).grow(g, h, tree_number=5)

    bounds = [0, *cuts, n]
    batches = [(a, b, edges.encode(table.rows(a, b))) for a, b in itertools.pairwise(bounds)]
    sizes = [gradient_size(g[a:b], h[a:b]) for a, b, _ in batches]
    scale = sum(sizes[1:], sizes[0]).scale()
    packed = [quantise(g[a:b], h[a:b], scale, 3, 5, first_row=a) for a, b, _ in batches]
    rows = [BatchRows.at_root(p, np.ones(len(p), bool)) for p in packed]
    fine = [p if p.ndim == 2 else None for p in packed]
    growing = GrowingTree(edges, options, scale, 5, n)
    level, leaves = [0], 1
    while level:
        slots = np.full(growing.n_nodes, -1, np.int32)
        slots[level] = np.arange(len(level))
        sums = NodeSums(edges, slots, dtype == np.float64)
        for (_, _, codes), some, numbers in zip(batches, rows, fine, strict=True):
            sums.add(some, codes, numbers)
        cells = sums.found().cells
        gain = {node: growing.search(node, cells[i]) for i, node in enumerate(level)}
        level = []
        for node in sorted(gain, key=lambda i: -gain[i]):
            if gain[node] > 0 and leaves < 25:
                level += growing.split(node)
                leaves += 1
        tests = growing.tests()
        rows = [some.parted(edges, c, tests) for (_, _, c), some in zip(batches, rows, strict=True)]
    nodes = [some.leaves(edges, c, tests) for (_, _, c), some in zip(batches, rows, strict=True)]
    sums = [
        leaf_sums(g[a:b], h[a:b], None, node, growing.n_nodes, scale)
        for (a, b, _), node in zip(batches, nodes, strict=True)
    ]
    tree, number = growing.finish(sum(sums[1:], sums[0]))
    for name in ("feature", "threshold", "value", "weight", "impurity", "missing", "missing_weight", "route_codes"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(whole, name), err_msg=name)
    np.testing.assert_array_equal(number[np.concatenate(nodes)], apply_rows(whole, table))


def test_a_growing_tree_can_be_cut_back():
    table = mixed_table(seed=2)
    g, h = derivatives(seed=2)
    edges = bin_edges(sketch(table), 255)
    codes = edges.encode(table)
    scale = gradient_size(g, h).scale()
    packed = quantise(g, h, scale, 0, 0)
    growing = GrowingTree(edges, GrowthOptions(min_samples_leaf=5), scale, 0, N)
    rows = BatchRows.at_root(packed, np.ones(N, bool))
    for at in (0, 1):
        slots = np.full(growing.n_nodes, -1, np.int32)
        slots[at] = 0
        sums = NodeSums(edges, slots, fine=True)
        sums.add(rows, codes, packed)
        assert growing.search(at, sums.found().cells[0]) > 0
        growing.split(at)
        rows = rows.parted(edges, codes, growing.tests())
    node = rows.leaves(edges, codes, growing.tests())
    sums = leaf_sums(g, h, None, node, growing.n_nodes, scale)
    tree, number = growing.finish(sums, np.array([True, False, False, False, False]))
    assert tree.node_count == 3
    assert list(number) == [0, 1, 2, 1, 1]
    full, _ = growing.finish(sums)
    assert full.node_count == 5
    np.testing.assert_array_equal(full.value[[0, 1]], tree.value[[0, 1]])


# ---- losses and samples

LOSSES = {
    "squared": (0.0, lambda s, y: 0.5 * (s - y) ** 2),
    "logistic": (0.0, lambda s, y: np.log1p(np.exp(-np.where(y == 1, s, -s)))),
    "poisson": (0.0, lambda s, y: np.exp(s) - y * s),
    "absolute": (0.0, lambda s, y: np.abs(s - y)),
    "huber": (0.7, lambda s, y: np.where(abs(s - y) <= 0.7, 0.5 * (s - y) ** 2, 0.7 * (abs(s - y) - 0.35))),
    "quantile": (0.3, lambda s, y: np.where(y >= s, 0.3 * (y - s), 0.7 * (s - y))),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_the_derivatives_of_the_loss(loss, dtype):
    parameter, cost = LOSSES[loss]
    rng = np.random.default_rng(0)
    s, w = rng.standard_normal((1, 1003)) * 3, rng.random(1003)
    y = rng.integers(0, 2, 1003) if loss == "logistic" else rng.standard_normal(1003) * 2
    g, h = np.empty((1, 1003), dtype), np.empty((1, 1003), dtype)
    gradients(loss, s, y, w, parameter, g, h)
    e = 1e-6
    slope = w * (cost(s[0] + e, y) - cost(s[0] - e, y)) / (2 * e)
    smooth = np.abs(s[0] - y) > 1e-4
    np.testing.assert_allclose(g[0][smooth], slope[smooth], rtol=1e-5, atol=1e-7)
    if loss in ("squared", "logistic", "poisson"):
        e = 1e-4
        curve = w * (cost(s[0] + e, y) - 2 * cost(s[0], y) + cost(s[0] - e, y)) / e**2
        np.testing.assert_allclose(h[0], curve, rtol=1e-4, atol=1e-5)
    else:
        np.testing.assert_allclose(h[0], w, rtol=1e-6)
    assert total_loss(loss, s, y, w, parameter) == pytest.approx((float(w @ cost(s[0], y)), float(w.sum())))
    some = rng.random(1003) < 0.5
    kept = total_loss(loss, s, y, None, parameter, some)
    assert kept == pytest.approx((float(cost(s[0], y)[some].sum()), float(some.sum())))


def test_softmax_gradients_and_loss_are_those_of_the_shares():
    rng = np.random.default_rng(0)
    s, y, w = rng.standard_normal((4, 501)) * 5, rng.integers(0, 4, 501), rng.random(501)
    g, h = np.empty((4, 501)), np.empty((4, 501))
    gradients("softmax", s, y, w, 0.0, g, h)
    share = np.exp(s - s.max(axis=0))
    share /= share.sum(axis=0)
    np.testing.assert_allclose(g, w * (share - np.eye(4)[y].T), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(h, w * share * (1 - share), rtol=1e-9, atol=1e-15)
    expected = float(-(w * np.log(share[y, np.arange(501)])).sum())
    assert total_loss("softmax", s, y, w)[0] == pytest.approx(expected)


def test_scores_far_out_have_finite_gradients():
    s = np.array([[-1e6, -750.0, 0.0, 750.0, 1e6]])
    g, h = np.empty((1, 5)), np.empty((1, 5))
    gradients("logistic", s, np.array([1, 1, 1, 0, 0]), None, 0.0, g, h)
    np.testing.assert_allclose(g[0], [-1, -1, -0.5, 1, 1])
    assert np.isfinite(h).all()
    assert np.isfinite(total_loss("logistic", s[:, 2:], np.array([1, 0, 0]))[0])


def test_rounded_gradients_are_right_on_average_and_near_each():
    rng = np.random.default_rng(0)
    g, h = (rng.standard_normal((2, 50_000))).astype(np.float32)
    h = np.abs(h)
    scale = gradient_size(g, h).scale()
    packed = quantise(g, h, scale, 1, 2)
    q, r = (packed.astype(np.int64) << 32 >> 48), packed & 0xFFFF
    q = np.where(packed >> 31, (packed >> 16).astype(np.int64) - 65536, packed >> 16)
    assert np.abs(q - g * scale.powers[0]).max() <= 1
    assert np.abs(r - h * scale.powers[1]).max() <= 1
    assert abs((q - g * scale.powers[0]).mean()) < 0.02
    assert not np.array_equal(packed, quantise(g, h, scale, 1, 3))
    np.testing.assert_array_equal(packed[100:], quantise(g[100:], h[100:], scale, 1, 2, first_row=100))


def test_leaf_quantiles_are_the_smallest_residuals_that_reach_the_share():
    leaves = np.array([2, 0, 2, 2, 0, 2], np.int32)
    residual = np.array([4.0, 1.0, 2.0, 3.0, 9.0, 1.0])
    np.testing.assert_array_equal(quantiles_by_group(leaves, residual, None, 0.5, 3), [1.0, np.nan, 2.0])
    weights = np.array([10.0, 1.0, 1.0, 1.0, 3.0, 1.0])
    np.testing.assert_array_equal(quantiles_by_group(leaves, residual, weights, 0.5, 3), [9.0, np.nan, 4.0])


def test_sampling_does_not_depend_on_batches_and_keeps_sums_right_on_average():
    whole = subsample_rows(10_000, 0.3, 5, 7)
    np.testing.assert_array_equal(whole[4000:], subsample_rows(6000, 0.3, 5, 7, first_row=4000))
    assert abs(whole.mean() - 0.3) < 0.02
    assert not np.array_equal(whole, subsample_rows(10_000, 0.3, 5, 8))
    g = np.random.default_rng(0).standard_normal((1, 100_000)).astype(np.float32)
    before, h = g.copy(), np.ones_like(g)
    limit = goss_threshold(magnitudes(g[:, :500]) + magnitudes(g[:, 500:]), 0.2)
    kept = goss_rows(g, h, limit, 0.125, 1, 0)
    large = np.abs(before[0]) >= np.sort(np.abs(before[0]))[80_000]
    assert kept[large].all()
    assert kept.mean() == pytest.approx(0.3, abs=0.01)
    assert np.abs(before[0])[kept].sum() < np.abs(g[0])[kept].sum()
    assert np.abs(g[0])[kept].sum() == pytest.approx(np.abs(before).sum(), rel=0.02)


# ---- what is refused


def test_broken_bins_and_codes_are_refused():
    table = mixed_table()
    edges = bin_edges(sketch(table), 255)
    codes = edges.encode(table)
    codes.narrow[3, 4] = 250
    with pytest.raises(ValueError, match="beyond the bins"):
        Grower(edges, codes, GrowthOptions())
    with pytest.raises(ValueError, match="other columns"):
        _core.BoostGrower(
            edges.kernel, GrowthOptions().kernel(5, N), codes.narrow[:, :2].copy(), np.empty((N, 0), np.uint16)
        )
    with pytest.raises(ValueError, match="length"):
        Grower(edges, edges.encode(table), GrowthOptions()).grow(np.zeros(3), None, tree_number=0)


@pytest.mark.parametrize("n", [1, 2, 39])
def test_few_rows_make_one_leaf(n):
    table = mixed_table(n)
    g, h = derivatives(n)
    tree = grower(table, min_samples_leaf=20).grow(g, h, tree_number=0)
    assert tree.node_count == 1
    assert tree.value[0, 0] == pytest.approx(-0.1 * g.sum() / h.sum())


def test_equal_gradients_are_not_split():
    x = np.random.default_rng(0).standard_normal((5000, 3))
    for dtype in (np.float32, np.float64):
        third = np.full(5000, 1 / 3, dtype)
        assert grower(Table.of_matrix(x)).grow(third, third, tree_number=0).node_count == 1
        assert grower(Table.of_matrix(x)).grow(0 * third, None, tree_number=0).value[0, 0] == 0


def test_of_tests_that_gain_the_same_but_for_rounding_the_first_is_taken_at_the_root_too() -> None:
    # At the root of the first round the gradients add up to nothing, and so does the score gains are compared with.
    y = np.array([1, 1, 1, 0.3, 0.3 * (1 + 1e-14), -1, -1, -1])
    halves = {"one": np.repeat([0.0, 1.0], 4), "other": np.array([0, 0, 0, 1, 0, 1, 1, 1.0])}
    for names in (["one", "other"], ["other", "one"]):
        settings = {"subsample": 1.0, "max_features": 1.0, "max_leaf_nodes": 2, "min_samples_leaf": 1}
        model = learnt.GradientBoostingRegressor(max_iter=1, **settings)
        model.fit({name: halves[name] for name in names}, y)
        assert model.trees_.feature[0] == 0


@pytest.mark.parametrize("size", [1e-170, 1e-155, 1e104, 1e150])
def test_a_split_is_found_where_products_of_its_sums_are_no_numbers(size):
    """Two hessians of 1e-170 have a product of 0, and a cut that looks infinitely good is not looked for for ever."""
    table = Table({"x": np.arange(40.0)})
    signs, heights = np.where(np.arange(40) < 13, -1.0, 1.0), np.full(40, size)
    options = {"min_samples_leaf": 1, "min_child_weight": 0.0, "max_leaf_nodes": 2, "learning_rate": 1.0}
    for gradient in (signs, signs * min(size, 1.0)):
        tree = grower(table, **options).grow(gradient, heights, tree_number=0)
        assert tree.threshold[0] == 12.5
        np.testing.assert_allclose(np.sort(tree.value[1:, 0]), np.array([-1, 1]) * abs(gradient[0]) / size, rtol=1e-9)
