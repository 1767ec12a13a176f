"""A tree is the same in whatever order its rows come: its sums are exact, so that rounding decides nothing."""

import numpy as np
import pytest

from learnt import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, Table, datasets

ORDERS = 20
NUMBERS = [("cpu", "class"), ("iris", "petalwidth"), ("iris", "sepalwidth"), ("glass", "RI"), ("glass", "Fe")]
CLASSES = ["iris", "glass", "vote", "breast_cancer"]


def divided(name, target):
    """The other columns of a bundled table, and the target's cells."""
    table = datasets.load(name)
    others = Table.of_columns([column for column in table.columns if column.name != target])
    return others, np.array(table[target].labels())


def check_same_tree(make, table, y, w):
    tree = make().fit(table, y, w).tree_
    for seed in range(ORDERS):
        order = np.random.default_rng(seed).permutation(len(y))
        other = make().fit(table.take(order), y[order], None if w is None else w[order]).tree_
        for field in ("feature", "threshold", "children", "route_codes", "routes", "otherwise", "missing"):
            np.testing.assert_array_equal(getattr(other, field), getattr(tree, field), err_msg=f"{field}, order {seed}")
        np.testing.assert_allclose(other.value, tree.value, rtol=1e-12, atol=1e-12 * np.abs(tree.value).max())


def weights_of(y, weighted):
    return np.random.default_rng(5).uniform(0.1, 3, len(y)) if weighted else None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize(("name", "target"), NUMBERS)
def test_the_order_of_rows_does_not_change_a_tree_of_numbers(name, target, criterion, weighted):
    table, y = divided(name, target)
    check_same_tree(lambda: DecisionTreeRegressor(criterion=criterion), table, y, weights_of(y, weighted))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "misclassification"])
@pytest.mark.parametrize("name", CLASSES)
def test_the_order_of_rows_does_not_change_a_tree_of_weighted_classes(name, criterion):
    table, y = divided(name, datasets.load(name).target)
    make = DecisionTreeClassifier if criterion != "gain_ratio" else C45Classifier
    settings = {"criterion": criterion} if criterion != "gain_ratio" else {}
    check_same_tree(lambda: make(**settings), table, y, weights_of(y, True))


def test_targets_far_from_zero_keep_their_differences():
    x = np.arange(6.0)[:, None]
    y = 1e9 + np.array([0, 0, 1e-6, 1e-6, 5e-6, 5e-6])
    assert DecisionTreeRegressor().fit(x, y).predict(x).tolist() == y.tolist()


def test_equal_halves_of_other_columns_are_worth_the_same_and_the_first_column_wins():
    rng = np.random.default_rng(0)
    y = rng.normal(size=40).round(1)
    x = rng.normal(size=40)
    for columns in ([x, -x], [-x, x], [x, x**3], [x**3, x]):
        assert set(DecisionTreeRegressor().fit(np.stack(columns, axis=1), y).tree_.feature.tolist()) == {-1, 0}
