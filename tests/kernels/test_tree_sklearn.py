"""Grown trees against scikit-learn's, on numbers without ties."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from learnt.data.table import Table
from learnt.tree.grow.exact import GrowOptions, apply_rows, grow, predict_rows


def numbers(seed, n=1500, p=6, missing=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)).astype(np.float32)
    if missing:
        x[rng.random(x.shape) < missing] = np.nan
    return x


def score_of(x, seed):
    a = np.nan_to_num(x, nan=0.7)
    return a[:, 0] * a[:, 1] + a[:, 2] + 0.5 * np.random.default_rng(seed + 99).normal(size=len(x))


def assert_same_tree(tree, theirs):
    their = theirs.tree_
    inner = their.feature >= 0
    np.testing.assert_array_equal(tree.feature, np.where(inner, their.feature, -1))
    np.testing.assert_array_equal(tree.threshold[inner], their.threshold[inner])
    np.testing.assert_array_equal(tree.children_left, their.children_left)
    np.testing.assert_array_equal(tree.children_right, their.children_right)
    np.testing.assert_allclose(tree.impurity, their.impurity, atol=1e-9)
    np.testing.assert_allclose(tree.weight, their.weighted_n_node_samples, rtol=1e-9)
    assert tree.max_depth == their.max_depth


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("seed", [0, 1])
def test_weighted_classification_gives_the_same_tree(seed, k, criterion):
    # Weights of many digits, so that no two splits are equally good, whose sums are exact, so that pure is pure.
    x = numbers(seed)
    score = score_of(x, seed)
    y = np.digitize(score, np.quantile(score, np.arange(1, k) / k)).astype(np.int32)
    weights = np.random.default_rng(seed).integers(512, 2048, len(y)) / 1024
    theirs = DecisionTreeClassifier(criterion=criterion, min_weight_fraction_leaf=0.01, random_state=0)
    theirs.fit(x, y, sample_weight=weights)
    options = GrowOptions(criterion=criterion, min_samples_leaf=0.01 * weights.sum())
    tree = grow(Table(x), y, weights, options)
    assert tree.n_leaves > 15
    assert_same_tree(tree, theirs)
    np.testing.assert_array_equal(apply_rows(tree, Table(x)), theirs.apply(x))
    np.testing.assert_allclose(predict_rows(tree, Table(x), classes=True), theirs.predict_proba(x), atol=1e-9)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 4}, {"min_impurity_decrease": 0.005}])
def test_weighted_regression_gives_the_same_tree(criterion, limits):
    x = numbers(2, n=900)
    y = score_of(x, 2)
    weights = np.random.default_rng(2).integers(512, 2048, len(y)) / 1024
    theirs = DecisionTreeRegressor(criterion=criterion, min_weight_fraction_leaf=0.01, random_state=0, **limits)
    theirs.fit(x, y, sample_weight=weights)
    name = "mse" if criterion == "squared_error" else "mae"
    tree = grow(Table(x), y, weights, GrowOptions(criterion=name, min_samples_leaf=0.01 * weights.sum(), **limits))
    assert_same_tree(tree, theirs)
    np.testing.assert_allclose(predict_rows(tree, Table(x), classes=False)[:, 0], theirs.predict(x), atol=1e-9)


def test_missing_cells_learn_the_same_way():
    x = numbers(3, missing=0.2)
    y = score_of(x, 3)
    theirs = DecisionTreeRegressor(min_samples_leaf=10, random_state=0).fit(x, y)
    tree = grow(Table(x), y, None, GrowOptions(criterion="mse", min_samples_leaf=10))
    assert_same_tree(tree, theirs)
    np.testing.assert_array_equal(apply_rows(tree, Table(x)), theirs.apply(x))


@pytest.mark.parametrize("leaves", [2, 3, 17, 60])
def test_the_best_leaves_are_the_same(leaves):
    x = numbers(4)
    y = score_of(x, 4)
    theirs = DecisionTreeRegressor(max_leaf_nodes=leaves, min_samples_leaf=5, random_state=0).fit(x, y)
    tree = grow(Table(x), y, None, GrowOptions(criterion="mse", max_leaf_nodes=leaves, min_samples_leaf=5))
    assert tree.n_leaves == leaves
    np.testing.assert_allclose(predict_rows(tree, Table(x), classes=False)[:, 0], theirs.predict(x), atol=1e-9)
    assert sorted(tree.weight) == sorted(theirs.tree_.weighted_n_node_samples)


def test_a_node_too_small_to_split_means_the_same():
    x = numbers(5)
    y = score_of(x, 5)
    theirs = DecisionTreeRegressor(min_samples_split=60, min_samples_leaf=5, random_state=0).fit(x, y)
    options = GrowOptions(criterion="mse", min_samples_split=60, min_samples_leaf=5)
    assert_same_tree(grow(Table(x), y, None, options), theirs)


def test_an_equal_number_of_both_is_split_though_nothing_is_gained():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
    y = np.array([0, 1, 1, 0], dtype=np.int32)
    tree = grow(Table(x), y, None, GrowOptions())
    assert tree.n_leaves == 4
    np.testing.assert_array_equal(predict_rows(tree, Table(x), classes=True).argmax(axis=1), y)
