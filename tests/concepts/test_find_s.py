"""Find-S and rote learning on the example of the textbook, and its bound on mistakes."""

import itertools

import numpy as np
import pytest
from tests.concepts.sport import LABELS, ROWS, SPORT

import learnt
from learnt.concepts import FindS, Language, Nominal, RoteLearner, more_general
from learnt.errors import InputError, NotFittedError
from learnt.theory import find_s_mistakes


def test_enjoy_sport():
    learner = FindS(SPORT).fit(ROWS, LABELS)
    assert str(learner.hypothesis_) == "⟨Sunny, Warm, ?, Strong, ?, ?⟩"
    assert learner.consistent_
    assert [dict(step.told)["hypothesis"] for step in learner.steps_[:3]] == [
        "⟨∅, ∅, ∅, ∅, ∅, ∅⟩",
        "⟨Sunny, Warm, Normal, Strong, Warm, Same⟩",
        "⟨Sunny, Warm, ?, Strong, Warm, Same⟩",
    ]
    assert learner.predict(ROWS).tolist() == LABELS


def test_it_never_errs_more_than_n_plus_1_times():
    rng = np.random.default_rng(0)
    for n in (1, 3, 6):
        language = Language(tuple(Nominal(f"x{j}", (0, 1)) for j in range(n)))
        rows = list(itertools.product((0, 1), repeat=n))
        concepts = [h for h in language if h.constraints is not None]
        for _ in range(100):
            concept, order = concepts[rng.integers(len(concepts))], rng.permutation(len(rows))
            labels = [bool(concept.covers(rows[i])) for i in order]
            table = {f"x{j}": np.array([rows[i][j] for i in order]) for j in range(n)}
            learner = FindS(language, positive=True).fit(table, labels)
            assert learner.mistakes_ <= find_s_mistakes(n)
            assert more_general(concept, learner.hypothesis_) in ("more general", "equal")


def test_a_concept_that_cannot_be_said_is_told():
    learner = FindS().fit({"a": ["x", "y", "x"], "b": ["u", "v", "v"]}, ["yes", "yes", "no"])
    assert not learner.consistent_
    assert learner.contradicted_by_ == [2]


def test_on_a_table_of_the_user():
    vote = learnt.datasets.load("vote")
    learner = FindS(positive="democrat").fit(vote)
    assert set(learner.predict(vote.drop(vote.target))) <= {"democrat", "republican"}


def test_the_rote_learner_knows_what_it_saw():
    learner = RoteLearner().fit(ROWS, LABELS)
    assert learner.predict(ROWS).tolist() == LABELS
    unseen = {name: cells[:1] for name, cells in ROWS.items()} | {"Sky": ["Rainy"]}
    assert learner.predict(unseen).tolist() == [None]
    torn = RoteLearner().fit({"a": ["x", "x"]}, ["yes", "no"])
    assert torn.predict({"a": ["x"]}).tolist() == [None]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["red", "blue", "red", "blue"], "Which label"),
        (["a", "b", "c", "a"], "two labels"),
        (["+", None, "-", "+"], "Row 1 has no label"),
        (["+", "-"], "4 rows and 2 labels"),
    ],
)
def test_labels_that_make_no_concept_are_refused(labels, words):
    with pytest.raises(InputError, match=words):
        FindS().fit(ROWS, labels)


def test_before_fitting_it_says_so():
    with pytest.raises(NotFittedError):
        FindS().predict(ROWS)
