"""The unit of a column does not matter: cells in mol/l are as far apart as in nmol/l."""

import numpy as np
import pytest

import learnt


def rows(n=120):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 3)).round(3)
    return x, np.where(x @ [1.0, 2.0, 3.0] + 0.3 * rng.normal(size=n) > 0, "yes", "no")


@pytest.mark.parametrize("exponent", [-500, -20, -7, 20])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "name", ["C45Classifier", "RuleListClassifier", "DecisionTreeClassifier", "AdaBoostClassifier", "ID3Classifier"]
)
def test_trees_are_the_same_in_any_unit(name, dtype, exponent):
    """Powers of 2 change no digit, so that not even a tie falls otherwise."""
    x, y = rows()
    unit = 2.0 ** (exponent if dtype is np.float64 else max(exponent, -100))
    one, other = ((x * size).astype(dtype) for size in (1.0, unit))
    learner = getattr(learnt, name)
    answers = learner().fit(one, y).predict(one)
    assert len(set(answers)) == 2
    np.testing.assert_array_equal(answers, learner().fit(other, y).predict(other))


def test_cells_a_millionth_apart_are_one_to_j48_where_the_column_is_wide():
    x = np.array([0.0, 1e-6, 2e-6, 1.0])[:, None]
    y = ["no", "no", "yes", "yes"]
    tree = learnt.C45Classifier(min_samples_leaf=1, prune=None, mdl_correction=False).fit(x, y)
    assert tree.predict(x).tolist() == ["no", "no", "no", "yes"]
    assert learnt.C45Classifier(min_samples_leaf=1, prune=None).fit(x[:3], y[:3]).predict(x[:3]).tolist() == y[:3]
