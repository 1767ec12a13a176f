"""What theory says about models: complexity grows with capacity, and bounds hold where they say something."""

import math

import numpy as np
import pytest

import learnt
from learnt.errors import InputError, ParameterError
from learnt.theory import pac_bound, rademacher_complexity

X = np.random.default_rng(0).normal(size=(120, 2))
Y = np.where(X[:, 0] > 0, "yes", "no")


def test_complexity_grows_with_what_a_learner_can_fit():
    learners = [learnt.MajorityClassifier(), learnt.DecisionStumpClassifier(), learnt.DecisionTreeClassifier()]
    none, little, all_ = (rademacher_complexity(learner, X, draws=10).value for learner in learners)
    assert none < little < all_
    assert all_ == 1.0


def test_the_complexity_of_a_constant_is_that_of_a_random_walk():
    """The best of the two constants agrees with |Σσ|/m of the signs: √(2/(π m)) on average."""
    found = rademacher_complexity(learnt.MajorityClassifier(), X, draws=200)
    expected = math.sqrt(2 / (math.pi * 120))
    assert abs(found.value - expected) < 4 * np.std(found.draws) / math.sqrt(200)


def test_its_bound_is_the_formula():
    found = rademacher_complexity(learnt.DecisionStumpClassifier(), X, draws=5)
    assert found.bound(0.1, 0.05) == pytest.approx(0.1 + found.value + 3 * math.sqrt(math.log(40) / 240))


def test_a_bound_by_a_given_size_is_the_formula():
    model = learnt.DecisionStumpClassifier().fit(X, Y)
    found = pac_bound(model, X, Y, log_hypotheses=5.0, delta=0.1)
    wrong = np.mean(np.asarray(model.predict(X)) != Y)
    assert found.error == pytest.approx(wrong + math.sqrt((5 + math.log(10)) / 240))
    assert not found.vacuous


def test_smaller_models_have_smaller_bounds_and_most_are_vacuous():
    vote = learnt.datasets.load("vote")
    sizes = [
        pac_bound(learner.fit(vote), vote).log_hypotheses
        for learner in (learnt.DecisionStumpClassifier(), learnt.C45Classifier(), learnt.RandomForestClassifier())
    ]
    assert sizes == sorted(sizes)
    assert "vacuous" in str(pac_bound(learnt.RandomForestClassifier().fit(vote), vote))


def test_labels_come_by_name_as_an_array_or_with_the_table():
    table = {"a": X[:, 0], "b": X[:, 1], "y": Y}
    model = learnt.DecisionStumpClassifier().fit(table, "y")
    expected = pac_bound(model, {"a": X[:, 0], "b": X[:, 1]}, Y, vc=3)
    assert pac_bound(model, table, "y", vc=3) == expected
    with pytest.raises(InputError, match="no labels"):
        pac_bound(model, table)
    with pytest.raises(ParameterError, match="not both"):
        pac_bound(model, table, "y", vc=3, log_hypotheses=1.0)


def test_the_bound_holds_on_new_rows():
    rng = np.random.default_rng(1)
    for seed in range(20):
        draw = np.random.default_rng(seed)
        x = draw.normal(size=(400, 2))
        y = np.where(x[:, 0] + draw.normal(size=400) > 0, "yes", "no")
        model = learnt.DecisionStumpClassifier().fit(x, y)
        new = rng.normal(size=(2000, 2))
        truth = np.where(new[:, 0] + rng.normal(size=2000) > 0, "yes", "no")
        assert np.mean(np.asarray(model.predict(new)) != truth) <= pac_bound(model, x, y, vc=3).error
