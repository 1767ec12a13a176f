"""A model survives its file, its pickle and its copy."""

from __future__ import annotations

import copy
import pickle

from tests.conformance.checks import check
from tests.conformance.subject import Subject, answers, assert_equal_answers, explained, frozen
from tests.conformance.tables import as_table, mixed, numbers

import learnt


def models(subject: Subject):
    """A model of numbers, and one of a mixed table, each with rows to predict."""
    yield subject.fitted(numbers()), numbers(20, seed=8)
    if subject.can("nominal", "missing"):
        yield subject.fitted(as_table(mixed())), mixed(20, seed=5)


@check(by_thirds=True)
def a_saved_model_gives_the_same_answers(subject: Subject, tmp_path) -> None:
    """`save` and `load` bring back every attribute and every answer, bit by bit."""
    for number, (model, rows) in enumerate(models(subject)):
        learnt.save(model, tmp_path / f"{number}.learnt")
        loaded = learnt.load(tmp_path / f"{number}.learnt")
        assert frozen(loaded) == frozen(model)
        assert_equal_answers(answers(loaded, rows), answers(model, rows))
        assert explained(loaded, rows, 3) == explained(model, rows, 3)


@check(by_thirds=True)
def saving_twice_writes_the_same_bytes(subject: Subject, tmp_path) -> None:
    """A model used in between is saved as before: predicting and explaining leave no trace."""
    for model, rows in models(subject):
        learnt.save(model, tmp_path / "before")
        answers(model, rows), explained(model, rows, 20)
        learnt.save(model, tmp_path / "after")
        assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


@check(rows=False)
def an_unfitted_learner_can_be_saved(subject: Subject, tmp_path) -> None:
    """Settings alone are saved too."""
    learnt.save(subject.new(), tmp_path / "new.learnt")
    assert learnt.load(tmp_path / "new.learnt").get_params() == subject.new().get_params()


@check(by_thirds=True)
def a_pickled_or_copied_model_gives_the_same_answers(subject: Subject) -> None:
    """Every pickle protocol and `copy.deepcopy` keep attributes and answers."""
    for model, rows in models(subject):
        twins = [pickle.loads(pickle.dumps(model, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
        for twin in (*twins, copy.deepcopy(model)):
            assert frozen(twin) == frozen(model)
            assert_equal_answers(answers(twin, rows), answers(model, rows))


@check()
def a_small_model_pickles_small(subject: Subject) -> None:
    """A model of a small table takes less than 10 kB; the rows are not in it."""
    for model, _ in models(subject):
        assert len(pickle.dumps(model)) < 10_000
