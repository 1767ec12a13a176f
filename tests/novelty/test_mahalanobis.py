"""Mahalanobis's distances against scikit-learn's, of labels against their definition."""

import numpy as np
from sklearn.covariance import EmpiricalCovariance, MinCovDet

from learnt import Table
from learnt.novelty.mahalanobis import MahalanobisDistance


def fitted(table, robust=False, **settings):
    table = Table(table)
    weights = np.ones(table.n_rows)
    return MahalanobisDistance.fitted(table, weights, robust=robust, standardize=True, seed=0, **settings)


def plain(model, table):
    """Without what is added for cells being there."""
    present = model.label_parts[::2].sum()
    return model.novelty(Table(table)) - present


def test_squared_distances_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4)) + 7
    new = rng.normal(size=(20, 4)) * 9
    np.testing.assert_allclose(plain(fitted(x), new), EmpiricalCovariance().fit(x).mahalanobis(new), rtol=1e-8)


def test_robust_distances_do_not_see_a_fifth_of_outliers():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    x[:60] += 20
    new = np.array([[0.0, 0.0, 0.0], [20.0, 20.0, 20.0]])
    theirs = MinCovDet(random_state=0).fit(x).mahalanobis(new)
    ours = plain(fitted(x, robust=True), new)
    np.testing.assert_allclose(ours, theirs, rtol=0.1, atol=0.1)
    assert ours[1] > 50 * plain(fitted(x), new)[1]


def test_a_label_adds_its_distance_among_indicators():
    labels = list("aaaaabbbcc")
    model = fitted({"x": labels})
    counts = {"a": 6, "b": 4, "c": 3}  # each once more, and 1 for a gap
    wanted = [14 / counts[label] - 1 for label in "abc"] + [13.0]
    np.testing.assert_allclose(model.novelty(Table({"x": ["a", "b", "c", None]})), wanted)


def test_axes_are_those_most_like_the_columns():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(5000, 2)) * [1.0, 50.0]
    _, parts = fitted(x).parts(Table([[3.0, 0.0], [0.0, 150.0]]))
    np.testing.assert_allclose(parts, [[9, 0], [0, 9]], atol=1)
