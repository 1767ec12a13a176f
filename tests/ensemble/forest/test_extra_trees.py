"""Extra trees: cuts are drawn between the ends of a column, and every tree gets all rows."""

import numpy as np
import pytest
from scipy.stats import kstest

from learnt import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(300, 1))


def test_cuts_of_one_column_are_drawn_evenly_between_its_ends():
    y = RNG.normal(size=300)  # says nothing of the column, so that any cut will do
    model = ExtraTreesRegressor(n_estimators=400, max_depth=1).fit(X, y)
    cuts = np.array([tree.threshold[0] for tree in model.trees_])
    low, high = X.min(), X.max()
    assert ((cuts >= low) & (cuts < high)).all()
    assert kstest((cuts - low) / (high - low), "uniform").pvalue > 0.001
    best = RandomForestRegressor(n_estimators=50, max_depth=1, bootstrap=False).fit(X, y)
    assert len({tree.threshold[0] for tree in best.trees_}) == 1  # where the best cut is looked for, all find it


@pytest.mark.parametrize("cls", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_every_tree_gets_all_rows_unless_they_are_drawn(cls):
    y = (X[:, 0] > 0.5).astype(int)
    model = cls(n_estimators=5).fit(X, y)
    assert [tree.weight[0] for tree in model.trees_] == [300.0] * 5
    drawn = cls(n_estimators=50, bootstrap=True, max_samples=40).fit(X, y)
    weights = np.array([tree.weight[0] for tree in drawn.trees_])
    assert (weights < 300).all()
    assert abs(weights.mean() - 40) < 5 * np.sqrt(40 / 50)  # five standard errors: rows are drawn independently


def test_a_step_is_learnt_by_heart_all_the_same():
    y = np.where(X[:, 0] > 0.5, "right", "left")
    assert ExtraTreesClassifier(n_estimators=5).fit(X, y).score(X, y) == 1


def towns(seed, n=1000, k=100):
    """Two numbers and a town whose effect is its own; log-odds and the side they lie on."""
    rng = np.random.default_rng(seed)
    a, b, town = rng.normal(size=n), rng.normal(size=n), rng.integers(0, k, n)
    signal = a + np.random.default_rng(99).normal(size=k)[town] + rng.normal(size=n)
    return {"a": a, "b": b, "town": [f"town {i}" for i in town]}, signal


@pytest.mark.parametrize("cls", [ExtraTreesClassifier, ExtraTreesRegressor])
def test_many_categories_tell_as_much_as_where_the_best_cut_is_looked_for(cls):
    (table, y), (new, truth) = towns(0), towns(1)
    y, truth = (y, truth) if cls is ExtraTreesRegressor else (y > 0, truth > 0)
    searching = RandomForestRegressor if cls is ExtraTreesRegressor else RandomForestClassifier
    without = [{name: cells for name, cells in columns.items() if name != "town"} for columns in (table, new)]
    alone = cls(n_estimators=30).fit(without[0], y).score(without[1], truth)
    gained = cls(n_estimators=30).fit(table, y).score(new, truth) - alone
    assert gained > 0.05
    assert gained > searching(n_estimators=30).fit(table, y).score(new, truth) - alone - 0.02


def test_names_of_the_rows_are_asked_for_less_than_where_the_best_cut_is_looked_for():
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    table, y = {"a": a, "name": [f"row {i}" for i in range(400)]}, a + rng.normal(size=400) > 0
    models = (
        cls(max_features=None, max_depth=4).fit(table, y) for cls in (ExtraTreesClassifier, RandomForestClassifier)
    )
    shares = [model.feature_importances_[1] for model in models]
    assert shares[0] < min(0.2, shares[1])


def test_cuts_of_categories_are_drawn_anew_in_every_tree():
    table, y = towns(0, n=3000, k=40)
    model = ExtraTreesRegressor(n_estimators=60, max_depth=1, max_features=1).fit(table, y)
    tests = [tree for tree in model.trees_ if tree.feature[0] == 2]
    sizes = [int((tree.routes == 0).sum()) for tree in tests]
    assert len(set(sizes)) > 10
    assert min(sizes) < 8
    assert max(sizes) > 32
