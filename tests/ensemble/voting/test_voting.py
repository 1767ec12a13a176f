"""Voting against scikit-learn's with the same members, by hand, and as explained."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import VotingClassifier as PeerClassifier
from sklearn.ensemble import VotingRegressor as PeerRegressor
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier as PeerNeighbors
from sklearn.tree import DecisionTreeClassifier as PeerTree
from sklearn.tree import DecisionTreeRegressor as PeerTreeRegressor

import learnt
from learnt.errors import InputError, ParameterError

RNG = np.random.default_rng(3)
X = pd.DataFrame({"a": RNG.normal(size=150), "b": RNG.normal(size=150), "c": RNG.normal(size=150)})
Y = np.select([X["a"] > 0.5, X["b"] > 0], ["low", "mid"], "top")
NUMBER = (X["a"] - 2 * X["b"] + RNG.normal(size=150) / 10).to_numpy()
CLASSIFIERS = [
    ("logistic", PeerLogistic()),
    ("tree", PeerTree(max_depth=3, random_state=0)),
    ("bayes", GaussianNB()),
]


@pytest.mark.parametrize("weights", [None, [2, 1, 0.5]])
@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize("row_weights", [None, RNG.integers(1, 4, 150).astype(float)])
def test_classes_are_those_of_scikit_learn(weights, vote, row_weights):
    ours = learnt.VotingClassifier(CLASSIFIERS, weights=weights, vote=vote).fit(X, Y, row_weights)
    theirs = PeerClassifier(CLASSIFIERS, weights=weights, voting=vote).fit(X, Y, sample_weight=row_weights)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if vote == "soft":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("weights", [None, [2, 1]])
def test_numbers_are_those_of_scikit_learn(weights):
    members = [("ridge", PeerRidge()), ("tree", PeerTreeRegressor(max_depth=3, random_state=0))]
    ours = learnt.VotingRegressor(members, weights=weights).fit(X, NUMBER)
    theirs = PeerRegressor(members, weights=weights).fit(X, NUMBER)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)


def test_the_vote_is_the_weighted_mean_of_the_members():
    members = [learnt.NaiveBayesClassifier(), learnt.DecisionTreeClassifier(max_depth=2)]
    vote = learnt.VotingClassifier(members, weights=[3, 1]).fit(X, Y)
    alone = [member.fit(X, Y).predict_proba(X) for member in members]
    np.testing.assert_allclose(vote.predict_proba(X), 0.75 * alone[0] + 0.25 * alone[1], rtol=1e-12)
    assert vote.weights_.tolist() == [0.75, 0.25]
    assert vote.names_ == ("NaiveBayesClassifier", "DecisionTreeClassifier")


def test_members_that_agree_are_repeated_to_the_bit():
    one = learnt.RandomForestRegressor(n_estimators=5).fit(X, NUMBER)
    same = learnt.VotingRegressor([learnt.RandomForestRegressor(n_estimators=5)] * 3, weights=[1, 0.3, 7])
    np.testing.assert_array_equal(same.fit(X, NUMBER).predict(X), one.predict(X))
    assert same.names_ == tuple(f"RandomForestRegressor {m}" for m in (1, 2, 3))


def test_by_itself_it_takes_four_and_is_better_than_most():
    table = learnt.datasets.load("glass")
    vote = learnt.VotingClassifier().fit(table)
    assert [type(m).__name__ for m in vote.estimators_] == [
        "GradientBoostingClassifier",
        "RandomForestClassifier",
        "ExtraTreesClassifier",
        "LogisticRegression",
    ]
    mean = np.mean([m.predict_proba(table) for m in vote.estimators_], axis=0)
    np.testing.assert_allclose(vote.predict_proba(table), mean, atol=1e-14)


def test_a_wide_table_has_a_ridge_without_a_choice():
    table = {"id": [f"c{i}" for i in range(6000)], "x": np.arange(6000.0)}
    from learnt.ensemble.voting.defaults import default_regressors

    schema = learnt.Table(table, kinds={"id": "nominal"}).schema
    assert default_regressors(6000, schema)[-1][1].alpha == 1.0
    assert default_regressors(400, schema)[-1][1].alpha == "loo"


# Explaining


def test_an_explanation_is_the_mean_of_the_members_shapley_values():
    trees = [("forest", learnt.RandomForestClassifier(n_estimators=7)), ("tree", learnt.DecisionTreeClassifier())]
    vote = learnt.VotingClassifier(trees, weights=[2, 1]).fit(X, Y)
    told = vote.explain(X[:10])
    forest, tree = vote.estimators_
    for i, explanation in enumerate(told):
        c = vote.classes_.tolist().index(explanation.prediction)
        row = learnt.Table(X[i : i + 1])
        own = [member._class_parts(row) for member in (forest, tree)]
        expected = (2 * own[0].parts[:, c] + own[1].parts[:, c]) / 3
        np.testing.assert_allclose([e.contribution for e in explanation.evidence], expected, atol=1e-12)
        assert explanation.base == pytest.approx((2 * own[0].base[c] + own[1].base[c]) / 3)


def test_members_that_tell_of_no_columns_are_lines_of_their_own():
    members = [("near", PeerNeighbors(3)), ("forest", learnt.RandomForestClassifier(n_estimators=5))]
    vote = learnt.VotingClassifier(members).fit(X, Y)
    told = vote.explain(X)[0]
    assert [e.column for e in told.evidence] == ["a", "b", "c", "member near"]
    near = vote.estimators_[0].predict_proba(X[:1])[0]
    assert told.evidence[-1].contribution == near[vote.classes_.tolist().index(told.prediction)] / 2
    assert told.add_up() == pytest.approx(vote.predict_proba(X)[0].max())
    counted = learnt.VotingClassifier(members, vote="hard").fit(X, Y).explain(X)[0]
    assert [e.column for e in counted.evidence] == ["member near", "member forest"]
    assert counted.add_up() == pytest.approx(counted.total)


def test_regressors_that_tell_of_no_columns_too():
    vote = learnt.VotingRegressor([("ridge", PeerRidge()), learnt.LinearRegression()]).fit(X, NUMBER)
    told = vote.explain(X)[3]
    assert [e.column for e in told.evidence] == ["a", "b", "c", "member ridge"]
    assert told.add_up() == pytest.approx(vote.predict(X)[3])


def test_votes_in_votes_are_explained_by_columns():
    inner = learnt.VotingClassifier([learnt.NaiveBayesClassifier(), learnt.LogisticRegression()])
    outer = learnt.VotingClassifier([inner, learnt.DecisionTreeClassifier()]).fit(X, Y)
    told = outer.explain(X)[5]
    assert [e.column for e in told.evidence] == ["a", "b", "c"]
    assert told.add_up() == pytest.approx(outer.predict_proba(X)[5].max())


# Settings


def test_settings_of_members_are_reached_by_name():
    vote = learnt.VotingClassifier([("tree", learnt.DecisionTreeClassifier(max_depth=3)), learnt.LogisticRegression()])
    assert vote.get_params()["tree__max_depth"] == 3
    copy = learnt.clone(vote).set_params(tree__max_depth=1, LogisticRegression__C=0.5, vote="hard")
    assert copy.get_params()["tree"].max_depth == 1
    assert copy.get_params()["LogisticRegression__C"] == 0.5
    assert copy.vote == "hard"
    assert vote.get_params()["tree__max_depth"] == 3
    copy.set_params(tree=learnt.NaiveBayesClassifier())
    assert copy.fit(X, Y).names_ == ("tree", "LogisticRegression")
    with pytest.raises(ParameterError, match="'tree__depth'"):
        vote.set_params(tree__depth=1, vote="hard")
    assert vote.vote == "soft"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"estimators": []}, "estimators="),
        ({"estimators": [learnt.Ridge()]}, "a list of classifiers"),
        ({"estimators": [("a", learnt.LogisticRegression), 3]}, "a list of classifiers"),
        ({"estimators": [("a", learnt.LogisticRegression()), ("a", learnt.LogisticRegression())]}, "twice"),
        ({"estimators": [("vote", learnt.LogisticRegression())]}, "cannot be told from a setting"),
        ({"estimators": [("a__b", learnt.LogisticRegression())]}, "cannot be told from a setting"),
        ({"weights": [1, 2]}, "2 weights for 4 learners"),
        ({"weights": [0, 0, 0, 0]}, "weights="),
        ({"weights": [1, -1, 1, 1]}, "weights="),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(ParameterError, match=words):
        learnt.VotingClassifier(**settings).fit(X, Y)


def test_a_member_without_weights_does_not_pass_over_them():
    vote = learnt.VotingClassifier([PeerNeighbors()])
    assert vote.fit(X, Y, np.ones(150)).score(X, Y) > 0.8
    with pytest.raises(InputError, match="takes no weights"):
        vote.fit(X, Y, np.arange(150.0))


def test_a_vote_is_saved_and_loaded(tmp_path):
    mixed = X.assign(town=np.where(X["a"] > 0, "Bern", None))
    for model, target in ((learnt.VotingClassifier(), Y), (learnt.VotingRegressor(weights=[1, 2, 3, 4]), NUMBER)):
        learnt.save(model.fit(mixed, target), tmp_path / "vote.learnt")
        twin = learnt.load(tmp_path / "vote.learnt")
        np.testing.assert_array_equal(twin.predict(mixed), model.predict(mixed))
        assert str(twin.explain(mixed)[0]) == str(model.explain(mixed)[0])


def test_rows_of_text_are_counted():
    texts = ["good wine and good food", "bad wine", "bad food today", "good food"] * 10
    table = learnt.Table({"review": texts, "n": np.arange(40.0)}, kinds={"review": "text"})
    vote = learnt.VotingClassifier().fit(table, ["yes", "no", "no", "yes"] * 10)
    assert vote.score(table, ["yes", "no", "no", "yes"] * 10) == 1.0
