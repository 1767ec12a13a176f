"""CART on numbers grows scikit-learn's trees: single-precision cells, and no two splits equally good."""

import numpy as np
import pytest
from sklearn import tree as sk

import learnt
from learnt import DecisionTreeClassifier, DecisionTreeRegressor


def rows(seed=0, n=1500, p=6, classes=3):
    """float32 cells; a target that depends on them; weights in 64ths, so that sums are exact in any order."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)).astype(np.float32)
    signal = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + 0.5 * x[:, 3]
    noisy = signal + 2 * rng.normal(size=n)
    y = np.digitize(noisy, np.quantile(noisy, np.arange(1, classes) / classes))
    return x, y, noisy, rng.integers(32, 128, n) / 64


def in_preorder(tree):
    """The numbers of scikit-learn's nodes in the order we number ours; its best-first trees have another."""
    order, waiting = [], [0]
    while waiting:
        i = waiting.pop()
        order.append(i)
        if tree.children_left[i] >= 0:
            waiting += [tree.children_right[i], tree.children_left[i]]
    return np.array(order)


def assert_same_tree(ours, theirs):
    mine, other = ours.tree_, theirs.tree_
    assert mine.node_count == other.node_count > 5
    order = in_preorder(other)
    place = np.append(np.argsort(order), -1)
    np.testing.assert_array_equal(mine.children_left, place[other.children_left[order]])
    np.testing.assert_array_equal(mine.children_right, place[other.children_right[order]])
    inner = mine.feature >= 0
    np.testing.assert_array_equal(mine.feature[inner], other.feature[order][inner])
    np.testing.assert_array_equal(mine.threshold[inner], other.threshold[order][inner])
    np.testing.assert_allclose(mine.weight, other.weighted_n_node_samples[order], rtol=1e-10)
    np.testing.assert_allclose(mine.impurity, other.impurity[order], rtol=1e-8, atol=1e-12)
    value = mine.value / mine.value.sum(axis=1, keepdims=True) if mine.n_outputs > 1 else mine.value
    np.testing.assert_allclose(value, other.value[order, 0, :], rtol=1e-9, atol=1e-12)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert ours.get_depth() == theirs.get_depth()
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-7, atol=1e-12)


def assert_same_answers(ours, theirs, x):
    order = in_preorder(theirs.tree_)
    np.testing.assert_array_equal(order[ours.apply(x)], theirs.apply(x))
    np.testing.assert_array_equal(ours.decision_path(x).toarray(), theirs.decision_path(x).toarray()[:, order])
    if hasattr(ours, "predict_proba"):
        np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
        np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_allclose(ours.predict(x), theirs.predict(x), rtol=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": 4},
        {"min_weight_fraction_leaf": 0.015},
        {"max_leaf_nodes": 17},
        {"min_impurity_decrease": 0.004},
        {"min_weight_fraction_leaf": 0.015, "ccp_alpha": 0.002},
        {"min_weight_fraction_leaf": 0.015, "max_leaf_nodes": 30},
        {"min_weight_fraction_leaf": 0.015, "class_weight": {0: 3.0, 1: 0.5}},
    ],
    ids=str,
)
def test_classification_trees_are_scikit_learns(criterion, classes, settings):
    x, y, _, w = rows(classes=classes)
    ours = DecisionTreeClassifier(criterion=criterion, **settings).fit(x, y, w)
    theirs = sk.DecisionTreeClassifier(criterion=criterion, random_state=0, **settings).fit(x, y, w)
    assert_same_tree(ours, theirs)
    assert_same_answers(ours, theirs, rows(seed=7)[0])


@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": 4, "min_samples_leaf": 5},
        {"min_samples_leaf": 9},
        {"min_samples_leaf": 0.013, "min_samples_split": 0.05},
        {"min_samples_leaf": 5, "min_samples_split": 40},
        {"min_samples_leaf": 5, "max_leaf_nodes": 17},
        {"min_samples_leaf": 5, "min_impurity_decrease": 0.01},
        {"min_samples_leaf": 5, "ccp_alpha": 0.005},
    ],
    ids=str,
)
def test_regression_trees_are_scikit_learns(settings):
    x, _, y, _ = rows(n=700)
    ours = DecisionTreeRegressor(**settings).fit(x, y)
    theirs = sk.DecisionTreeRegressor(random_state=0, **settings).fit(x, y)
    assert_same_tree(ours, theirs)
    assert_same_answers(ours, theirs, rows(seed=7)[0])


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize(
    "settings",
    [{}, {"max_depth": 5}, {"max_leaf_nodes": 17}, {"min_impurity_decrease": 0.01}, {"ccp_alpha": 0.005}],
    ids=str,
)
def test_weighted_regression_trees_are_scikit_learns(criterion, settings):
    """Without weights many cuts have one absolute error: a row may change sides at no cost to either median."""
    x, _, y, w = rows(n=700)
    settings = {"criterion": criterion, "min_weight_fraction_leaf": 0.015, **settings}
    ours = DecisionTreeRegressor(**settings).fit(x, y, w)
    theirs = sk.DecisionTreeRegressor(random_state=0, **settings).fit(x, y, w)
    assert_same_tree(ours, theirs)
    assert_same_answers(ours, theirs, rows(seed=7)[0])


@pytest.mark.parametrize("settings", [{"max_depth": 4}, {"max_leaf_nodes": 9}, {"class_weight": "balanced"}], ids=str)
def test_unweighted_classification_trees_are_scikit_learns(settings):
    x, y, _, _ = rows(n=5000)
    y[(y == 2) & (np.arange(5000) % 3 > 0)] = 0  # classes of different weight
    settings = {"min_weight_fraction_leaf": 0.016, **settings}
    ours = DecisionTreeClassifier(**settings).fit(x, y)
    assert_same_tree(ours, sk.DecisionTreeClassifier(random_state=0, **settings).fit(x, y))


def test_short_names_of_criteria_mean_the_long_ones():
    x, _, y, _ = rows(n=300)
    for short, long in (("mse", "squared_error"), ("mae", "absolute_error")):
        one, two = (DecisionTreeRegressor(criterion=name, max_depth=3).fit(x, y) for name in (short, long))
        np.testing.assert_array_equal(one.tree_.threshold, two.tree_.threshold)


def test_missing_cells_are_sent_where_scikit_learn_sends_them():
    x, y, target, w = rows(n=1200)
    x[np.random.default_rng(3).random(x.shape) < 0.15] = np.nan
    limits = {"max_depth": 5, "min_weight_fraction_leaf": 0.02}
    for ours, theirs, goal in (
        (DecisionTreeClassifier(**limits), sk.DecisionTreeClassifier(random_state=0, **limits), y),
        (DecisionTreeRegressor(**limits), sk.DecisionTreeRegressor(random_state=0, **limits), target),
    ):
        ours.fit(x, goal, w), theirs.fit(x, goal, w)
        assert_same_tree(ours, theirs)
        np.testing.assert_array_equal(ours.apply(x), theirs.apply(x))


def test_double_precision_cells_are_told_apart_where_single_precision_cannot():
    x = np.array([[1.0], [1.0 + 1e-12], [1.0 + 2e-12], [1.0 + 3e-12]])
    model = DecisionTreeClassifier().fit(x, [0, 0, 1, 1])
    assert model.predict(x).tolist() == [0, 0, 1, 1]


def test_thresholds_lie_between_neighbouring_cells_even_at_the_ends_of_the_range():
    big = np.finfo(np.float64).max
    for cells in ([-big, big], [big / 2, big], [5e-324, 1e-323], [0.0, 5e-324], [1.0, np.nextafter(1.0, 2)]):
        x = np.array(cells)[:, None]
        model = DecisionTreeClassifier().fit(x, ["low", "high"])
        assert cells[0] <= model.tree_.threshold[0] < cells[1]
        assert model.predict(x).tolist() == ["low", "high"]


def test_the_tree_of_a_fitted_learner_reads_like_scikit_learns():
    x, y, _, _ = rows(n=200)
    model = DecisionTreeClassifier(max_depth=2).fit(x, y)
    tree = model.tree_
    assert (
        tree.node_count
        == len(tree.children_left)
        == len(tree.children_right)
        == len(tree.feature)
        == len(tree.impurity)
    )
    assert tree.n_leaves == model.get_n_leaves()
    assert tree.max_depth == model.get_depth() == 2
    assert sorted(np.unique(model.apply(x)).tolist()) == np.flatnonzero(tree.children_left < 0).tolist()


def test_max_features_draws_columns_anew_at_each_node_and_repeats_with_the_seed():
    x, y, _, _ = rows(n=600)
    trees = [
        DecisionTreeClassifier(max_features=k, random_state=s, max_depth=6).fit(x, y).tree_
        for k, s in ((2, 0), (2, 0), (2, 1))
    ]
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)
    assert not np.array_equal(trees[0].threshold, trees[2].threshold)
    assert len(set(trees[0].feature.tolist())) > 4  # −1 for leaves, and most of the columns
    whole = DecisionTreeClassifier(max_depth=6).fit(x, y).tree_
    for everything in (6, 1.0, None):
        same = DecisionTreeClassifier(max_features=everything, max_depth=6, random_state=3).fit(x, y).tree_
        np.testing.assert_array_equal(same.threshold, whole.threshold)


@pytest.mark.parametrize(("setting", "drawn"), [("sqrt", 3), ("log2", 3), (0.34, 3), (3, 3), (0.01, 1)])
def test_max_features_may_be_a_number_a_share_or_a_rule(setting, drawn):
    from learnt.tree.settings import columns_tried

    assert columns_tried(setting, 9) == drawn


def test_a_scan_is_refused_with_the_way_out(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "\n".join(f"{i},{'yes' if i > 50 else 'no'}" for i in range(100)))
    with pytest.raises(learnt.errors.InputError, match=r"scan.*memory.*window="):
        DecisionTreeClassifier().fit(learnt.scan(path), "y")
    windowed = DecisionTreeClassifier(window=40, random_state=0).fit(learnt.scan(path), "y")
    assert windowed.score(learnt.read(path), "y") == 1.0


def test_a_window_of_all_rows_is_the_whole_table():
    x, y, _, _ = rows(n=400)
    one, two = DecisionTreeClassifier(max_depth=5), DecisionTreeClassifier(max_depth=5, window=1.0, random_state=0)
    np.testing.assert_array_equal(one.fit(x, y).tree_.threshold, two.fit(x, y).tree_.threshold)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_window_of_numbers_takes_in_the_rows_the_tree_misses(criterion, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 1000, 6000).astype(float)
    y = np.where(x < 5, 100.0, np.floor(x / 250))  # a corner of thirty rows, which few windows hold
    small = DecisionTreeRegressor(criterion=criterion, window=60, random_state=3).fit(x[:, None], y)
    common = x >= 5
    without = DecisionTreeRegressor(criterion=criterion).fit(x[common, None], y[common])
    assert without.score(x[:, None], y) < 0.1
    assert small.score(x[:, None], y) > 0.9
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "\n".join(f"{a},{b}" for a, b in zip(x, y, strict=True)))
    scanned = DecisionTreeRegressor(criterion=criterion, window=60, random_state=3).fit(learnt.scan(path), "y")
    np.testing.assert_array_equal(scanned.tree_.threshold, small.tree_.threshold)
    whole = DecisionTreeRegressor(criterion=criterion, window=1.0, random_state=0).fit(x[:, None], y)
    everything = DecisionTreeRegressor(criterion=criterion).fit(x[:, None], y)
    np.testing.assert_array_equal(whole.tree_.threshold, everything.tree_.threshold)
