"""Additive regression against NumPy, least squares, and scikit-learn's boosting of squared errors."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor as PeerBoosting
from sklearn.neighbors import KNeighborsRegressor as PeerNeighbors

import learnt
from learnt.ensemble.additive.regressor import AdditiveRegressor
from learnt.errors import InputError

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 3))
Y = X[:, 0] - 2 * np.abs(X[:, 1]) + RNG.normal(size=80) / 5
COPIES = RNG.integers(1, 4, 80).astype(float)


def test_a_linear_learner_at_full_rate_is_least_squares_at_once():
    model = AdditiveRegressor(learnt.LinearRegression(), learning_rate=1.0).fit(X, Y, COPIES)
    root = np.sqrt(COPIES)[:, None]
    b = np.linalg.lstsq(np.column_stack([np.ones(80), X]) * root, Y * root[:, 0], rcond=None)[0]
    np.testing.assert_allclose(model.predict(X), b[0] + X @ b[1:], rtol=1e-9)
    assert model.n_iter_ == 1
    assert "does not fall" in model.stopped_


def test_shrunken_linear_learners_come_ever_nearer_to_least_squares():
    model = AdditiveRegressor(learnt.LinearRegression(), learning_rate=0.3, n_estimators=20).fit(X, Y)
    whole = learnt.LinearRegression().fit(X, Y).predict(X)
    off = [np.abs(said - whole).max() for said in model.staged_predict(X)]
    np.testing.assert_allclose(np.array(off[1:]) / off[:-1], 0.7, rtol=1e-6)  # a share of 0.7 is left each time


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("weights", [None, COPIES])
def test_trees_are_scikit_learns_boosting_of_squared_errors(depth, weights):
    ours = AdditiveRegressor(learnt.DecisionTreeRegressor(max_depth=depth), n_estimators=15, learning_rate=0.2)
    ours.fit(X, Y, weights)
    peer = PeerBoosting(n_estimators=15, learning_rate=0.2, max_depth=depth, random_state=0).fit(X, Y, weights)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-9)
    np.testing.assert_allclose(-2 * ours.train_score_[1:], 2 * peer.train_score_, rtol=1e-9)


def test_the_default_learner_is_a_stump():
    plain = AdditiveRegressor(n_estimators=10).fit(X, Y)
    trees = AdditiveRegressor(learnt.DecisionTreeRegressor(max_depth=1), n_estimators=10).fit(X, Y)
    np.testing.assert_allclose(plain.predict(X), trees.predict(X), rtol=1e-12)
    assert (np.diff(plain.train_score_) > 0).all()
    assert plain.feature_importances_[2] < 0.1


def test_weights_are_copies():
    rows = np.repeat(np.arange(80), COPIES.astype(int))
    for estimator in (None, learnt.Ridge(), learnt.KNeighborsRegressor()):
        weighted = AdditiveRegressor(estimator, n_estimators=5).fit(X, Y, COPIES)
        copied = AdditiveRegressor(estimator, n_estimators=5).fit(X[rows], Y[rows])
        np.testing.assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-8)


@pytest.mark.parametrize("estimator", [None, learnt.Ridge(), learnt.KNeighborsRegressor(), PeerNeighbors(3)])
def test_explanations_add_up(estimator):
    model = AdditiveRegressor(estimator, n_estimators=4).fit(X, Y)
    for i in (0, 40):
        told = model.explain(X)[i]
        assert told.add_up() == pytest.approx(model.predict(X)[i])
        by_member = isinstance(estimator, PeerNeighbors | learnt.KNeighborsRegressor)
        assert len(told.evidence) == (7 if by_member else 3)


def test_members_without_weights_and_saving(tmp_path):
    peers = AdditiveRegressor(PeerNeighbors(5), by="resampling", n_estimators=4, learning_rate=1.0).fit(X, Y, COPIES)
    assert peers.score(X, Y) > 0.7
    with pytest.raises(InputError, match="takes no weights"):
        AdditiveRegressor(PeerNeighbors(5)).fit(X, Y, COPIES)
    for estimator in (None, learnt.Lasso(alpha=0.1)):
        model = AdditiveRegressor(estimator, n_estimators=6).fit(X, Y)
        learnt.save(model, tmp_path / "sum.learnt")
        twin = learnt.load(tmp_path / "sum.learnt")
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        assert str(twin) == str(model)


def test_hostile_targets_and_columns_do_no_harm():
    same = AdditiveRegressor().fit(X, np.full(80, 7.0))
    assert (same.predict(X) == 7).all()
    assert same.n_iter_ == 0
    assert "nothing is left over" in same.stopped_
    assert str(same) == "7 and a sum of 0 rounds"
    assert same.explain(X)[0].add_up() == 7
    for bad in (np.full((80, 1), np.nan), np.ones((80, 1)), X * 1e150):
        assert np.isfinite(AdditiveRegressor(n_estimators=5).fit(bad, Y).predict(bad)).all()
    for scale in (1e150, 1e-150):
        model = AdditiveRegressor(n_estimators=5).fit(X, Y * scale)
        np.testing.assert_allclose(
            model.predict(X), AdditiveRegressor(n_estimators=5).fit(X, Y).predict(X) * scale, rtol=1e-9
        )


def test_a_step_that_overflows_ends_the_rounds_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rate in (1e160, 1e300):
            model = AdditiveRegressor(learning_rate=rate).fit(X, Y)
            assert "does not fall" in model.stopped_
            np.testing.assert_allclose(model.predict(X), Y.mean())


@pytest.mark.parametrize("learner", [AdditiveRegressor, learnt.LogitBoostClassifier])
def test_thresholds_of_members_are_written_as_short_as_those_of_a_tree(learner, tmp_path):
    x = np.random.default_rng(5).normal(size=(100, 2)) / 3
    y = x[:, 0] > 0.1
    model = learner(n_estimators=3).fit(x, y if learner is learnt.LogitBoostClassifier else y.astype(float))
    test = str(learnt.DecisionStumpRegressor().fit(x, y.astype(float))).partition(":")[0]
    learnt.save(model, tmp_path / "m.learnt")
    for one in (model, learnt.load(tmp_path / "m.learnt")):
        assert str(one.estimators_[0]).partition(":")[0] == test
        assert f"  {test}:" in str(one)
    assert len(test) < 20
