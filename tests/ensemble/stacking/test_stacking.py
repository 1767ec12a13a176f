"""Stacking against scikit-learn's with the same members and folds, by hand, and as explained."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import StackingClassifier as PeerClassifier
from sklearn.ensemble import StackingRegressor as PeerRegressor
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier as PeerNeighbors
from sklearn.tree import DecisionTreeClassifier as PeerTree
from sklearn.tree import DecisionTreeRegressor as PeerTreeRegressor

import learnt
from learnt.engine.passes import Batch
from learnt.ensemble.stacking.folds import dealt_folds, spread_copies
from learnt.errors import ParameterError

RNG = np.random.default_rng(4)
X = pd.DataFrame({"a": RNG.normal(size=150), "b": RNG.normal(size=150), "c": RNG.normal(size=150)})
Y = np.select([X["a"] > 0.5, X["b"] > 0], ["low", "mid"], "top")
TWO = np.where(X["a"] + X["b"] + RNG.normal(size=150) > 0, "yes", "no")
NUMBER = (X["a"] - 2 * X["b"] + RNG.normal(size=150) / 10).to_numpy()
MEMBERS = [("tree", PeerTree(max_depth=3, random_state=0)), ("bayes", GaussianNB())]
FOLDS = KFold(4, shuffle=True, random_state=0)


@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("weights", [None, RNG.integers(1, 4, 150).astype(float)])
def test_two_classes_are_those_of_scikit_learn(passthrough, weights):
    settings = {"final_estimator": PeerLogistic(tol=1e-10), "cv": FOLDS, "passthrough": passthrough}
    ours = learnt.StackingClassifier(MEMBERS, **settings).fit(X, TWO, weights)
    theirs = PeerClassifier(MEMBERS, **settings, stack_method="predict_proba").fit(X, TWO, sample_weight=weights)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5)
    logistic = learnt.LogisticRegression()
    own = learnt.StackingClassifier(MEMBERS, logistic, cv=FOLDS, passthrough=passthrough).fit(X, TWO, weights)
    np.testing.assert_allclose(own.predict_proba(X), theirs.predict_proba(X), rtol=1e-3)


def test_numbers_are_those_of_scikit_learn():
    members = [("ridge", PeerRidge()), ("tree", PeerTreeRegressor(max_depth=3, random_state=0))]
    ours = learnt.StackingRegressor(members, learnt.Ridge(alpha=0.5), cv=FOLDS).fit(X, NUMBER)
    theirs = PeerRegressor(members, PeerRidge(alpha=0.5), cv=FOLDS).fit(X, NUMBER)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)


def test_the_final_learner_gets_answers_about_unseen_rows():
    members = [learnt.NaiveBayesClassifier(), learnt.DecisionTreeClassifier(max_depth=2)]
    stack = learnt.StackingClassifier(members, learnt.LogisticRegression(), cv=FOLDS).fit(X, Y)
    answers = np.empty((150, 4))
    for train, test in FOLDS.split(X):
        own = [learnt.clone(m).fit(X.iloc[train], Y[train]) for m in members]
        answers[test] = np.hstack([m.predict_proba(X.iloc[test])[:, 1:] for m in own])
    final = learnt.LogisticRegression().fit(answers, Y)
    np.testing.assert_allclose(stack.final_estimator_.coef_, final.coef_, rtol=1e-8)
    asked = np.hstack([m.fit(X, Y).predict_proba(X)[:, 1:] for m in members])
    np.testing.assert_allclose(stack.predict_proba(X), final.predict_proba(asked), rtol=1e-8)


def test_a_member_that_remembers_its_rows_gains_nothing_by_it():
    noise = RNG.choice(["a", "b"], 150)
    stack = learnt.StackingClassifier([("memory", PeerNeighbors(1)), ("none", learnt.MajorityClassifier())])
    stack.fit(X, noise)
    assert stack.estimators_[0].score(X, noise) == 1.0
    assert stack.final_estimator_.weights_[0] < 0.05


def test_contributions_are_shares_and_the_useful_member_has_most():
    members = [("tree", learnt.DecisionTreeRegressor(max_depth=4)), ("none", learnt.MeanRegressor())]
    stack = learnt.StackingRegressor(members).fit(X, NUMBER)
    assert sum(stack.contributions_.values()) == pytest.approx(1.0)
    assert stack.contributions_["tree"] > 0.9
    assert str(stack).splitlines()[1].split()[0] == "tree"
    assert learnt.StackingRegressor(members, learnt.DecisionTreeRegressor()).fit(X, NUMBER).contributions_ is None
    passed = learnt.StackingRegressor(members, passthrough=True).fit(X, NUMBER)
    assert set(passed.contributions_) == {"tree", "none", "columns"}
    assert passed.contributions_["columns"] > 0.5


# Folds


def fold_of(table, target, n_folds=5):
    return dealt_folds(Batch(learnt.Table(table), 0, target), n_folds, True)


def test_classes_are_spread_evenly_over_the_folds():
    codes = np.unique(Y, return_inverse=True)[1].astype(np.int32)
    folds = fold_of(X, codes)
    counts = np.array([np.bincount(codes[folds == k], minlength=3) for k in range(5)])
    assert (np.ptp(counts, axis=0) <= 2).all()
    assert np.ptp(counts.sum(axis=1)) <= 1


def test_folds_follow_the_rows_and_copies_stay_together():
    codes = np.unique(Y, return_inverse=True)[1].astype(np.int32)
    folds, turned = fold_of(X, codes), RNG.permutation(150)
    np.testing.assert_array_equal(fold_of(X.iloc[turned], codes[turned]), folds[turned])
    np.testing.assert_array_equal(fold_of(X[["c", "a", "b"]], codes), folds)
    twice = np.repeat(np.arange(150), RNG.integers(1, 4, 150))
    np.testing.assert_array_equal(fold_of(X.iloc[twice], codes[twice]), folds[twice])


def few_cells():
    cells = np.repeat(np.arange(12), 10)
    codes = (np.tile(np.arange(10), 12) < np.where(cells % 2, 8, 2)).astype(np.int32)
    return {"cell": [f"c{c}" for c in cells], "odd": cells % 2}, cells, codes


def test_copies_count_singly_where_the_same_cells_have_different_targets():
    """Left out together, each would be asked about by members that have met its cells with the other class alone."""
    table, cells, codes = few_cells()
    folds = fold_of(table, codes)
    for c in range(12):
        assert max(np.bincount(folds[(cells == c) & (codes == y)], minlength=5).max() for y in (0, 1)) <= 3
    stack = learnt.StackingClassifier([learnt.DecisionTreeClassifier(), learnt.LogisticRegression()]).fit(table, codes)
    single = learnt.LogisticRegression().fit(table, codes)
    loss = [log_loss(codes, model.predict_proba(table)) for model in (stack, single)]
    assert loss[0] < loss[1] + 0.02


def test_a_weight_of_two_is_the_row_twice_in_few_cells_too():
    table, _, codes = few_cells()
    weights = RNG.integers(1, 4, 120).astype(float)
    batch = Batch(learnt.Table(table), 0, codes, weights)
    asked = spread_copies(batch)
    assert asked.n_rows == weights.sum()
    rows = np.repeat(np.arange(120), weights.astype(int))
    copied = Batch(learnt.Table(table).take(rows), 0, codes[rows])
    for c in range(2):
        one, other = (np.bincount(dealt_folds(b, 5, True)[b.target == c]) for b in (asked, copied))
        np.testing.assert_array_equal(one, other)
    members = [learnt.DecisionTreeClassifier(max_depth=2), learnt.NaiveBayesClassifier()]
    weighed = learnt.StackingClassifier(members).fit(table, codes, weights)
    twice = learnt.StackingClassifier(members).fit(learnt.Table(table).take(rows), codes[rows])
    np.testing.assert_allclose(weighed.predict_proba(table), twice.predict_proba(table), rtol=1e-8)


def test_large_tables_are_dealt_out_as_they_come():
    codes = (np.arange(20_001) % 3).astype(np.int32)
    folds = fold_of({"x": np.zeros(20_001)}, codes)
    counts = np.array([np.bincount(codes[folds == k], minlength=3) for k in range(5)])
    assert (np.ptp(counts, axis=0) <= 2).all()


def test_a_splitter_must_leave_each_row_out_once():
    with pytest.raises(ParameterError, match="does not leave every row out once"):
        learnt.StackingClassifier(MEMBERS, cv=ShuffleSplit(2)).fit(X, Y)
    with pytest.raises(ParameterError, match="does not leave every row out once"):
        learnt.StackingClassifier(MEMBERS, cv=[([0, 1], [2, 999])]).fit(X, Y)
    stack = learnt.StackingClassifier(MEMBERS, cv=learnt.StratifiedKFold(3)).fit(X, Y)
    assert stack.score(X, Y) > 0.8


def test_row_numbers_are_those_of_the_table_given():
    weights = (np.arange(150) % 3 > 0).astype(float)
    there = np.flatnonzero(weights)
    pairs = list(FOLDS.split(X))
    inner = [(np.flatnonzero(np.isin(there, train)), np.flatnonzero(np.isin(there, test))) for train, test in pairs]
    given = learnt.StackingClassifier(MEMBERS, cv=pairs).fit(X, Y, weights)
    plain = learnt.StackingClassifier(MEMBERS, cv=inner).fit(X.iloc[there], Y[there])
    np.testing.assert_allclose(given.predict_proba(X), plain.predict_proba(X), rtol=1e-9)


# Explaining


@pytest.mark.parametrize("target", [TWO, Y], ids=["two", "three"])
@pytest.mark.parametrize("passthrough", [False, True])
def test_explanations_add_up_by_columns_and_members(target, passthrough):
    members = [("near", PeerNeighbors(5)), learnt.RandomForestClassifier(n_estimators=5), learnt.LogisticRegression()]
    stack = learnt.StackingClassifier(members, passthrough=passthrough).fit(X, target)
    logs = stack.predict_log_proba(X)
    for i, told in enumerate(stack.explain(X)[:20]):
        best = np.sort(logs[i])[::-1]
        assert [e.column for e in told.evidence] == ["a", "b", "c", "member near"]
        assert told.add_up() == pytest.approx(best[0] - best[1], rel=1e-9, abs=1e-9)


def test_a_final_tree_explains_itself_by_the_members_answers():
    members = [("forest", learnt.RandomForestRegressor(n_estimators=5)), ("ridge", learnt.Ridge())]
    stack = learnt.StackingRegressor(members, learnt.DecisionTreeRegressor(max_depth=3)).fit(X, NUMBER)
    told = stack.explain(X)[0]
    assert [e.column for e in told.evidence] == ["forest", "ridge"]
    assert told.add_up() == pytest.approx(stack.predict(X)[0])


def test_a_stack_votes_and_is_explained_by_columns():
    stack = learnt.StackingClassifier([learnt.NaiveBayesClassifier(), learnt.DecisionTreeClassifier(max_depth=3)])
    vote = learnt.VotingClassifier([stack, learnt.LogisticRegression()]).fit(X, Y)
    told = vote.explain(X)[7]
    assert [e.column for e in told.evidence] == ["a", "b", "c"]
    assert told.add_up() == pytest.approx(vote.predict_proba(X)[7].max())


def test_a_stack_is_saved_and_loaded(tmp_path):
    mixed = X.assign(town=np.where(X["a"] > 0, "Bern", None))
    small = [learnt.RandomForestClassifier(n_estimators=3), learnt.LogisticRegression()]
    for settings in ({}, {"passthrough": True}, {"final_estimator": learnt.NaiveBayesClassifier()}):
        stack = learnt.StackingClassifier(small, **settings).fit(mixed, Y)
        learnt.save(stack, tmp_path / "stack.learnt")
        twin = learnt.load(tmp_path / "stack.learnt")
        np.testing.assert_array_equal(twin.predict_proba(mixed), stack.predict_proba(mixed))
        assert str(twin) == str(stack)
        assert str(twin.explain(mixed)[0]) == str(stack.explain(mixed)[0])


@pytest.mark.parametrize("passthrough", [False, True])
def test_a_setting_changed_after_fitting_changes_no_answer(passthrough, tmp_path):
    members = [("tree", learnt.DecisionTreeClassifier(max_depth=2)), ("bayes", learnt.NaiveBayesClassifier())]
    stack = learnt.StackingClassifier(members, passthrough=passthrough).fit(X, TWO)
    shares, told = stack.predict_proba(X), str(stack.explain(X)[0])
    stack.set_params(passthrough=not passthrough)
    learnt.save(stack, tmp_path / "stack.learnt")
    for model in (stack, learnt.load(tmp_path / "stack.learnt")):
        np.testing.assert_array_equal(model.predict_proba(X), shares)
        assert str(model.explain(X)[0]) == told
