"""Trees of a forest, node by node: every test is the best one there is, by brute force over all of them."""

from dataclasses import replace

import numpy as np
import pytest
from tests.ensemble.forest.forest_reference import check_tree, check_upper_nodes, coded, one_tree, table

from learnt import Table, _core, threads, watch
from learnt.data.table import Column
from learnt.ensemble.forest.growth import Growth, OutOfBagSums, grow


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("least", [1, 7])
def test_every_test_of_a_regression_tree_is_the_best_there_is(seed, least):
    x, y = table(200, seed)
    tree = one_tree(x, y, min_samples_leaf=float(least), min_samples_split=70.0, max_depth=4)
    x_ones = np.ones(200)
    assert check_upper_nodes(tree, x, y, x_ones, 0, "squared_error", least, 70) >= 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("classes", "criterion"), [(2, "gini"), (2, "entropy"), (3, "gini"), (3, "entropy")])
def test_every_test_of_numbers_in_a_classification_tree_is_the_best_there_is(classes, criterion, weighted):
    x, y = table(150, 5)
    x = x.drop("town")
    target = np.digitize(y, [0.2, 0.9][: classes - 1]).astype(np.int32)
    weights = np.random.default_rng(0).integers(1, 4, 150).astype(float) if weighted else None
    tree = one_tree(x, target, weights, classes, criterion=criterion, min_samples_leaf=2.0)
    ones = np.ones(150) if weights is None else weights
    assert check_tree(tree, x, target, ones, classes, criterion, least=2) > 10


def test_two_classes_are_divided_by_the_best_set_of_categories_where_each_has_many_rows():
    x, y = table(600, 8, categories=6)
    target = (y > 0.5).astype(np.int32)
    tree = one_tree(x, target, None, 2, min_samples_split=400.0)
    assert check_upper_nodes(tree, x, target, np.ones(600), 2, "gini", 1, 400) >= 1


def test_large_nodes_are_cut_between_bins_that_lose_next_to_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40_000, 2))
    y = (x[:, 0] > 0.3) + 0.1 * rng.normal(size=40_000)
    tree = one_tree(Table(x), y, max_depth=1)
    assert tree.feature[0] == 0
    assert abs(tree.threshold[0] - 0.3) < 0.02


def test_nodes_searched_by_bins_and_by_cells_agree_where_numbers_are_few():
    rng = np.random.default_rng(3)
    x = Table(rng.integers(0, 40, (3000, 4)).astype(float))
    for target, classes in ((rng.normal(size=3000), 0), (rng.integers(0, 2, 3000).astype(np.int32), 2)):
        trees = [one_tree(x, target, None, classes, sorted_up_to=limit, max_depth=6) for limit in (0, 1 << 20)]
        np.testing.assert_array_equal(trees[0].feature, trees[1].feature)
        np.testing.assert_array_equal(trees[0].weight, trees[1].weight)


def test_a_column_of_names_that_means_nothing_is_not_asked_first():
    rng = np.random.default_rng(1)
    n = 3000
    names = Column("name", "nominal", rng.integers(0, 1000, n).astype(np.int32), tuple(f"n{i}" for i in range(1000)))
    real = Column("real", "numeric", rng.normal(size=n))
    target = (real.values + rng.normal(size=n) > 0).astype(np.int32)
    tree = one_tree(Table.of_columns([names, real]), target, None, 2, min_samples_leaf=20.0)
    top = np.flatnonzero(tree.weight > 500)
    assert len(top) > 3
    assert (tree.feature[top] == 1).all()


def test_a_column_of_many_categories_that_matter_is_found():
    rng = np.random.default_rng(1)
    n = 6000
    codes = rng.integers(0, 500, n).astype(np.int32)
    effect = rng.normal(size=500)
    names = Column("name", "nominal", codes, tuple(f"n{i}" for i in range(500)))
    y = effect[codes] + 0.3 * rng.normal(size=n)
    tree = one_tree(Table.of_columns([names, Column("noise", "numeric", rng.normal(size=n))]), y, max_depth=2)
    assert (tree.feature[~tree.is_leaf] == 0).all()
    left = tree.routes_of(0, 500)[codes] == 0
    assert abs(np.corrcoef(left, y)[0, 1]) > 0.65


def test_classes_that_follow_categories_are_told_apart():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 12, 4000).astype(np.int32)
    target = (codes % 3).astype(np.int32)
    names = Column("name", "nominal", codes, tuple(f"n{i}" for i in range(12)))
    tree = one_tree(Table.of_columns([names]), target, None, 3)
    assert tree.n_leaves == 3
    assert tree.impurity[tree.is_leaf].max() == 0


def test_cells_never_seen_missing_go_with_the_heavier_child():
    x = Table(np.arange(10.0).reshape(-1, 1))
    tree = one_tree(x, (np.arange(10) > 6).astype(float))
    assert tree.missing[0] == 0
    tree = one_tree(x, (np.arange(10) > 2).astype(float))
    assert tree.missing[0] == 1


def test_leaves_are_limited_by_their_usefulness():
    x, y = table(300, 2)
    tree = one_tree(x, y, max_leaf_nodes=5)
    assert tree.n_leaves == 5
    gains = _gains(tree)
    full = one_tree(x, y, max_leaf_nodes=6)
    assert full.n_leaves == 6
    assert min(gains) >= min(_gains(full)) - 1e-9
    assert one_tree(x, y, max_depth=2).max_depth == 2


def _gains(tree):
    mass = tree.weight * tree.impurity
    return [mass[i] - mass[tree.children_of(i)].sum() for i in np.flatnonzero(~tree.is_leaf)]


def test_drawn_cuts_stay_inside_the_node_and_are_drawn_evenly():
    n = 1000
    x = Table(np.random.default_rng(0).uniform(0, 1, (n, 1)))
    y = np.random.default_rng(1).normal(size=n)
    growth = Growth("squared_error", 1, bootstrap=False, random_cuts=True, max_depth=1)
    forest, _ = grow(coded(x, y), growth, 400)
    cuts = forest.threshold[forest.feature >= 0]
    assert len(cuts) == 400
    assert ((cuts > 0) & (cuts < 1)).all()
    shares = np.histogram(cuts, bins=4, range=(0, 1))[0] / 400
    assert np.abs(shares - 0.25).max() < 0.08


def test_columns_are_drawn_evenly_and_constant_ones_do_not_count():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 5))
    x[:, 3] = 1.0
    y = rng.normal(size=200)
    growth = Growth("squared_error", 1, bootstrap=True, max_depth=1)
    forest, _ = grow(coded(Table(x), y), growth, 2000)
    used = np.bincount(forest.feature[forest.feature >= 0], minlength=5)
    assert used.sum() == 2000
    assert used[3] == 0
    assert np.abs(used[[0, 1, 2, 4]] - 500).max() < 5 * np.sqrt(2000 * 0.25 * 0.75)


def test_rows_are_drawn_as_a_bootstrap_draws_them():
    rng = np.random.default_rng(0)
    x, y = Table(rng.normal(size=(5000, 1))), rng.normal(size=5000)
    rows = coded(x, y)
    for rate in (1.0, 0.3):
        forest, kept = grow(rows, Growth("squared_error", 1, rate=rate, max_depth=1), 20, keep_targets=True)
        weight = forest.weight[forest.tree_start[:-1]]
        assert weight.mean() == pytest.approx(5000 * rate, rel=0.02)
        assert weight.std() == pytest.approx(np.sqrt(5000 * rate), rel=0.6)
        assert len(kept.leaves.ranks) / (20 * 5000) == pytest.approx(1 - np.exp(-rate), rel=0.02)


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("random_cuts", [False, True])
def test_the_number_of_threads_changes_nothing(classes, random_cuts):
    x, y = table(700, 4, categories=60)
    target = np.digitize(y, [0.2, 0.9][: classes - 1]).astype(np.int32) if classes else y
    growth = Growth("gini" if classes else "squared_error", 2, classes, random_cuts=random_cuts, seed=5)
    rows, found = coded(x, target), []
    before = _core.get_threads()
    for number in (1, 2, 5):
        threads(number)
        out = OutOfBagSums.of(rows, classes)
        forest, _ = grow(rows, growth, 7, out_of_bag=out)
        found.append((forest, out))
    threads(before)
    for forest, out in found[1:]:
        for name in ("feature", "threshold", "value", "routes", "weight", "missing"):
            np.testing.assert_array_equal(getattr(forest, name), getattr(found[0][0], name))
        np.testing.assert_array_equal(out.sums, found[0][1].sums)


def test_a_tree_is_the_same_alone_and_among_others():
    x, y = table(300, 6)
    rows, growth = coded(x, y), Growth("squared_error", 2, seed=3)
    whole, _ = grow(rows, growth, 6)
    part, _ = grow(rows, growth, 2, first=4)
    np.testing.assert_array_equal(whole.part(4, 6).threshold, part.threshold)
    with watch() as log:
        told, _ = grow(rows, growth, 6, learner="a forest")
    np.testing.assert_array_equal(told.threshold, whole.threshold)
    assert log["iteration"][-1] == 6


def test_out_of_bag_means_are_those_of_the_trees_that_did_not_draw_a_row():
    x, y = table(120, 9)
    rows, growth = coded(x, y), Growth("squared_error", 3, seed=1)
    out = OutOfBagSums.of(rows, 0)
    forest, kept = grow(rows, growth, 5, out_of_bag=out, keep_targets=True)
    assert kept is not None
    # Which rows a tree drew, from its weights: a root holds as many draws as its leaves keep.
    leaves = forest.leaves(x)
    expected, count = np.zeros(120), np.zeros(120)
    for t in range(5):
        single, mine = grow(rows, growth, 1, first=t, keep_targets=True)
        drawn = np.isin(y, mine.leaves.targets[mine.leaves.ranks])  # targets are all different
        value = single.value[leaves[:, t], 0]
        expected[~drawn] += value[~drawn]
        count[~drawn] += 1
    np.testing.assert_array_equal(out.trees, count)
    seen = count > 0
    np.testing.assert_allclose(out.means()[seen, 0], expected[seen] / count[seen], rtol=1e-9)
    assert np.isnan(out.means()[~seen]).all()


def test_the_kernel_refuses_what_does_not_fit():
    x, y = table(50, 0)
    rows = coded(x, y)
    codes = rows.codes.copy()
    codes[1, 7] = 999
    with pytest.raises(ValueError, match="codes it does not declare"):
        grow(replace(rows, codes=codes), Growth("squared_error", 2), 1)
    with pytest.raises(ValueError, match="does not fit the target"):
        grow(rows, Growth("gini", 2), 1)
    with pytest.raises(ValueError, match="has the length"):
        grow(replace(rows, target=y[:30]), Growth("squared_error", 2), 1)
