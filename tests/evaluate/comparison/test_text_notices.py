"""What a comparison says of columns of text: who counts words, and who leaves them out."""

import pytest

from learnt import GaussianMixture, KNeighborsClassifier, LogisticRegression, MultinomialNB, Table
from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.text_notices import text_notices

pytestmark = pytest.mark.usefixtures("forked_workers")

TEXTS = [f"some words of a longer sentence, number {i}" for i in range(30)]
ONE = Table({"review": TEXTS, "age": [float(i) for i in range(30)]}).schema
TWO = Table({"review": TEXTS, "answer": [text.upper() for text in TEXTS]}).schema
NONE = Table({"age": [1.0, 2.0]}).schema


def candidates(*learners, skip=""):
    return [Candidate(type(learner).__name__, learner, learner, skip) for learner in learners]


@pytest.mark.parametrize(
    ("schema", "learners", "said"),
    [
        (NONE, [LogisticRegression(), KNeighborsClassifier()], []),
        (ONE, [], []),
        (ONE, [LogisticRegression()], ["'review' is text: its words are counted."]),
        (TWO, [LogisticRegression()], ["'review' and 'answer' are text: their words are counted."]),
        (
            ONE,
            [LogisticRegression(), KNeighborsClassifier()],
            ["'review' is text: its words are counted; KNeighborsClassifier makes nothing of words and leaves it out."],
        ),
        (
            TWO,
            [KNeighborsClassifier(), GaussianMixture()],
            [
                "'review' and 'answer' are text: KNeighborsClassifier and GaussianMixture make nothing of words and "
                "leave them out."
            ],
        ),
    ],
)
def test_who_makes_what_of_text(schema, learners, said):
    assert text_notices(schema, candidates(*learners)) == said


def test_those_that_do_not_take_part_or_want_nothing_but_text_are_not_named():
    assert text_notices(ONE, candidates(KNeighborsClassifier(), skip="too slow")) == []
    assert "MultinomialNB" not in "".join(text_notices(ONE, candidates(LogisticRegression(), MultinomialNB())))
