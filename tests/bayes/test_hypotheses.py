"""Learners over listed hypotheses: the most probable one, all of them together, the shortest description."""

import math

import numpy as np
import pytest

import learnt
from learnt import BayesOptimalClassifier, BruteForceMAP, mdl_score
from learnt.errors import InputError, ParameterError

TABLE = {"x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}
Y = ["a", "a", "a", "b", "b", "b"]


def above(t):
    return lambda rows: np.where(rows["x"].values > t, "b", "a")


STEPS = {f"above {t}": above(t) for t in (0.5, 1.5, 2.5, 3.5)}


def test_the_consistent_hypothesis_is_kept():
    model = BruteForceMAP(STEPS).fit(TABLE, Y)
    assert model.best_ == "above 2.5"
    np.testing.assert_array_equal(model.posterior_, [0, 0, 1, 0])
    assert model.predict({"x": [2.4, 2.6]}).tolist() == ["a", "b"]


def test_noise_gives_every_hypothesis_the_posterior_of_its_errors():
    noise, priors = 0.1, np.array([0.4, 0.3, 0.1, 0.2])
    model = BruteForceMAP(STEPS, priors, noise=noise).fit(TABLE, Y)
    errors = np.array([2, 1, 0, 1])
    joint = priors * noise**errors * (1 - noise) ** (6 - errors)
    np.testing.assert_allclose(model.posterior_, joint / joint.sum())
    np.testing.assert_allclose(model.description_length_, -np.log2(joint))
    assert model.description_length_.argmin() == model.posterior_.argmax()
    by_name = BruteForceMAP(STEPS, dict(zip(STEPS, priors, strict=True)), noise=noise).fit(TABLE, Y)
    np.testing.assert_array_equal(by_name.posterior_, model.posterior_)


def test_a_row_twice_is_a_weight_of_two():
    weights = [1, 2, 0, 3, 1, 1]
    one = BruteForceMAP(STEPS, noise=0.2).fit(TABLE, Y, sample_weight=weights)
    two = BruteForceMAP(STEPS, noise=0.2).fit({"x": np.repeat(TABLE["x"], weights)}, np.repeat(Y, weights))
    np.testing.assert_allclose(one.posterior_, two.posterior_)


def test_equal_hypotheses_share_and_the_first_is_kept():
    model = BruteForceMAP([above(2.5), above(2.7)]).fit(TABLE, Y)
    np.testing.assert_allclose(model.posterior_, [0.5, 0.5])
    assert model.best_ == 0


def test_all_hypotheses_together_are_weighted_by_their_posteriors():
    model = BayesOptimalClassifier(STEPS, noise=0.1).fit(TABLE, Y)
    x = {"x": [0.7, 1.7, 2.7]}
    expected = np.zeros((3, 2))
    for weight, step in zip(model.posterior_, STEPS.values(), strict=True):
        says_b = step(learnt.Table(x)) == "b"
        expected += weight * np.column_stack([np.where(says_b, 0.1, 0.9), np.where(says_b, 0.9, 0.1)])
    np.testing.assert_allclose(model.predict_proba(x), expected)
    told = model.explain(x)[1]
    assert told.total == pytest.approx(expected[1].max())
    assert "'above 2.5'" in told.base_words


def test_fitted_classifiers_are_hypotheses_too():
    x = np.random.default_rng(0).normal(size=(80, 2))
    y = (x[:, 0] + 0.5 * x[:, 1] > 0).astype(int)
    one, two = learnt.DiscriminantClassifier().fit(x, y), learnt.MajorityClassifier().fit(x, y)
    model = BayesOptimalClassifier([one, two]).fit(x, y)
    logs = [np.log(h.predict_proba(x)[np.arange(80), y]).sum() for h in (one, two)]
    np.testing.assert_allclose(model.log_likelihood_, logs)
    shares = np.exp(np.array(logs) - max(logs))
    mixed = (shares[0] * one.predict_proba(x) + shares[1] * two.predict_proba(x)) / shares.sum()
    np.testing.assert_allclose(model.predict_proba(x), mixed, atol=1e-12)


def test_no_mixture_of_the_same_hypotheses_errs_less_on_average():
    """Drawn by the priors, the Bayes-optimal answer is right at least as often as any single hypothesis."""
    rng, priors = np.random.default_rng(4), np.array([0.4, 0.3, 0.3])
    votes = rng.integers(2, size=(3, 500))
    truth = votes[rng.choice(3, 20_000, p=priors)[:, None], np.arange(500)]
    optimal = (np.einsum("h,hx->x", priors, votes) > 0.5).astype(int)
    right = (truth == optimal).mean()
    assert all(right >= (truth == votes[h]).mean() for h in range(3))
    rules = [lambda rows, h=h: votes[h][rows["x"].values.astype(int)] for h in range(3)]
    model = BayesOptimalClassifier(rules, priors).weighted([0, 1])
    np.testing.assert_array_equal(model.predict({"x": np.arange(500)}), optimal)


def test_hypotheses_that_cannot_have_given_the_data_are_an_error():
    with pytest.raises(InputError, match="noise="):
        BruteForceMAP([above(9), above(-9)]).fit(TABLE, Y)
    with pytest.raises(InputError, match="'z'"):
        BruteForceMAP([lambda rows: "z"]).fit(TABLE, Y)
    with pytest.raises(InputError, match="shape"):
        BruteForceMAP([lambda rows: ["a", "b"]]).fit(TABLE, Y)


def test_wrong_settings_are_named():
    for hypotheses in ([], None, "ab", [3]):
        with pytest.raises(ParameterError, match="hypotheses="):
            BruteForceMAP(hypotheses).fit(TABLE, Y)
    for settings in ({"noise": 1}, {"noise": -0.1}, {"priors": [0.5, 0.1]}):
        with pytest.raises(ParameterError):
            BruteForceMAP(STEPS, **settings).fit(TABLE, Y)
    with pytest.raises(ParameterError, match="order of the hypotheses"):
        BruteForceMAP(STEPS, [0.5]).fit(TABLE, Y)
    with pytest.raises(ParameterError, match="2 priors"):
        BruteForceMAP(STEPS, [0.5, 0.5]).fit(TABLE, Y)


def test_the_description_length_is_minus_the_log_of_the_joint():
    for prior, likelihood in ((0.25, 1e-9), (1.0, 0.5), (1e-5, 1.0)):
        assert mdl_score(math.log(likelihood), prior=prior) == pytest.approx(-math.log2(prior * likelihood))
    assert mdl_score(0.0, prior=0) == math.inf
    assert mdl_score(-math.inf, bits=3) == math.inf
    assert type(mdl_score(np.log(1 / 8), bits=2)) is float
    for bad in ({}, {"prior": 0.5, "bits": 1}, {"prior": 2}, {"prior": "x"}, {"bits": -1}, {"bits": math.nan}):
        with pytest.raises(ParameterError):
            mdl_score(-1.0, **bad)
    for bad in (math.nan, "x", None):
        with pytest.raises(ParameterError, match="log_likelihood"):
            mdl_score(bad, bits=1)


def test_a_choice_of_depth_by_description_length_prefers_the_short_where_data_are_few():
    """Six fair tosses: a fair coin told in 0 bits beats one fitted to them and told in 8."""
    heads, n = 4, 6
    fitted = heads * math.log(heads / n) + (n - heads) * math.log(1 - heads / n)
    assert mdl_score(n * math.log(0.5), bits=0) < mdl_score(fitted, bits=8)
    assert mdl_score(100 * n * math.log(0.5), bits=0) > mdl_score(100 * fitted, bits=8)
