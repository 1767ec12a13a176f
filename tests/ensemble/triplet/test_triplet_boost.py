"""Three hypotheses: the weights by hand, the bound on the training error, recursion, and the arithmetic of answers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier as PeerNeighbors

import learnt
from learnt.ensemble.triplet.learner import TripletBoostClassifier, halved, three_hypotheses_bound
from learnt.errors import ParameterError

RNG = np.random.default_rng(11)
N = 150
X = RNG.normal(size=(N, 3))
TWO = np.where(X[:, 0] + X[:, 1] + RNG.normal(size=N) / 3 > 0, "yes", "no")
THREE = np.select([X[:, 0] > 0.4, X[:, 1] + RNG.normal(size=N) > 0], ["a", "b"], "c")
COPIES = RNG.integers(1, 4, N).astype(float)


@pytest.mark.parametrize(("error", "bound"), [(0.25, 0.15625), (0.4, 0.352), (0.0, 0.0), (0.5, 0.5)])
def test_the_bound_is_schapires(error, bound):
    assert three_hypotheses_bound(error) == pytest.approx(bound)


def test_half_of_the_weight_is_on_the_wrong_rows():
    wrong = np.array([True] * 25 + [False] * 75)
    w = halved(np.ones(100), wrong)
    np.testing.assert_allclose(w, [2.0] * 25 + [2 / 3] * 75)  # a quarter of them wrong: 25 → 50 of 100


@pytest.mark.parametrize("target", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("weights", [None, COPIES])
def test_the_three_are_those_fitted_by_hand(target, weights):
    tree = learnt.DecisionTreeClassifier(max_depth=2)
    model = TripletBoostClassifier(tree).fit(X, target, weights)
    w = np.ones(N) if weights is None else weights
    first = learnt.clone(tree).fit(X, target, w)
    wrong = first.predict(X) != target
    error = w[wrong].sum() / w.sum()
    stressed = w * np.where(wrong, 0.5 / error, 0.5 / (1 - error))
    second = learnt.clone(tree).fit(X, target, stressed)
    apart = first.predict(X) != second.predict(X)
    third = learnt.clone(tree).fit(X[apart], target[apart], w[apart])
    answer = np.where(apart, third.predict(X), first.predict(X))
    np.testing.assert_array_equal(model.predict(X), answer)
    np.testing.assert_allclose(
        model.errors_,
        [
            error,
            stressed[second.predict(X) != target].sum() / w.sum(),
            w[apart & (third.predict(X) != target)].sum() / w[apart].sum(),
        ],
    )
    assert model.training_error_ == pytest.approx(w[answer != target].sum() / w.sum())


@pytest.mark.parametrize("seed", range(6))
def test_the_training_error_is_within_the_bound(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(80, 2))
    y = rng.integers(0, 2 + seed % 2, 80)
    y[x[:, 0] > 0] = 0
    for depth in (1, 2):
        model = TripletBoostClassifier(learnt.DecisionTreeClassifier(max_depth=2), depth=depth).fit(x, y)
        if model.errors_.max() < 0.5:
            assert model.training_error_ <= model.bound_ + 1e-12
        assert model.training_error_ <= model.errors_[0] + 1e-12
        assert model.score(x, y) == pytest.approx(1 - model.training_error_)


def test_deeper_ones_are_made_of_three_in_turn():
    scores = [TripletBoostClassifier(depth=depth).fit(X, TWO).score(X, TWO) for depth in (1, 2, 3)]
    assert scores == sorted(scores)
    assert scores[0] > learnt.DecisionStumpClassifier().fit(X, TWO).score(X, TWO)
    model = TripletBoostClassifier(depth=2).fit(X, TWO)
    parts = model.estimators_
    assert [type(part).__name__ for part in parts] == ["TripletBoostClassifier"] * 3
    assert {type(h).__name__ for part in parts for h in part.estimators_} == {"DecisionStumpClassifier"}
    alone = TripletBoostClassifier().fit(X, TWO)
    np.testing.assert_array_equal(parts[0].predict_proba(X), alone.predict_proba(X))


def test_probabilities_are_of_the_two_that_agree_or_of_the_third():
    model = TripletBoostClassifier(learnt.LogisticRegression()).fit(X, THREE)
    one, two, three = (h.predict_proba(X) for h in model.estimators_)
    agree = one.argmax(axis=1) == two.argmax(axis=1)
    np.testing.assert_allclose(model.predict_proba(X), np.where(agree[:, None], (one + two) / 2, three))
    assert 0 < agree.sum() < N


def test_weights_are_copies():
    rows = np.repeat(np.arange(N), COPIES.astype(int))
    for target in (TWO, THREE):
        weighted, copied = TripletBoostClassifier().fit(X, target, COPIES), TripletBoostClassifier()
        np.testing.assert_allclose(
            weighted.predict_proba(X), copied.fit(X[rows], target[rows]).predict_proba(X), rtol=1e-9
        )


def test_members_that_take_no_weights_get_drawn_rows():
    with pytest.raises(ParameterError, match="by='resampling'"):
        TripletBoostClassifier(PeerNeighbors()).fit(X, TWO)
    model = TripletBoostClassifier(PeerNeighbors(5), by="resampling", depth=2).fit(X, TWO)
    assert model.score(X, TWO) > 0.8


def test_explanations_add_up_and_say_who_decides():
    for estimator in (None, learnt.NaiveBayesClassifier(), learnt.KNeighborsClassifier()):
        model = TripletBoostClassifier(estimator).fit(X, THREE)
        told = model.explain(X)
        best = model.predict_proba(X).max(axis=1)
        for i in range(0, N, 25):
            assert told[i].add_up() == pytest.approx(best[i])
    words = {TripletBoostClassifier().fit(X, TWO).explain(X)[i].base_words for i in range(0, N, 3)}
    assert words == {"average; the first two agree", "average; the first two disagree, and the third decides"}
    vote = learnt.VotingClassifier([TripletBoostClassifier(), learnt.LogisticRegression()]).fit(X, TWO)
    assert [e.column for e in vote.explain(X)[0].evidence] == ["x0", "x1", "x2"]


def test_it_is_saved_and_printed_and_takes_labels_and_gaps(tmp_path):
    mixed = pd.DataFrame(X, columns=["x", "y", "z"]).assign(town=np.where(X[:, 0] > 0.2, "Bern", None))
    model = TripletBoostClassifier(depth=2).fit(mixed, TWO)
    learnt.save(model, tmp_path / "three.learnt")
    twin = learnt.load(tmp_path / "three.learnt")
    np.testing.assert_array_equal(twin.predict_proba(mixed), model.predict_proba(mixed))
    assert str(twin) == str(model)
    assert str(model).splitlines()[0].startswith("hypothesis 0, error 0.")
    assert str(model).splitlines()[1].startswith("  hypothesis 0, error 0.")


def test_fewer_than_three_where_more_are_of_no_use():
    perfect = TripletBoostClassifier().fit(X, X[:, 0] > 0)
    assert len(perfect.estimators_) == 1
    assert perfect.stopped_ == "The first errs nowhere."
    assert perfect.bound_ == 0
    same = TripletBoostClassifier(learnt.MajorityClassifier()).fit(X, X[:, 0] > 0.7)
    assert same.training_error_ == pytest.approx((X[:, 0] > 0.7).mean())
    for bad in (np.full((N, 1), np.nan), np.ones((N, 1)), X * 1e150):
        shares = TripletBoostClassifier().fit(bad, THREE).predict_proba(bad)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
    one = TripletBoostClassifier().fit(X[:1], ["a"])
    assert (one.predict_proba(X) == 1).all()
