"""Naive Bayes by hand: words, e-mails, play-tennis, ten points."""

import numpy as np
import pytest

from learnt import BernoulliNB, MultinomialNB, NaiveBayesClassifier, datasets

DAYS = {
    "outlook": ["Overcast", "Rain"],
    "temperature": ["Cool", "Hot"],
    "humidity": ["Normal", "High"],
    "wind": ["Strong", "Weak"],
}


def emails():
    table = datasets.load("emails")
    return table, ("spam", "ham")


def theta(model, label):
    return np.exp(model.feature_log_prob_[model.classes_.tolist().index(label)])


def test_the_parameters_of_eight_emails():
    table, (plus, minus) = emails()
    multinomial, bernoulli = MultinomialNB().fit(table), BernoulliNB().fit(table)
    np.testing.assert_allclose(theta(multinomial, plus), [0.3, 0.5, 0.2], rtol=1e-12)
    np.testing.assert_allclose(theta(multinomial, minus), [0.6, 0.2, 0.2], rtol=1e-12)
    np.testing.assert_allclose(theta(bernoulli, plus), [3 / 6, 4 / 6, 2 / 6], rtol=1e-12)
    np.testing.assert_allclose(theta(bernoulli, minus), [4 / 6, 2 / 6, 2 / 6], rtol=1e-12)


def test_a_document_by_the_words_in_it():
    """x = (1, 1, 0): likelihoods .222 and .148, odds 3/2, and 3/4 with prior odds 1/2."""
    table, (plus, minus) = emails()
    x = np.array([[1.0, 1.0, 0.0]])
    model = BernoulliNB(priors={plus: 1 / 2, minus: 1 / 2}).fit(table)
    on, off = theta(model, plus), theta(model, minus)
    assert np.prod(np.where(x > 0, on, 1 - on)) == pytest.approx(0.222, abs=5e-4)
    assert np.prod(np.where(x > 0, off, 1 - off)) == pytest.approx(0.148, abs=5e-4)
    words = {"a": [1], "b": [1], "c": [0]}
    assert odds(model, words, plus) == pytest.approx(3 / 2)
    assert odds(BernoulliNB(priors={plus: 1 / 3, minus: 2 / 3}).fit(table), words, plus) == pytest.approx(3 / 4)


def odds(model, rows, label):
    p = model.predict_proba(rows)[0, model.classes_.tolist().index(label)]
    return p / (1 - p)


def test_a_document_by_the_counts_of_its_words():
    """x = (3, 1, 0): .054 against .1728 up to the multinomial coefficient 4, ratio 5/16."""
    table, (plus, minus) = emails()
    model = MultinomialNB(priors="uniform").fit(table)
    x = np.array([3, 1, 0])
    assert 4 * np.prod(theta(model, plus) ** x) == pytest.approx(0.054)
    assert 4 * np.prod(theta(model, minus) ** x) == pytest.approx(0.1728)
    rows = {"a": [3], "b": [1], "c": [0]}
    assert odds(model, rows, plus) == pytest.approx(5 / 16)
    told = model.explain(rows)[0]
    assert told.prediction == minus
    assert np.exp(told.total) == pytest.approx(16 / 5)


def test_play_tennis_counted():
    tables = NaiveBayesClassifier(alpha=0).fit(datasets.load("play_tennis")).tables()
    assert tables["class"]["", "No"] == pytest.approx(5 / 14)
    assert tables["class"]["", "Yes"] == pytest.approx(9 / 14)
    assert tables["outlook"]["Sunny", "No"] == pytest.approx(3 / 5)
    assert tables["outlook"]["Overcast", "No"] == 0


def test_play_tennis_smoothed():
    tables = NaiveBayesClassifier(alpha=0.5).fit(datasets.load("play_tennis")).tables()
    assert tables["outlook"]["Sunny", "No"] == pytest.approx(3.5 / 6.5)
    assert tables["outlook"]["Sunny", "Yes"] == pytest.approx(2.5 / 10.5)
    assert tables["temperature"]["Hot", "Yes"] == pytest.approx(2.5 / 10.5)
    assert tables["humidity"]["High", "No"] == pytest.approx(4.5 / 6)


@pytest.mark.parametrize(("alpha", "expected"), [(0, [0, 0.6334]), (0.5, [0.0424, 0.5872])])
def test_two_days_of_play_tennis(alpha, expected):
    model = NaiveBayesClassifier(alpha=alpha).fit(datasets.load("play_tennis"))
    np.testing.assert_allclose(model.predict_proba(DAYS)[:, 0], expected, atol=5e-5)
    assert model.classes_[0] == "No"


def test_the_odds_of_a_day_are_prior_odds_times_likelihood_ratios():
    told = NaiveBayesClassifier(alpha=0.5).fit(datasets.load("play_tennis")).explain(DAYS)[1]
    ratios = {e.column: np.exp(e.contribution) for e in told.evidence}
    assert np.exp(told.base) == pytest.approx(5 / 9)
    assert ratios["humidity"] == pytest.approx((4.5 / 6) / (3.5 / 10))
    assert np.exp(told.base) * np.prod(list(ratios.values())) == pytest.approx(0.5872 / (1 - 0.5872), abs=2e-4)


def test_the_gaussians_of_ten_points():
    tables = NaiveBayesClassifier(var_smoothing=0).fit(datasets.load("ten_points")).tables()
    expected = {
        ("x1", "Yes"): (-0.682, 1.2251),
        ("x2", "Yes"): (0.866, 0.4761),
        ("x1", "No"): (1.59, 0.5302),
        ("x2", "No"): (2.988, 0.5792),
    }
    for (column, label), (mean, sd) in expected.items():
        assert tables[column]["mean", label] == pytest.approx(mean, abs=5e-5)
        assert tables[column]["sd", label] == pytest.approx(sd, abs=5e-5)


def test_summing_over_what_a_missing_cell_could_be_leaves_the_column_out():
    """P(y | observed) = Σ_v P(v | observed) · P(y | v, observed), by hand, is what a gap gives."""
    table = datasets.load("play_tennis")
    model = NaiveBayesClassifier(alpha=0.5).fit(table)
    day = {name: cells[:1] for name, cells in DAYS.items()}
    tables = model.tables()
    observed = model.predict_proba(day | {"outlook": [None]})[0]
    total = np.zeros(2)
    for value in ("Sunny", "Overcast", "Rain"):
        p_value = sum(observed[c] * tables["outlook"][value, label] for c, label in enumerate(model.classes_))
        total += p_value * model.predict_proba(day | {"outlook": [value]})[0]
    np.testing.assert_allclose(total, observed, rtol=1e-12)
