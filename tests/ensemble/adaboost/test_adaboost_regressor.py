"""AdaBoost.R2: the rounds by hand, the median, and scikit-learn's beside it."""

import numpy as np
import pytest

import learnt
from learnt import AdaBoostRegressor, DecisionTreeRegressor
from learnt.errors import ConvergenceWarning, ParameterError, SavedModelError
from learnt.statistics.quantiles import median_places


def curve(n: int = 300, seed: int = 0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(n, 5))
    return x, 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + rng.normal(size=n)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_each_round_by_hand(loss, rate):
    x, y = curve(150)
    model = AdaBoostRegressor(n_estimators=6, loss=loss, by="weights", learning_rate=rate).fit(x, y)
    w = np.ones(150)
    for t, member in enumerate(model.estimators_):
        again = DecisionTreeRegressor(max_depth=3).fit(x, y, w)
        np.testing.assert_allclose(again.predict(x), member.predict(x), rtol=1e-9)
        off = np.abs(member.predict(x) - y)
        share = off / off.max()
        share = {"linear": share, "square": share**2, "exponential": 1 - np.exp(-share)}[loss]
        error = (w * share).sum() / w.sum()
        beta = error / (1 - error)
        assert model.estimator_errors_[t] == pytest.approx(error)
        assert model.estimator_weights_[t] == pytest.approx(rate * np.log(1 / beta))
        w = w * beta ** ((1 - share) * rate)
        w *= 150 / w.sum()


def test_the_prediction_is_the_weighted_median():
    rng = np.random.default_rng(1)
    numbers, weights = rng.normal(size=(40, 7)).round(1), rng.random(7)
    for row, place in zip(numbers, median_places(numbers, weights), strict=True):
        below, above = weights[row < row[place]].sum(), weights[row > row[place]].sum()
        assert max(below, above) <= weights.sum() / 2 + 1e-12
    x, y = curve(100)
    model = AdaBoostRegressor(n_estimators=7).fit(x, y)
    answers = np.column_stack([m.predict(x) for m in model.estimators_])
    assert all(p in row for p, row in zip(model.predict(x), answers, strict=True))
    *_, last = model.staged_predict(x)
    np.testing.assert_array_equal(last, model.predict(x))
    assert list(model.staged_score(x, y))[-1] == pytest.approx(model.score(x, y))


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_it_predicts_as_well_as_scikit_learns(loss):
    from sklearn.ensemble import AdaBoostRegressor as Peer

    own, peer = [], []
    for seed in range(4):
        x, y = curve(400, seed)
        test, truth = curve(1000, 100 + seed)
        own.append(AdaBoostRegressor(loss=loss, n_estimators=30, random_state=seed).fit(x, y).score(test, truth))
        peer.append(Peer(loss=loss, n_estimators=30, random_state=seed).fit(x, y).score(test, truth))
    assert np.mean(own) == pytest.approx(np.mean(peer), abs=0.02)


def test_a_weight_of_two_is_the_row_twice_where_nothing_is_drawn():
    x, y = curve(120)
    counts = np.random.default_rng(0).integers(0, 4, 120)
    one = AdaBoostRegressor(n_estimators=8, by="weights").fit(x, y, counts)
    two = AdaBoostRegressor(n_estimators=8, by="weights").fit(np.repeat(x, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(one.predict(x), two.predict(x), rtol=1e-9)


def test_meeting_every_row_ends_it_and_a_poor_start_is_said():
    x = {"x": [1.0, 2.0, 3.0]}
    met = AdaBoostRegressor(by="weights").fit(x, [5.0, 6.0, 7.0])
    assert len(met.estimators_) == 1
    assert met.stopped_ == "Round 0: every row is met."
    with pytest.warns(ConvergenceWarning, match="not below 0.5"):
        poor = AdaBoostRegressor(learnt.MeanRegressor(), by="weights").fit(x, [0.0, 1.0, 0.5 * 1.0 - 1.0])
    assert len(poor.estimators_) == 1


def test_the_explanation_is_that_of_the_median_member():
    x, y = curve(100)
    model = AdaBoostRegressor(n_estimators=9).fit(x, y)
    for i, told in enumerate(model.explain(x[:5])):
        assert told.prediction == told.total == model.predict(x[: i + 1])[i]
        assert told.add_up() == pytest.approx(told.total)
        assert "weighted median of 9 rounds" in told.total_words


def test_wrong_settings_are_told_and_broken_files_refused(tmp_path):
    x, y = curve(40)
    for settings in ({"loss": "cubic"}, {"estimator": learnt.MajorityClassifier()}, {"by": "luck"}):
        with pytest.raises(ParameterError):
            AdaBoostRegressor(**settings).fit(x, y)
    for field, value in (
        ("estimator_weights_", np.array([1.0])),
        ("estimator_weights_", np.full(4, -1.0)),
        ("estimators_", [learnt.MajorityClassifier().fit({"x": [1.0]}, [1])] * 4),
    ):
        model = AdaBoostRegressor(n_estimators=4).fit(x, y)
        setattr(model, field, value)
        learnt.save(model, tmp_path / "broken.learnt")
        with pytest.raises(SavedModelError):
            learnt.load(tmp_path / "broken.learnt")
