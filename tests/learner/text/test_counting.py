"""What is made of columns of text before a learner sees them, and what is said of it."""

import numpy as np
import pytest
from tests.learner.text.reviews import reviews

from learnt import Table
from learnt.engine.training import Training
from learnt.errors import InputError, LeftOutWarning
from learnt.learner.text.counting import in_words, text_notes, text_use, text_use_by_metric, with_words

COLUMNS, LABELS = reviews(80)
TABLE = Table(COLUMNS)
CLASSES, CODES = np.unique(LABELS, return_inverse=True)


def training(table=TABLE):
    return Training(table, table.schema, CODES.astype(np.int32), classes=CLASSES, n_labels=2)


@pytest.mark.parametrize(
    ("learner", "use"),
    [
        (None, "left out"),
        (object(), "counts"),
        (type("OfTexts", (), {"takes_text": "labels"})(), "labels"),
    ],
)
def test_an_ensemble_makes_of_text_what_its_members_do(learner, use):
    assert text_use(learner, "left out") == use


def test_text_counts_for_distances_only_where_the_metric_compares_texts():
    assert text_use_by_metric("euclidean") == "left out"
    assert text_use_by_metric("euclidean", ["review"]) == "labels"
    assert text_use_by_metric("levenshtein") == "labels"
    assert text_use_by_metric(lambda a, b: 0.0) == "labels"


def test_as_labels_nothing_changes():
    before = training()
    assert with_words(before, "labels", "Learner") is before


def test_tables_without_text_are_left_as_they_are():
    before = training(TABLE.select(["price", "shop"]))
    assert with_words(before, "counts", "Learner") is before


def test_words_become_columns_beside_the_others_and_it_is_said():
    after = with_words(training(), "counts", "Learner")
    assert {"price", "shop"} < set(after.schema.names)
    assert "review" not in after.schema.names
    counts = after.source.select([name for name in after.schema.names if name not in ("price", "shop")])
    (text,) = after.words.counted
    expected = [[review.split().count(word) for word in text.words] for review in COLUMNS["review"]]
    np.testing.assert_array_equal(np.column_stack([column.values for column in counts.columns]), expected)
    (note,) = text_notes(after.words, "Learner")
    assert note.text == f"'review' is text: {len(text.words)} words are counted."


def test_new_rows_get_the_same_columns():
    after = with_words(training(), "counts", "Learner")
    again = in_words(training(TABLE.take(np.arange(5))), after.words)
    assert again.schema.names == after.schema.names
    np.testing.assert_array_equal(again.source["price"].values, TABLE["price"].values[:5])


def test_a_learner_that_makes_nothing_of_words_is_given_the_rest_with_a_warning():
    with pytest.warns(LeftOutWarning, match="'review' is text and was left out: Learner makes nothing of words"):
        after = with_words(training(), "left out", "Learner")
    assert set(after.schema.names) == {"price", "shop"}


def test_nothing_but_text_for_it_is_an_error_with_the_way_out():
    with pytest.raises(InputError, match=r"nothing to learn from but the text of 'review'.*BagOfWords.*'nominal'"):
        with_words(training(TABLE.select(["review"])), "left out", "Learner")


def test_texts_that_share_no_word_leave_nothing_to_count():
    odd = Table({"review": [" ".join(f"w{i}x{j}" for j in range(8)) for i in range(80)]})
    with pytest.raises(InputError, match="no word of it is in two rows"):
        with_words(training(odd), "counts", "Learner")
