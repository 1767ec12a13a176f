"""Labels on graphs of neighbours: moons, mixed tables, new rows, what adds up."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

import learnt
from learnt import LabelPropagation, LabelSpreading, hide_labels

BOTH = [LabelPropagation, LabelSpreading]


@pytest.mark.parametrize("kind", BOTH)
def test_four_labels_are_enough_for_two_moons(kind):
    X, y = make_moons(400, noise=0.06, random_state=0)
    seen = hide_labels(y, 0.99, random_state=1)
    model = kind().fit(X, seen)
    assert np.mean(model.labels_ == y) > 0.95
    new, truth = make_moons(200, noise=0.06, random_state=1)
    assert model.score(new, truth) > 0.95
    alone = learnt.KNeighborsClassifier(n_neighbors=1)
    known = [label is not None for label in seen]
    assert alone.fit(X[known], y[known]).score(new, truth) < 0.9


def test_given_labels_stay_or_may_be_overruled():
    X = {"x": [0.0, 0.1, 0.2, 0.3, 0.4, 5.0, 5.1]}
    y = ["a", "a", "b", "a", "a", "b", None]
    assert LabelPropagation(n_neighbors=2).fit(X, y).labels_.tolist()[2] == "b"
    assert LabelSpreading(n_neighbors=4, alpha=0.9).fit(X, y).labels_.tolist()[2] == "a"


@pytest.mark.parametrize("kind", BOTH)
def test_mixed_tables_with_gaps(kind):
    labor = learnt.datasets.load("labor")
    table, truth = labor.drop("class"), np.array(labor["class"].labels())
    model = kind().fit(table, hide_labels(truth, 0.7))
    hidden = np.array([label is None for label in hide_labels(truth, 0.7)])
    assert np.mean(model.labels_[hidden] == truth[hidden]) > 0.7
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1)
    found = model.explain(table)[3]
    assert found.add_up() == pytest.approx(found.total)
    assert found.total == pytest.approx(model.predict_proba(table)[3].max())


@pytest.mark.parametrize("kind", BOTH)
def test_hostile_tables(kind, tmp_path):
    assert kind().fit({"x": [1.0]}, ["a"]).predict({"x": [2.0]}).tolist() == ["a"]
    constant = kind().fit({"x": [1.0] * 6}, ["a", "b", None, None, "a", "a"])
    assert constant.predict({"x": [1.0]}).tolist() == ["a"]
    missing = kind().fit({"x": [None, None, None, 1.0]}, ["a", None, None, "b"])
    assert np.isfinite(missing.predict_proba({"x": [None]})).all()
    huge = kind().fit({"x": [1e150, 2e150, -1e150]}, ["a", None, "b"])
    assert huge.labels_.tolist() == ["a", "a", "b"]
    learnt.save(huge, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    np.testing.assert_array_equal(again.predict_proba({"x": [0.0]}), huge.predict_proba({"x": [0.0]}))


def test_rows_joined_to_no_label_are_said():
    X = {"x": [0.0, 0.1, 0.2, 9.0, 9.1, 9.2]}
    with pytest.warns(UserWarning, match="3 rows joined to no row with a class"):
        model = LabelPropagation(n_neighbors=2).fit(X, ["a", "b", "a", None, None, None])
    np.testing.assert_allclose(model.label_distributions_[3:], np.tile([2 / 3, 1 / 3], (3, 1)))


def test_the_order_of_rows_does_not_matter():
    X, y = make_moons(100, noise=0.1, random_state=2)
    seen = hide_labels(y, 0.8)
    order = np.random.default_rng(0).permutation(100)
    one = LabelSpreading().fit(X, seen).predict_proba(X)
    two = LabelSpreading().fit(X[order], seen[order]).predict_proba(X)
    np.testing.assert_allclose(one, two, atol=1e-6)
