"""Stumps: the best single test, by trying all of them."""

import numpy as np
import pytest
from tests.tree.test_cart_laws import table_of

from learnt import DecisionStumpClassifier, DecisionStumpRegressor, Table


def gini(y, w):
    share = np.bincount(y, w) / w.sum()
    return 1 - float(np.sum(share**2))


def entropy(y, w):
    share = np.bincount(y, w) / w.sum()
    share = share[share > 0]
    return -float(np.sum(share * np.log2(share)))


def misclassification(y, w):
    return 1 - float(np.bincount(y, w).max() / w.sum())


def variance(y, w):
    return float(np.average((y - np.average(y, weights=w)) ** 2, weights=w))


def all_tests(table):
    """Every threshold of a number or ordered label, every category against the others; missing cells on either side."""
    for column in table.columns:
        known = ~column.missing
        levels = np.unique(column.values[known])
        ways = (
            [column.values <= v for v in levels]
            if column.kind in ("numeric", "ordinal")
            else [column.values == v for v in levels]
        )
        for way in ways:
            yield way & known
            yield way | ~known


@pytest.mark.parametrize(
    ("criterion", "mixed"), [("gini", gini), ("entropy", entropy), ("misclassification", misclassification)]
)
@pytest.mark.parametrize("gaps", [0.0, 0.25])
@pytest.mark.parametrize("seed", range(5))
def test_no_other_single_test_leaves_the_classes_less_mixed(criterion, mixed, gaps, seed):
    table, y, _, w = table_of(seed, gaps=gaps)
    tree = DecisionStumpClassifier(criterion=criterion).fit(table, y, w).tree_
    ways = [way for way in all_tests(table) if way.any() and not way.all()]
    best = min((w[way].sum() * mixed(y[way], w[way]) + w[~way].sum() * mixed(y[~way], w[~way])) for way in ways)
    below = tree.children_of(0)
    assert tree.weight[below] @ tree.impurity[below] == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("gaps", [0.0, 0.25])
@pytest.mark.parametrize("seed", range(5))
def test_no_other_single_test_leaves_the_numbers_less_spread(gaps, seed):
    table, _, y, w = table_of(seed, gaps=gaps)
    tree = DecisionStumpRegressor().fit(table, y, w).tree_
    ways = [way for way in all_tests(table) if way.any() and not way.all()]
    best = min(w[way].sum() * variance(y[way], w[way]) + w[~way].sum() * variance(y[~way], w[~way]) for way in ways)
    below = tree.children_of(0)
    assert tree.weight[below] @ tree.impurity[below] == pytest.approx(best, rel=1e-9)


def test_a_nominal_test_asks_for_one_value_or_otherwise():
    table = Table({"town": ["Bern", "Basel", "Genf", "Chur"] * 10})
    model = DecisionStumpClassifier().fit(table, (["yes"] + ["no"] * 3) * 10)
    assert str(model) == "town is Bern: yes (10)\ntown is not Bern: no (30)"
    assert model.predict({"town": ["Bern", "Chur", "Olten"]}).tolist() == ["yes", "no", "no"]


def test_a_stump_has_one_test_or_none():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200, 4)), rng.integers(3, size=200)
    assert DecisionStumpClassifier().fit(x, y).tree_.node_count == 3
    assert DecisionStumpClassifier().fit(np.ones((5, 2)), [0, 1, 0, 1, 1]).predict([[1.0, 1.0]]).tolist() == [1]
    assert DecisionStumpRegressor().fit(x, np.ones(200)).tree_.node_count == 1
    assert DecisionStumpRegressor(min_samples_leaf=0.4).fit(x, rng.normal(size=200)).tree_.weight[1:].min() >= 80


def test_the_median_is_predicted_when_the_absolute_error_counts():
    x = np.array([[0.0], [0], [0], [1], [1], [1]])
    model = DecisionStumpRegressor(criterion="absolute_error").fit(x, [1.0, 2.0, 9.0, 20.0, 21.0, 50.0])
    assert model.predict([[0.0], [1.0]]).tolist() == [2.0, 21.0]
