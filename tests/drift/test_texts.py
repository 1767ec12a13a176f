"""Columns of text: words that come or go, at the rate of false alarms that was said."""

import numpy as np
import pytest
from scipy import stats

from learnt import Table, find_drift
from learnt.drift.texts import compare_texts, is_text

WORDS = [f"word{i}" for i in range(60)]


def texts(rng, n, more=0.0):
    """Eight words a row, rare ones too; "sale" in a share of the rows."""
    shares = 1 / np.arange(3, 63)
    rows = [" ".join(rng.choice(WORDS, 8, p=shares / shares.sum())) for _ in range(n)]
    return [f"{row} sale" if sale else row for row, sale in zip(rows, rng.random(n) < more, strict=True)]


def pair(a, b):
    old, new = (Table({"x": cells}, kinds={"x": "text"})["x"] for cells in (a, b))
    assert is_text(old)
    return compare_texts(old, new)


def test_a_word_that_is_new_is_found_and_named():
    rng = np.random.default_rng(0)
    found = pair(texts(rng, 300), texts(rng, 200, 0.1))
    assert found.p_value < 1e-4
    assert found.then == "with 'sale' 0 %"
    assert found.unseen == ("sale",)
    assert found.distance == pytest.approx(0.1, abs=0.05)


def test_the_p_value_is_that_of_the_word_that_changed_most_times_the_number_of_words():
    old, new = ["a1 b1"] * 30 + ["b1"] * 70, ["a1 b1"] * 50 + ["b1"] * 30
    wanted = stats.chi2_contingency([[30, 70], [50, 30]], correction=False).pvalue
    assert pair(old, new).p_value == pytest.approx(2 * wanted)


@pytest.mark.costly
def test_false_alarms_are_no_more_than_said():
    p = [
        pair(texts(np.random.default_rng(s), 150, 0.2), texts(np.random.default_rng(500 + s), 150, 0.2)).p_value
        for s in range(100)
    ]
    assert sum(q < 0.05 for q in p) <= 11  # 5 expected at most; more than 11 happen once in 200 times


def test_texts_that_are_missing_or_empty_are_no_error():
    found = pair(["one two"] * 40 + [None] * 10, ["one two"] * 20 + [None] * 30)
    assert found.missing == (0.2, 0.6)
    assert found.p_value < 1e-3
    assert pair(["..."] * 5, [None] * 5).distance == 1


def test_a_model_tells_tables_apart_by_their_texts_and_labels_against_texts_are_texts():
    rng = np.random.default_rng(2)
    old = Table({"x": texts(rng, 300), "y": rng.normal(size=300)}, kinds={"x": "text"})
    new = Table({"x": texts(rng, 300, 0.8), "y": rng.normal(size=300)}, kinds={"x": "text"})
    found = find_drift(old, new)
    assert found.moved == ["x"]
    assert found.told_apart.auc.estimate > 0.85
    assert found.told_apart.columns[0][0] == "x"
    assert "'x' has words that were not there before: 'sale'." in found.sentences()
    short = Table({"x": ["sale", "word1"] * 50, "y": rng.normal(size=100)})
    assert find_drift(old, short).moved == ["x"]
