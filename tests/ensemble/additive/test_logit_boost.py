"""LogitBoost against NumPy by the book, against Newton's logistic regression, and as explained."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.neighbors import KNeighborsRegressor as PeerNeighbors

import learnt
from learnt.ensemble.additive.logit_boost import working_response
from learnt.errors import ParameterError

RNG = np.random.default_rng(7)
X = RNG.normal(size=(90, 3)).round(1)
THREE = np.select([X[:, 0] + RNG.normal(size=90) > 0.6, X[:, 1] > 0], ["a", "b"], "c")
TWO = np.where(X[:, 0] + X[:, 1] ** 2 + RNG.normal(size=90) > 1, "yes", "no")
COPIES = RNG.integers(1, 4, 90).astype(float)


def best_stump(x, z, w):
    """What the stump of the least weighted squares says of each row, by trying every threshold of every column."""
    best, answer = np.inf, np.full(len(z), np.average(z, weights=w))
    for column in x.T:
        values = np.unique(column)
        for cut in (values[1:] + values[:-1]) / 2:
            said = np.empty(len(z))
            for side in (column <= cut, column > cut):
                said[side] = np.average(z[side], weights=w[side])
            error = w @ (z - said) ** 2
            if error < best * (1 - 1e-12):
                best, answer = error, said
    return answer


def by_the_book(x, y, weights, rounds, rate, z_max):
    """Algorithm 6 of Friedman, Hastie and Tibshirani, a regressor for every class, with z cut as Weka does."""
    is_class = y[:, None] == np.unique(y)[None]
    k = is_class.shape[1]
    score, p = np.zeros(is_class.shape), np.full(is_class.shape, 1 / k)
    for _ in range(rounds):
        f = np.empty_like(score)
        for c in range(k):
            z = np.where(is_class[:, c], 1 / p[:, c], -1 / (1 - p[:, c])).clip(-z_max, z_max)
            f[:, c] = best_stump(x, z, weights * (is_class[:, c] - p[:, c]) / z)
        score += rate * (k - 1) / k * (f - f.mean(axis=1, keepdims=True))
        p = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return p, score


@pytest.mark.parametrize("target", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize(("weights", "rate", "z_max"), [(None, 1.0, 3.0), (COPIES, 0.4, 2.0)])
def test_stumps_are_those_of_the_book(target, weights, rate, z_max):
    model = learnt.LogitBoostClassifier(n_estimators=4, learning_rate=rate, z_max=z_max).fit(X, target, weights)
    shares, score = by_the_book(X, target, np.ones(90) if weights is None else weights, 4, rate, z_max)
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-9)
    if target is THREE:
        np.testing.assert_allclose(model.decision_function(X), score, rtol=1e-9, atol=1e-9)
    else:  # one score is half of what the symmetric formula gives two of: the log-odds are twice F
        np.testing.assert_allclose(model.decision_function(X) / 2, score[:, 1], rtol=1e-9, atol=1e-9)
        assert len(model.estimators_) == 4


def test_with_a_linear_regressor_two_classes_are_newtons_logistic_regression():
    model = learnt.LogitBoostClassifier(learnt.LinearRegression(), n_estimators=12, learning_rate=1.0, z_max=1e9)
    model.fit(X, TWO)
    peer = PeerLogistic(C=np.inf, tol=1e-12, max_iter=1000, solver="newton-cholesky").fit(X, TWO)
    coef = sum(member.coef_ for member in model.estimators_)
    np.testing.assert_allclose(coef, peer.coef_[0], rtol=1e-7)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), rtol=1e-7)


def test_the_working_response_is_cut_and_keeps_the_gradient():
    one_of = np.array([True, True, False, False, True, False])
    share = np.array([0.5, 0.01, 0.5, 0.99, 1.0, 0.0])
    with np.errstate(divide="ignore"):
        z, w = working_response(one_of, np.log(share), 3.0)
    np.testing.assert_allclose(z, [2, 3, -2, -3, 1, -1])
    np.testing.assert_allclose(w * z, one_of - share)
    np.testing.assert_allclose(w[[0, 2]], 0.25)


def test_the_loss_falls_and_stages_end_in_the_answer():
    model = learnt.LogitBoostClassifier(n_estimators=20).fit(X, THREE)
    assert (np.diff(model.train_score_) > 0).all()
    assert model.train_score_[0] == pytest.approx(-np.log(3))
    truth = model.predict_proba(X)[np.arange(90), np.unique(THREE, return_inverse=True)[1]]
    assert model.train_score_[-1] == pytest.approx(np.log(truth).mean())
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == model.n_iter_ == 20
    np.testing.assert_allclose(stages[-1], model.predict_proba(X), rtol=1e-12)
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()


def test_weights_are_copies():
    rows = np.repeat(np.arange(90), COPIES.astype(int))
    for estimator in (None, learnt.Ridge(), learnt.DecisionTreeRegressor(max_depth=2)):
        weighted = learnt.LogitBoostClassifier(estimator, n_estimators=6).fit(X, THREE, COPIES)
        copied = learnt.LogitBoostClassifier(estimator, n_estimators=6).fit(X[rows], THREE[rows])
        np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-8)


def test_members_that_take_no_weights_get_drawn_rows():
    with pytest.raises(ParameterError, match="by='resampling'"):
        learnt.LogitBoostClassifier(PeerNeighbors(5)).fit(X, TWO)
    model = learnt.LogitBoostClassifier(PeerNeighbors(5), by="resampling", n_estimators=5).fit(X, TWO)
    assert model.score(X, TWO) > 0.8
    assert [e.column for e in model.explain(X)[0].evidence][3:] == [f"member of round {t}" for t in range(5)]


@pytest.mark.parametrize("target", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("estimator", [None, learnt.Ridge(), learnt.ModelTreeRegressor(), PeerNeighbors(5)])
def test_explanations_add_up_to_the_log_odds(target, estimator):
    by = "resampling" if isinstance(estimator, PeerNeighbors) else "weights"
    model = learnt.LogitBoostClassifier(estimator, n_estimators=4, by=by).fit(X, target)
    logs = np.sort(model.predict_log_proba(X), axis=1)
    for i in range(0, 90, 30):
        assert model.explain(X)[i].add_up() == pytest.approx(logs[i, -1] - logs[i, -2], rel=1e-9, abs=1e-9)
    vote = learnt.VotingClassifier([model, learnt.LogisticRegression()]).fit(X, target)
    assert vote.explain(X)[0].add_up() == pytest.approx(vote.predict_proba(X)[0].max())


def test_labels_and_gaps_go_in_as_they_are_and_it_is_saved(tmp_path):
    mixed = pd.DataFrame(X, columns=["x", "y", "z"]).assign(town=np.where(X[:, 0] > 0.2, "Bern", None))
    mixed.loc[::7, "y"] = np.nan
    for estimator in (None, learnt.DecisionTreeRegressor(max_depth=2), learnt.LinearRegression()):
        model = learnt.LogitBoostClassifier(estimator, n_estimators=5).fit(mixed, THREE)
        assert model.score(mixed, THREE) > 0.6
        learnt.save(model, tmp_path / "model.learnt")
        twin = learnt.load(tmp_path / "model.learnt")
        np.testing.assert_array_equal(twin.predict_proba(mixed), model.predict_proba(mixed))
        assert str(twin) == str(model)
        assert str(twin.explain(mixed)[3]) == str(model.explain(mixed)[3])
        assert twin.feature_importances_.tolist() == model.feature_importances_.tolist() if estimator is None else True


def test_the_members_of_a_forest_answer_as_they_did():
    tree = learnt.DecisionTreeRegressor(max_depth=2)
    model = learnt.LogitBoostClassifier(tree, n_estimators=3, learning_rate=0.5).fit(X, TWO)
    total = sum(0.5 * member.predict(X) for member in model.estimators_)
    np.testing.assert_allclose(model.decision_function(X), total, rtol=1e-12)
    before = model.predict_proba(X)
    model.set_params(learning_rate=0.1)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_certain_rows_end_it_and_hostile_tables_do_no_harm():
    sure = learnt.LogitBoostClassifier(n_estimators=300, learning_rate=1.0).fit(X, X[:, 0] > 0)
    assert "certain" in sure.stopped_
    assert sure.n_iter_ < 30
    one = learnt.LogitBoostClassifier().fit(X, np.full(90, "a"))
    assert (one.predict_proba(X) == 1).all()
    assert one.explain(X)[0].prediction == "a"
    for bad in (np.full((90, 1), 3.0), np.full((90, 1), np.nan), X * 1e150, X * 1e-150):
        model = learnt.LogitBoostClassifier(n_estimators=5).fit(bad, THREE)
        assert np.isfinite(model.predict_proba(bad)).all()


def test_it_is_printed_stump_by_stump():
    model = learnt.LogitBoostClassifier(n_estimators=7, learning_rate=1.0)
    text = str(model.fit({"x": [1, 2, 3, 4, 5, 6]}, list("nnynyy"))).splitlines()
    assert text[:4] == [
        "scores: sums of 7 rounds",
        "log-odds of 'y', round 0, 1 ×",
        "  x ≤ 2.5: −2 (2)",
        "  x > 2.5: 1 (4/3)",
    ]
    assert text[-1] == "… and 2 more rounds"
