"""The automatic vote in a comparison: the mean of members that take part, without being run."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import learnt
from learnt.evaluate.comparison.candidates import candidates
from learnt.evaluate.folds import folds, run_fold
from learnt.evaluate.metrics.scoring import METRICS
from learnt.evaluate.problem import problem

CLASSIFIERS = ("GradientBoostingClassifier", "RandomForestClassifier", "ExtraTreesClassifier", "LogisticRegression")
REGRESSORS = ("GradientBoostingRegressor", "RandomForestRegressor", "ExtraTreesRegressor", "Ridge")


def found(given, learners=None, **settings):
    metric = METRICS["rmse" if given.classes is None else "accuracy"]
    return {c.name: c for c in candidates(given, learners, metric=metric, **settings)}


@pytest.mark.parametrize("name", ["breast_cancer", "labor", "cpu"])
def test_it_answers_to_the_last_bit_as_if_it_had_been_fitted(name):
    table = learnt.datasets.load(name)
    vote = "VotingRegressor" if name == "cpu" else "VotingClassifier"
    members = REGRESSORS if name == "cpu" else CLASSIFIERS
    compared = learnt.compare(table, learners=[vote, *members], cv=3, n_jobs=1)
    outcome = compared.outcome(vote)
    assert outcome.members == members
    learner = getattr(learnt, vote)()
    for fold, known in zip(folds(compared.problem, 3), outcome.results, strict=True):
        fitted = run_fold(learner, compared.problem, fold)
        np.testing.assert_array_equal(known.answer, fitted.answer)
        if name != "cpu":
            np.testing.assert_array_equal(known.probabilities, fitted.probabilities)
        assert known.n_train == fitted.n_train
    seconds = [[r.fit_seconds for r in compared.outcome(member).results] for member in members]
    assert [r.fit_seconds for r in outcome.results] == pytest.approx(np.sum(seconds, axis=0))
    assert isinstance(outcome.fit(), getattr(learnt, vote))


def test_it_stands_in_the_field_where_its_members_are_set_alike():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(60) < 0.5, "u", "v")
    numbers, labels = {"x": rng.normal(size=60)}, {"x": rng.choice(list("abc"), 60)}
    for columns in (numbers, labels):
        assert found(problem(columns, y))["VotingClassifier"].members == CLASSIFIERS
    assert found(problem(numbers, rng.normal(size=60)))["VotingRegressor"].members == REGRESSORS
    counts = csr_matrix(rng.poisson(0.2, (60, 6)).astype(float))
    assert "name it to have it" in found(problem(counts, y))["VotingClassifier"].skip
    named = found(problem(counts, y), ["VotingClassifier"])["VotingClassifier"]
    assert not named.skip
    assert not named.members


def test_it_is_run_where_a_member_is_absent_or_set_otherwise():
    given = problem(learnt.datasets.iris())
    assert not found(given, ["VotingClassifier"])["VotingClassifier"].members
    others = [*CLASSIFIERS[1:], learnt.GradientBoostingClassifier(max_iter=5), "VotingClassifier"]
    assert not found(given, others)["VotingClassifier"].members
    own = {"vote": learnt.VotingClassifier(weights=[1, 1, 1, 5]), **{name: name for name in CLASSIFIERS}}
    assert not found(given, own)["vote"].members
    assert not found(given, None, tune=True)["VotingClassifier"].members  # tuned members are others


def test_it_ends_with_a_member_that_fails():
    table = learnt.datasets.iris()
    found = learnt.compare(table, learners=[*CLASSIFIERS, "VotingClassifier"], time_budget=1e-9, cv=3, n_jobs=1)
    outcome = found.outcome("VotingClassifier")
    assert outcome.status == "stopped"
    assert "one of its members, was stopped" in outcome.why


def test_an_ensemble_is_chosen_from_the_members_of_the_vote():
    compared = learnt.compare(learnt.datasets.load("glass"), learners=[*CLASSIFIERS, "VotingClassifier"], cv=3)
    chosen = learnt.best_ensemble(compared)
    assert "VotingClassifier" not in chosen.weights
    assert sum(chosen.weights.values()) == pytest.approx(1)
