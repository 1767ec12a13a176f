"""Self-training: scikit-learn's labels with the same classifier, rounds by hand, hostile targets."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.semi_supervised import SelfTrainingClassifier as TheirSelfTraining

import learnt
from learnt import SelfTrainingClassifier, hide_labels


@pytest.mark.parametrize(("threshold", "most"), [(0.9, None), (0.99, None), (0.75, 10)])
def test_labels_are_those_of_scikit_learn_with_its_classifier(threshold, most):
    X, y = load_iris(return_X_y=True)
    seen = hide_labels(y, 0.9, random_state=3)
    ours = SelfTrainingClassifier(GaussianNB(), threshold=threshold, most=most, max_rounds=50).fit(X, seen)
    coded = np.array([-1 if label is None else label for label in seen])
    if most is None:
        theirs = TheirSelfTraining(GaussianNB(), threshold=threshold, max_iter=50)
    else:
        theirs = TheirSelfTraining(GaussianNB(), criterion="k_best", k_best=most, max_iter=50)
    theirs.fit(X, coded)
    if most is None:
        np.testing.assert_array_equal(ours.round_, theirs.labeled_iter_)
        assert [-1 if c is None else c for c in ours.labels_] == theirs.transduction_.tolist()
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_nothing_unlabelled_is_the_classifier_itself():
    vote = learnt.datasets.load("vote")
    plain = learnt.NaiveBayesClassifier().fit(vote)
    ours = SelfTrainingClassifier(learnt.NaiveBayesClassifier()).fit(vote)
    np.testing.assert_array_equal(ours.predict_proba(vote), plain.predict_proba(vote))
    assert (ours.round_ == 0).all()
    assert ours.n_rounds_ == 0


def test_rounds_on_a_mixed_table_with_gaps_and_weights():
    labor = learnt.datasets.load("labor")
    table, truth = labor.drop("class"), labor["class"].labels()
    seen = hide_labels(truth, 0.6)
    weights = np.linspace(0.5, 1.5, len(seen))
    model = SelfTrainingClassifier().fit(table, seen, weights)
    assert model.n_rounds_ >= 1
    assert [label for label, r in zip(model.labels_, model.round_, strict=True) if r == 0] == [s for s in seen if s]
    assert all((label is None) == (r < 0) for label, r in zip(model.labels_, model.round_, strict=True))
    row = model.explain(table)[0]
    assert row.add_up() == pytest.approx(row.total)
    assert "labelled in" in str(model)


def test_weight_two_is_a_row_twice():
    X, y = load_iris(return_X_y=True)
    seen = hide_labels(y, 0.8)
    weights = np.where(np.arange(150) % 3 == 0, 2, 1)
    one = SelfTrainingClassifier(learnt.NaiveBayesClassifier()).fit(X, seen, weights)
    two = SelfTrainingClassifier(learnt.NaiveBayesClassifier()).fit(
        np.repeat(X, weights, axis=0), np.repeat(seen, weights)
    )
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-10)


def test_one_class_saving_and_a_fit_that_fails(tmp_path):
    model = SelfTrainingClassifier().fit({"x": [1.0, 2.0, 3.0]}, ["a", None, "a"])
    assert model.predict({"x": [9.0]}).tolist() == ["a"]
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    assert again.labels_.tolist() == model.labels_.tolist()
    with pytest.raises(learnt.errors.InputError):
        model.fit({"x": [1.0]}, [None])
    assert model.predict({"x": [9.0]}).tolist() == ["a"]
