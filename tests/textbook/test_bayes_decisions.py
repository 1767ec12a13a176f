"""Worked examples of decisions: odds, tests for an illness, votes of hypotheses, costs, joint tables."""

import numpy as np
import pytest

import learnt
from learnt.bayes import BayesOptimalClassifier, JointTableClassifier, decide, from_odds, odds, optimal_threshold

WORDS = [(0, 0), (0, 1), (1, 0), (1, 1)]  # whether either of two words occurs


def test_odds_of_one_to_six_times_four_to_one_are_a_probability_of_two_fifths():
    prior, first, second = odds(1 / 7), 4, 3
    assert prior == pytest.approx(1 / 6)
    assert from_odds(prior * first) == pytest.approx(0.4)
    assert from_odds(prior * first * second) == pytest.approx(2 / 3)


def test_a_positive_test_for_a_rare_illness_still_means_healthy():
    prior = np.array([0.008, 0.992])  # ill, healthy
    positive = np.array([0.98, 1 - 0.97])
    p = prior * positive / (prior @ positive)
    assert p[0] == pytest.approx(0.2085, abs=5e-5)
    assert decide(p, classes=["ill", "healthy"]).answers.tolist() == ["healthy"]
    assert decide(p, rule="ml", priors=prior, classes=["ill", "healthy"]).answers.tolist() == ["ill"]


def test_a_joint_table_of_the_same_test_says_the_same():
    weights = np.array([0.008 * 0.98, 0.008 * 0.02, 0.992 * 0.03, 0.992 * 0.97])
    table = {"test": ["+", "-", "+", "-"]}
    model = JointTableClassifier().fit(table, ["ill", "ill", "healthy", "healthy"], sample_weight=weights)
    assert model.predict({"test": ["+"]}).tolist() == ["healthy"]
    assert model.predict_proba({"test": ["+"]})[0, 1] == pytest.approx(0.2085, abs=5e-5)


def test_the_votes_of_all_hypotheses_overrule_the_most_probable_one():
    votes = [lambda rows: "+", lambda rows: "-", lambda rows: "-"]
    model = BayesOptimalClassifier(votes, [0.4, 0.3, 0.3]).weighted(["+", "-"])
    assert model.predict({"x": [0]}).tolist() == ["-"]
    assert model.predict_proba({"x": [0]})[0, 1] == pytest.approx(0.6)
    assert model.hypothesis_names_[int(model.posterior_.argmax())] == 0  # which says +


def two_words(conditional):
    """The table of two words and a class whose weights give p(spam | words), and p(words) as told."""
    rows = [(v, w, y) for (v, w), (p, _) in conditional.items() for y in ("spam", "ham")]
    weights = [share * (p if y == "spam" else 1 - p) for (p, share) in conditional.values() for y in ("spam", "ham")]
    return {"first": [str(r[0]) for r in rows], "second": [str(r[1]) for r in rows]}, [r[2] for r in rows], weights


def test_a_missing_word_is_weighted_by_how_often_it_occurs_with_what_was_seen():
    cells, y, weights = two_words({(0, 1): (0.65, 0.9), (1, 1): (0.40, 0.1)})
    model = JointTableClassifier().fit(cells, y, sample_weight=weights)
    p = model.predict_proba({"first": [None], "second": ["1"]})[0]
    np.testing.assert_allclose(p, [0.375, 0.625])
    assert model.classes_.tolist() == ["ham", "spam"]


def test_a_case_missed_at_fifty_times_the_cost_of_a_false_alarm_is_acted_on_from_one_in_fifty_one():
    loss = {("case", "none"): 50, ("none", "case"): 1}
    assert optimal_threshold(loss, positive="case") == pytest.approx(1 / 51)
    for p, answer in ((1 / 52, "none"), (1 / 50, "case")):
        made = decide([p, 1 - p], loss, classes=["case", "none"])
        assert made.answers.tolist() == [answer]
        np.testing.assert_allclose(made.expected_loss[0], [1 - p, 50 * p])


def test_the_joint_table_of_five_columns_has_ninety_five_free_parameters_and_naive_bayes_thirteen():
    cells = {name: ["0", "1"] * 6 for name in "bcde"} | {"a": ["x", "y", "z"] * 4}
    model = JointTableClassifier().fit(cells, ["+", "-"] * 6)
    assert model.n_parameters_ == 95
    assert model.n_parameters_naive_ == 13


def test_posterior_odds_of_two_words_true_and_naive():
    spam = dict(zip(WORDS, (0.31, 0.65, 0.80, 0.40), strict=True))
    cells, y, weights = two_words({words: (p, 0.25) for words, p in spam.items()})
    asked = {"first": [str(v) for v, _ in WORDS], "second": [str(w) for _, w in WORDS]}
    true = JointTableClassifier().fit(cells, y, sample_weight=weights)
    found = odds(true.predict_proba(asked), of="spam", classes=true.classes_)
    np.testing.assert_allclose(found, [0.449, 1.857, 4.0, 0.667], atol=5e-4)

    occurs = {"spam": (0.40, 0.21), "ham": (0.12, 0.13)}  # each word given the class
    rows = [(v, w, c) for v, w in WORDS for c in occurs]
    weights = [np.prod([p if bit else 1 - p for bit, p in zip((v, w), occurs[c], strict=True)]) for v, w, c in rows]
    table = {"first": [str(r[0]) for r in rows], "second": [str(r[1]) for r in rows]}
    naive = learnt.NaiveBayesClassifier(alpha=0).fit(table, [r[2] for r in rows], sample_weight=weights)
    found = odds(naive.predict_proba(asked), of="spam", classes=naive.classes_)
    np.testing.assert_allclose(found, [0.619, 1.101, 3.027, 5.385], atol=5e-4)
    answers = [decide(m.predict_proba(asked), classes=m.classes_).answers.tolist() for m in (true, naive)]
    assert answers == [["ham", "spam", "spam", "ham"], ["ham", "spam", "spam", "spam"]]  # naive errs on both words
