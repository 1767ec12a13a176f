"""text_classifier: scikit-learn's probabilities, words with their log-odds, streamed documents."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt import BagOfWords, BernoulliNB, TextClassifier, text_classifier
from learnt.errors import InputError

MAILS = ["free money now", "money for free", "lunch at noon", "noon meeting, then lunch"]
KINDS = ["spam", "spam", "ham", "ham"]


def corpus(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    words = np.array([f"wort{i}" for i in range(80)])
    return [" ".join(words[np.minimum(rng.geometric(0.05, 20) + 10 * c, 79)]) for c in y], y


@pytest.mark.parametrize("settings", [{}, {"weighting": "tfidf"}, {"ngram_range": (1, 2), "alpha": 0.1}], ids=str)
def test_probabilities_are_those_of_scikit_learns_pipeline(settings):
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    texts, y = corpus()
    other, _ = corpus(100, seed=1)
    count = {"ngram_range": settings["ngram_range"]} if "ngram_range" in settings else {}
    words = TfidfVectorizer(**count) if "weighting" in settings else CountVectorizer(**count)
    peer = make_pipeline(words, MultinomialNB(alpha=settings.get("alpha", 1.0))).fit(texts, y)
    model = text_classifier(**settings).fit(texts, y)
    np.testing.assert_allclose(model.predict_proba(other), peer.predict_proba(other), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.predict(other), peer.predict(other))
    assert model.score(other, peer.predict(other)) == 1.0


def test_each_word_has_its_log_odds_by_hand():
    model = text_classifier().fit(MAILS, KINDS)
    told = model.explain(["free lunch, unknown words"])[0]
    spam, ham, terms = 6, 7, 9  # words of each class with two characters or more, and different ones in all
    odds = {e.column: e.contribution for e in told.evidence}
    sign = 1 if told.prediction == "ham" else -1
    assert odds["lunch"] == pytest.approx(sign * np.log(((2 + 1) / (ham + terms)) / (1 / (spam + terms))))
    assert odds["free"] == pytest.approx(sign * np.log((1 / (ham + terms)) / ((2 + 1) / (spam + terms))))
    assert set(odds) == {"free", "lunch"}


def test_the_words_are_highlighted_in_the_text():
    model = text_classifier().fit(MAILS, KINDS)
    shown = model.highlight("FREE <b>money</b>, and lunch")
    assert str(shown).startswith("'spam': FREE[+")
    assert "lunch[−" in str(shown)
    page = shown._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>money" not in page
    assert page.count("<span") == 3


@pytest.mark.parametrize(
    "settings", [{}, {"weighting": "presence"}, {"weighting": "tfidf"}, {"n_features": 512}], ids=str
)
def test_what_the_words_add_where_they_stand_is_the_log_odds_of_the_text(settings):
    model = text_classifier(**settings).fit(MAILS, KINDS)
    shown = model.highlight("Free lunch: FREE money at noon, free of unheard words")
    placed = [weight for _, weight in shown._pieces() if weight is not None]
    assert len(placed) >= 7
    logs = model.predict_log_proba([shown.text])[0]
    assert sum(placed) == pytest.approx(abs(logs[0] - logs[1]))  # equal priors
    assert repr(shown) == str(shown)


def test_a_word_that_rules_a_class_out_is_highlighted_in_full():
    shown = text_classifier(alpha=0).fit(MAILS, KINDS).highlight("free now")
    assert str(shown) == "'spam': free[+∞] now[+∞]"
    assert "nan" not in shown._repr_html_()


def test_another_model_may_take_the_counts():
    texts, y = corpus()
    model = TextClassifier(BagOfWords("presence"), BernoulliNB()).fit(texts, y)
    rows = BagOfWords("presence").fit_transform(texts)
    np.testing.assert_allclose(model.predict_proba(texts), BernoulliNB().fit(rows, y).predict_proba(rows), rtol=1e-12)


def test_a_table_may_hold_the_classes_too(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"text": MAILS, "kind": KINDS})
    model = text_classifier().fit(frame, "kind")
    np.testing.assert_array_equal(model.predict(frame), KINDS)
    assert model.score(frame, "kind") == 1.0
    frame.to_parquet(tmp_path / "mails.parquet")
    scan = learnt.scan(tmp_path / "mails.parquet", batch_rows=1)
    streamed = text_classifier().fit(scan, "kind")
    np.testing.assert_allclose(streamed.predict_proba(MAILS), model.predict_proba(MAILS), rtol=1e-12)
    assert streamed.score(scan, "kind") == 1.0


def test_without_classes_there_is_nothing_to_learn():
    with pytest.raises(InputError, match="requires y"):
        text_classifier().fit(MAILS)
    with pytest.raises(InputError, match="inconsistent"):
        text_classifier().fit(MAILS, KINDS[:3])
