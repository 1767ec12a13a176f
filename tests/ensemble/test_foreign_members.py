"""Estimators of scikit-learn as members of learnt's ensembles."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingRegressor as PeerBagging
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import learnt
from learnt.errors import InputError, LearntError, ParameterError

RNG = np.random.default_rng(1)
X = pd.DataFrame({"a": RNG.normal(size=150), "b": RNG.normal(size=150)})
Y = np.select([X["a"] > 0.5, X["b"] > 0], ["low", "mid"], "top")
NUMBER = X["a"] - 2 * X["b"] + RNG.normal(size=150) / 10

ENSEMBLES = [
    learnt.BaggingClassifier,
    learnt.RandomSubspaceClassifier,
    learnt.AdaBoostClassifier,
    learnt.OneVsRestClassifier,
    learnt.MinimumRiskClassifier,
    learnt.EditedNeighbors,
]


def make(ensemble, member):
    return ensemble(learner=member) if ensemble is learnt.EditedNeighbors else ensemble(member)


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda cls: cls.__name__)
def test_a_tree_of_scikit_learn_learns_what_a_tree_of_learnt_learns(ensemble):
    theirs = make(ensemble, DecisionTreeClassifier(max_depth=4, random_state=0)).fit(X, Y)
    ours = make(ensemble, learnt.DecisionTreeClassifier(max_depth=4)).fit(X, Y)
    assert abs(theirs.score(X, Y) - ours.score(X, Y)) < 0.1
    assert theirs.score(X, Y) > 0.8
    np.testing.assert_allclose(theirs.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("ensemble", [learnt.BaggingRegressor, learnt.AdaBoostRegressor], ids=lambda cls: cls.__name__)
def test_regressors_too(ensemble):
    assert ensemble(DecisionTreeRegressor(random_state=0)).fit(X, NUMBER).score(X, NUMBER) > 0.9
    assert ensemble(Ridge(alpha=1e-9)).fit(X, NUMBER).score(X, NUMBER) > 0.95


def test_a_bag_of_all_rows_is_the_member_and_as_scikit_learns():
    bag = learnt.BaggingRegressor(Ridge(), n_estimators=3, bootstrap=False).fit(X, NUMBER)
    peer = PeerBagging(Ridge(), n_estimators=3, bootstrap=False).fit(X, NUMBER)
    np.testing.assert_allclose(bag.predict(X), peer.predict(X), rtol=1e-10)


def test_one_against_the_rest_is_that_of_scikit_learn():
    from sklearn.multiclass import OneVsRestClassifier

    ours = learnt.OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_members_without_weights_get_rows_drawn_by_them():
    bag = learnt.BaggingClassifier(KNeighborsClassifier(3), n_estimators=5).fit(X, Y, np.ones(150) * 2)
    assert bag.score(X, Y) > 0.8
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no weights"):
        learnt.AdaBoostClassifier(KNeighborsClassifier(), by="weights").fit(X, Y)
    assert (
        learnt.AdaBoostClassifier(KNeighborsClassifier(), by="resampling", n_estimators=3).fit(X, Y).score(X, Y) > 0.8
    )


def test_members_without_probabilities_vote():
    bag = learnt.BaggingClassifier(LinearSVC(), n_estimators=5).fit(X, Y)
    assert set(np.unique(bag.predict_proba(X) * 5).round(9)) <= {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}


def test_labels_reach_a_pipeline_as_a_frame_with_names():
    mixed = X.assign(town=np.where(X["a"] > 0, "Bern", "Chur"))
    encode = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    bag = learnt.BaggingClassifier(make_pipeline(encode, GaussianNB()), n_estimators=3).fit(mixed, Y)
    assert bag.score(mixed, Y) > 0.6


def test_each_member_draws_by_a_seed_of_its_own():
    tree = DecisionTreeClassifier(splitter="random", random_state=0)
    bag = learnt.BaggingClassifier(tree, n_estimators=4, bootstrap=False).fit(X, Y)
    assert len({member.model_.random_state for member in bag.estimators_}) == 4
    assert tree.random_state == 0
    assert not hasattr(tree, "tree_")


def test_settings_inside_are_reached_and_copied():
    bag = learnt.BaggingClassifier(DecisionTreeClassifier(max_depth=3))
    assert bag.get_params()["estimator__max_depth"] == 3
    assert learnt.clone(bag).set_params(estimator__max_depth=1).estimator.max_depth == 1
    assert bag.estimator.max_depth == 3


def test_what_they_cannot_do_is_said(tmp_path):
    bag = learnt.BaggingClassifier(DecisionTreeClassifier()).fit(X, Y)
    with pytest.raises(InputError, match="DecisionTreeClassifier does not say how its answers come about"):
        learnt.OneVsRestClassifier(DecisionTreeClassifier()).fit(X, Y).explain(X)[0].text()
    assert len(bag.explain(X)[0].evidence) == 10  # a bag counts what each member says
    with pytest.raises(LearntError, match="cannot be saved"):
        learnt.save(bag, tmp_path / "bag.learnt")
    with pytest.raises(ParameterError, match="or one of scikit-learn"):
        learnt.BaggingClassifier(Ridge()).fit(X, Y)
    with pytest.raises(ParameterError, match="or one of scikit-learn"):
        learnt.BaggingClassifier(DecisionTreeClassifier).fit(X, Y)
