"""Co-training: rounds by hand, two views that help each other, weights, saving, hostile targets."""

import numpy as np
import pytest

import learnt
from learnt import CoTrainingClassifier, hide_labels
from learnt.semi_supervised.co_training import _agreed, _surest


def two_views(n, seed):
    """Rows of two classes, in two views that tell nothing of each other but the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return np.hstack([rng.normal(size=(n, 5)) + y[:, None], rng.normal(size=(n, 5)) + y[:, None]]), y


VIEWS = [list(range(5)), list(range(5, 10))]


def test_a_round_is_that_of_blum_and_mitchell():
    X, y = two_views(120, 0)
    seen = hide_labels(y, 0.8)
    known = np.array([label is not None for label in seen])
    model = CoTrainingClassifier(views=VIEWS, most=10, threshold=0.01, max_rounds=1).fit(X, seen)
    shares = np.array([np.mean([label == c for label in seen[known]]) for c in (0, 1)])
    wanted = np.full((2, 120), -1)
    for v, view in enumerate(VIEWS):
        one = learnt.LogisticRegression(standardize=True).fit(X[known][:, view], seen[known].astype(int))
        chances = one.predict_proba(X[:, view])
        for c in (0, 1):
            rows = np.flatnonzero(~known & (chances.argmax(axis=1) == c))
            surest = rows[np.argsort(-chances[rows, c])][: int(np.ceil(10 * shares[c] - 1e-9))]
            wanted[v, surest] = c
    np.testing.assert_array_equal(model.round_ == 1, _agreed(wanted) >= 0)
    found = model.round_ == 1
    assert model.labels_[found].tolist() == _agreed(wanted)[found].tolist()
    np.testing.assert_array_equal(model.found_by_, np.where(found, (wanted >= 0).T @ [1, 2], 0))


def test_views_that_disagree_leave_a_row_alone_and_ties_go_together():
    assert _agreed(np.array([[0, 1, -1, -1, 2], [0, 0, 1, -1, -1]])).tolist() == [0, -1, 1, -1, 2]
    assert _surest(np.array([0.9, 0.8, 0.9, 0.7]), np.ones(4), 1.0).tolist() == [0, 2]
    assert _surest(np.array([0.9, 0.8, 0.95]), np.array([1.0, 1.0, 2.0]), 2.0).tolist() == [2]


def test_two_views_help_each_other():
    X, y = two_views(400, 1)
    told = learnt.score_with_few_labels(
        {"both": CoTrainingClassifier(views=VIEWS), "alone": learnt.LogisticRegression(standardize=True)},
        X,
        y,
        labels=(0.03,),
        repeats=4,
    )
    assert told.accuracy[0, 0] > told.accuracy[0, 1] + 0.02


def test_probabilities_are_products_over_the_share_of_the_class():
    X, y = two_views(100, 2)
    model = CoTrainingClassifier(views=VIEWS).fit(X, np.where(np.arange(100) % 4 == 0, y, np.nan))
    prior = np.bincount(y[::4]) / 25
    chances = [m.predict_proba(X[:, view]) for m, view in zip(model.estimators_, VIEWS, strict=True)]
    product = chances[0] * chances[1] / prior
    wanted = product / product.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), wanted, atol=1e-9)
    for i, row in enumerate(model.explain(X[:5])):
        assert row.add_up() == pytest.approx(row.total, abs=1e-12)
        assert row.total == pytest.approx(np.log(wanted[i].max()), abs=1e-9)
        assert row.prediction == model.predict(X)[i]


def test_weight_two_is_a_row_twice_and_the_order_does_not_matter():
    X, y = two_views(90, 3)
    seen = hide_labels(y, 0.7)
    weights = np.where(np.arange(90) % 3 == 0, 2, 1)
    settings = {"estimator": learnt.NaiveBayesClassifier(), "views": VIEWS, "most": 8}
    one = CoTrainingClassifier(**settings).fit(X, seen, weights)
    order = np.random.default_rng(4).permutation(int(weights.sum()))
    X2, seen2 = np.repeat(X, weights, axis=0)[order], np.repeat(seen, weights)[order]
    two = CoTrainingClassifier(**settings).fit(X2, seen2)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-9)


def test_mixed_tables_with_gaps_are_parted_by_themselves_and_saved(tmp_path):
    labor = learnt.datasets.load("labor")
    table, truth = labor.drop("class"), labor["class"].labels()
    model = CoTrainingClassifier().fit(table, hide_labels(truth, 0.6))
    assert sorted([*model.views_[0], *model.views_[1]]) == sorted(table.names)
    assert "view 2:" in str(model)
    assert all((label is None) == (r < 0) for label, r in zip(model.labels_, model.round_, strict=True))
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    assert again.views_ == model.views_


def test_hostile_targets():
    table = {"x": [1.0, 2.0, 3.0], "y": [1.0, np.nan, 1.0]}
    model = CoTrainingClassifier().fit(table, ["a", None, "a"])
    assert model.predict({"x": [9.0], "y": [9.0]}).tolist() == ["a"]
    with pytest.raises(learnt.errors.InputError, match="No row has a class"):
        model.fit(table, [None, None, None])
    assert model.predict(table).tolist() == ["a"] * 3
    full = CoTrainingClassifier().fit(table, ["a", "b", "a"])
    assert full.n_rounds_ == 0
