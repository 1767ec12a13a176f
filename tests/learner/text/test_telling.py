"""Which words become columns: those in two rows or more, and of many those that tell most about the target."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.learner.text.reviews import BAD, GOOD, reviews, rows

from learnt import LinearRegression, LogisticRegression, NaiveBayesClassifier, Table
from learnt.data.texts import decoded_terms
from learnt.engine.passes import Batch
from learnt.learner.text.telling import MOST_WORDS, frequent_words, telling_words
from learnt.learner.text.word_sums import SumWords


def sums_of(texts, target, n_classes, weights=None):
    batch = Batch(Table({"t": texts}, kinds={"t": "text"}), 0, np.asarray(target), weights)
    return SumWords(["t"], n_classes).summarize(batch).columns[0]


def words_at(found, places):
    every = decoded_terms(found.text, found.ends)
    return [every[j] for j in places]


def presence(texts, words):
    return np.array([[word in text.split() for word in words] for text in texts], dtype=float)


@pytest.fixture
def many():
    """400 rows of a vocabulary far beyond what is kept."""
    filler = [f"word{i}" for i in range(2000)]
    table, y = reviews(400, filler=filler)
    return table["review"], (y == "kept").astype(np.int32)


def test_the_words_kept_are_those_of_the_largest_chi_square(many):
    stats = pytest.importorskip("scipy.stats")
    texts, y = many
    found = sums_of(texts, y, 2)
    places = frequent_words(found, 2)
    words = words_at(found, places)
    assert len(words) > MOST_WORDS
    there = presence(texts, words)
    assert_array_equal(there.sum(axis=0) >= 2, True)
    square = []
    for column in there.T:
        counts = [[np.sum((column == a) & (y == b)) for b in (0, 1)] for a in (0, 1)]
        square.append(stats.chi2_contingency(counts, correction=False).statistic)
    kept = words_at(found, telling_words(found, 2))
    least = min(square[words.index(w)] for w in kept)
    assert len(kept) == MOST_WORDS
    assert all(s <= least * (1 + 1e-5) for w, s in zip(words, square, strict=True) if w not in kept)
    assert set(GOOD + BAD) <= set(kept)
    assert kept == sorted(kept)


def test_the_words_kept_are_those_most_correlated_with_a_number(many):
    texts, y = many
    number = y * 3.0 + np.random.default_rng(1).normal(size=len(y)) + 1000
    found = sums_of(texts, number, 0)
    words = words_at(found, frequent_words(found, 0))
    there = presence(texts, words)
    r = np.array([np.corrcoef(column, number)[0, 1] ** 2 for column in there.T])
    kept = words_at(found, telling_words(found, 0))
    least = min(r[words.index(w)] for w in kept)
    assert all(value <= least * (1 + 1e-5) for w, value in zip(words, r, strict=True) if w not in kept)
    assert set(GOOD + BAD) <= set(kept)


def test_of_equal_words_the_more_frequent_and_then_the_first_in_order_are_kept():
    texts = ["bb aa cc", "aa bb cc", "cc dd", "dd"]
    found = sums_of(texts, [0, 1, 0, 1], 2)  # none of them tells anything but by chance
    assert words_at(found, telling_words(found, 2, most=1)) == ["cc"]
    found = sums_of(["bb aa", "aa bb"], [0, 1], 2)
    assert words_at(found, telling_words(found, 2, most=1)) == ["aa"]


@pytest.mark.parametrize("n_classes", [0, 2])
def test_a_weight_of_two_is_a_row_twice_and_one_of_zero_no_row(many, n_classes):
    texts, y = many
    times = np.random.default_rng(2).integers(0, 3, len(texts))
    again = np.repeat(np.arange(len(texts)), times)
    target = y if n_classes else y * 1.5
    one = sums_of(texts, target, n_classes, times.astype(float))
    other = sums_of([texts[i] for i in again], target[again], n_classes)
    assert words_at(one, telling_words(one, n_classes)) == words_at(other, telling_words(other, n_classes))


@pytest.mark.parametrize("n_classes", [0, 2])
def test_the_order_of_the_rows_and_the_unit_of_small_weights_do_not_matter(many, n_classes):
    texts, y = many
    order = np.random.default_rng(3).permutation(len(texts))
    target = y if n_classes else y + np.random.default_rng(4).normal(size=len(y))
    one = sums_of(texts, target, n_classes)
    kept = words_at(one, telling_words(one, n_classes))
    mixed = sums_of([texts[i] for i in order], target[order], n_classes)
    assert words_at(mixed, telling_words(mixed, n_classes)) == kept
    light = sums_of(texts, target, n_classes, np.full(len(texts), 1 / len(texts)))
    assert words_at(light, telling_words(light, n_classes)) == kept


@pytest.mark.parametrize("learner", [LogisticRegression, NaiveBayesClassifier])
def test_learners_take_a_weight_of_two_as_a_row_twice(learner):
    table, y = reviews(120, filler=[f"word{i}" for i in range(400)])
    times = np.random.default_rng(5).integers(0, 3, 120)
    again = np.repeat(np.arange(120), times)
    weighted = learner().fit(table, y, times.astype(float))
    repeated = learner().fit(rows(table, again), y[again])
    assert weighted._text_columns.counted == repeated._text_columns.counted
    assert_allclose(weighted.predict_proba(table), repeated.predict_proba(table), rtol=1e-4)


def test_ten_thousand_words_make_three_hundred_columns(many):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{j}" for j in rng.integers(0, 10_000, 120)) for _ in range(500)]
    model = LinearRegression().fit({"t": texts, "x": rng.normal(size=500)}, rng.normal(size=500))
    assert len(model.coef_) == MOST_WORDS + 1
    assert "the 300 words that tell most about the target, of " in model.notes_[0].text


def test_one_row_of_text_has_no_word_in_two_rows():
    found = sums_of(["the only row there is"], [0], 1)
    assert len(telling_words(found, 1)) == 0
    found = sums_of(["the only row there is"], [0], 1, np.array([2.0]))
    assert words_at(found, telling_words(found, 1)) == ["is", "only", "row", "the", "there"]


def test_texts_without_words_make_none():
    for texts in ([None, None], ["", "!"], ["a", "b"]):
        found = sums_of(texts, [0, 1], 2)
        assert len(telling_words(found, 2)) == 0
