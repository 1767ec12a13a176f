"""What is promised of every learner, on random tables: weights are copies, weight 0 is no row, a constant column says
nothing, and rows with gaps or labels never seen are answered, each as it would be alone.

Each case is drawn by a seed, so that a failure can be repeated; which learners are asked in `make test` rotates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.conformance.subject import Subject, assert_same_answers, first_rows, quietly
from tests.conformance.subject import answers as said
from tests.laws.exceptions import EXCEPTIONS, NEAR, VARIANTS
from tests.laws.random_tables import RandomTable, given, random_documents, random_table, take, wild_rows
from tests.rotation import turns

import learnt
from learnt.learner.registry import entry_of

SEEDS = range(4)
#: Learners that nobody is offered who asks for all, but which learn from rows of a table as others do. The promises of
#: sequences, ratings, images, sets of labels and networks are tested beside them.
OTHERS = ("CoTrainingClassifier", "KernelDensity", "LabelPropagation", "LabelSpreading", "NoveltyDetector",
          "OneClassSVM", "PairwiseRanker", "SelfTrainingClassifier", "Word2Vec")  # fmt: skip
FEW_LABELS = {"CoTrainingClassifier", "LabelPropagation", "LabelSpreading", "SelfTrainingClassifier"}
SUBJECTS = [Subject(entry) for entry in [*learnt.learners(), *filter(None, map(entry_of, OTHERS))]]


def drawn(subject: Subject, seed: int, **wanted: Any) -> RandomTable:
    if subject.can("text"):
        return random_documents(seed, needs=subject.needs)
    nominal = subject.can("nominal") and seed % 3 < 2  # a third of the tables are numbers alone
    table = random_table(seed, needs=subject.needs, nominal=nominal, counts=subject.can("counts"), **wanted)
    if subject.name in FEW_LABELS:
        known = np.arange(table.n_rows) % 3 < 2
        table = replace(table, target=np.where(known, table.target.astype(object), None))
    return table


def answers(model: Any, rows: Any) -> dict[str, Any]:
    """What a learner says about rows; of what only judges how usual they are, its scores."""
    if hasattr(model, "score_samples") and not hasattr(model, "predict_proba"):
        return {"score_samples": np.asarray(model.score_samples(rows))}  # a prediction cuts them where rows may lie
    return said(model, rows)


def fitted(subject: Subject, seed: int, table: RandomTable, weights: Any = None, start: Any = None) -> Any:
    """Fitted as it is, but that learners which take a start are given one."""
    others = VARIANTS.get(subject.name, [{}])
    settings = dict(others[seed % len(others)])
    if subject.can("random"):
        settings["init"] = first_rows((table if start is None else start).rows, 3)
    with quietly():
        return subject.fitted(table.rows, table.target, weights, **settings)


def weights_are_copies(subject: Subject, seed: int) -> None:
    """A row of weight 3 stands there three times, a row of weight 0 not at all."""
    table = drawn(subject, seed)
    copies = table.take(np.repeat(np.arange(table.n_rows), table.counts))
    weighted = fitted(subject, seed, table, table.counts)
    copied = fitted(subject, seed, copies, start=table)
    assert_same_answers(answers(weighted, table.rows), answers(copied, table.rows), rtol=NEAR.get(subject.name, 1e-8))
    if hasattr(weighted, "labels_"):
        np.testing.assert_array_equal(np.repeat(weighted.labels_, table.counts), copied.labels_)


def a_row_of_weight_zero_is_none(subject: Subject, seed: int) -> None:
    """Rows of weight 0 change nothing, whatever they hold: numbers far away, labels and classes of their own."""
    table = drawn(subject, seed)
    more, mine = table.among(wild_rows(table, seed), np.random.default_rng(seed))
    weighted, without = fitted(subject, seed, more, mine.astype(float)), fitted(subject, seed, table)
    assert_same_answers(answers(weighted, table.rows), answers(without, table.rows), rtol=NEAR.get(subject.name, 1e-8))
    if hasattr(without, "labels_"):
        np.testing.assert_array_equal(weighted.labels_[mine], without.labels_)


def a_constant_column_says_nothing(subject: Subject, seed: int) -> None:
    """A number or a date that all rows have leaves the answers as they are without it."""
    table = drawn(subject, seed)
    constant: dict[str, Any] = {"tenth": np.full(table.n_rows, 0.1), "third": np.full(table.n_rows, 1 / 3, np.float32)}
    if "town" in table.cells:
        constant["day"] = np.full(table.n_rows, np.datetime64("2024-02-29"))
    wide = table.with_columns(constant)
    one, two = fitted(subject, seed, table), fitted(subject, seed, wide)
    assert_same_answers(answers(two, wide.rows), answers(one, table.rows), rtol=1e-7)


def gaps_are_answered(subject: Subject, seed: int) -> None:
    """A learner fitted to rows with gaps, or without any, answers rows with gaps and with labels never seen."""
    rng = np.random.default_rng(seed)
    asked = drawn(subject, seed, missing=True).cells
    if isinstance(asked, dict):
        asked = {name: _with_gaps(column, rng) for name, column in asked.items()}
        if "town" in asked:
            asked["town"][1] = "a town never seen"
    for missing in (False, True):
        model = fitted(subject, seed, drawn(subject, seed, missing=missing))
        together = answers(model, given(asked))
        for name, values in together.items():
            if subject.predicts and name != "transform" and values.dtype.kind == "f":
                assert np.isfinite(values).all(), name
        n = len(next(iter(together.values())))
        for i in range(0, n, 5):  # a row is answered as it would be alone
            alone = answers(model, given(take(asked, [i])))
            assert_same_answers({k: v[i : i + 1] for k, v in together.items()}, alone, rtol=1e-9)


def _with_gaps(column: Any, rng: Any) -> Any:
    column = column.copy()
    empty = rng.random(len(column)) < 0.3
    empty[0] = True  # a row of nothing but gaps
    empty[1] = False
    nothing = None
    if isinstance(column, np.ndarray):
        nothing = np.datetime64("NaT") if column.dtype.kind == "M" else np.nan
    for i in np.flatnonzero(empty):
        column[i] = nothing
    return column


PROMISES: dict[Callable[[Subject, int], None], Callable[[Subject], bool]] = {
    weights_are_copies: lambda subject: subject.can("weights"),
    a_row_of_weight_zero_is_none: lambda subject: subject.can("weights"),
    a_constant_column_says_nothing: lambda subject: not subject.can("text") and subject.predicts,
    gaps_are_answered: lambda subject: not subject.can("text"),
}


def cases() -> Any:
    for promise, concerns in PROMISES.items():
        held = [subject for subject in SUBJECTS if concerns(subject)]
        marks = turns(promise.__name__, [subject.entry.cls for subject in held])
        for subject in held:
            if (subject.name, promise.__name__) not in EXCEPTIONS:
                yield pytest.param(subject, promise, id=f"{subject.name}-{promise.__name__}", marks=marks[subject.name])


@pytest.mark.parametrize(("subject", "promise"), list(cases()))
def test_it_holds(subject: Subject, promise: Callable[[Subject, int], None]) -> None:
    for seed in SEEDS:
        try:
            promise(subject, seed)
        except Exception as problem:
            problem.add_note(f"seed {seed}")
            raise


def test_exceptions_are_of_learners_and_promises_that_exist() -> None:
    names = {subject.name for subject in SUBJECTS}
    promises = {promise.__name__ for promise in PROMISES}
    assert all(learner in names and promise in promises for learner, promise in EXCEPTIONS)
    assert {*VARIANTS, *NEAR} <= names
