"""Extra trees: cuts are drawn between the ends of a column, and every tree gets all rows."""

import numpy as np
import pytest
from scipy.stats import kstest

from learnt import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestRegressor

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
