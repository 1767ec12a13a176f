"""Importance of columns to a tree, by definition."""

import numpy as np
import pytest
from tests.tree.test_cart_laws import MISSING, NOMINAL, table_of

from learnt import DecisionTreeClassifier, DecisionTreeRegressor
from learnt.tree.importance import impurity_importance, split_counts


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("nominal", NOMINAL)
def test_impurity_importance_is_what_the_tests_of_a_column_take_away(missing, nominal):
    table, y, _, w = table_of(1)
    model = DecisionTreeClassifier(missing=missing, nominal=nominal, max_depth=5).fit(table, y, w)
    tree, found = model.tree_, np.zeros(5)
    for i in np.flatnonzero(~tree.is_leaf):
        below = tree.children_of(i)
        found[tree.feature[i]] += tree.weight[i] * tree.impurity[i] - tree.weight[below] @ tree.impurity[below]
    np.testing.assert_allclose(model.feature_importances_, found / found.sum(), rtol=1e-10)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_.argmax() in (0, 2)  # age and town make the target


def test_a_tree_without_tests_has_no_important_column():
    model = DecisionTreeRegressor().fit(np.ones((4, 3)), [1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(model.feature_importances_, np.zeros(3))
    np.testing.assert_array_equal(impurity_importance(model.tree_, 3), np.zeros(3))


def test_tests_are_counted_per_column():
    table, y, _, _ = table_of(2)
    tree = DecisionTreeClassifier(max_depth=4).fit(table, y).tree_
    found = split_counts(tree, 5)
    assert found.sum() == tree.node_count - tree.n_leaves
    assert [np.sum(tree.feature == j) for j in range(5)] == found.tolist()
