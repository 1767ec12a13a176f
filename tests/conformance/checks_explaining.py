"""Every prediction explained: the parts add up to the prediction."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, quietly
from tests.conformance.tables import as_table, mixed, numbers

from learnt.errors import InputError
from learnt.learner.base import Learner


def assert_adds_up(subject: Subject, model, X) -> None:
    predictions, told = model.predict(X), model.explain(X)
    assert len(told) == len(predictions)
    for i, explanation in enumerate(told):
        assert explanation.prediction == predictions[i]
        scale = abs(explanation.base) + sum(abs(e.contribution) for e in explanation.evidence)
        assert explanation.add_up() == pytest.approx(explanation.total, rel=1e-9, abs=1e-9 * max(scale, 1))
        assert explanation.total == pytest.approx(meaning(model, X, i, explanation), rel=1e-6, abs=1e-9)


def meaning(model, X, i: int, explanation) -> float:
    """What the total of each kind of arithmetic stands for, from the learner's other answers."""
    if explanation.kind == "sum":
        return float(model.predict(X)[i])
    if explanation.kind == "log-odds":  # for the predicted class against the runner-up
        best = np.sort(model.predict_log_proba(X)[i])[::-1]
        return float(best[0] - best[1]) if len(best) > 1 else 0.0
    if explanation.kind == "score":  # the lead of the predicted class over the runner-up
        scores = np.atleast_2d(model.decision_function(X).T).T[i]
        best = np.sort(scores)[::-1]
        return float(best[0] - best[1]) if len(best) > 1 else abs(float(best[0])) * (len(model.classes_) > 1)
    if explanation.kind == "pair":  # the score of the answer's machine against the runner-up
        if len(model.classes_) < 3:
            return abs(float(model.decision_function(X)[i])) * (len(model.classes_) > 1)
        a, b = sorted(np.argsort(-model.decision_function(X)[i], kind="stable")[:2])
        pairs = list(itertools.combinations(range(len(model.classes_)), 2))
        score = float(model.decision_function(X, shape="ovo")[i][pairs.index((a, b))])
        return score if explanation.prediction == model.classes_[a] else -score
    if explanation.kind == "position":
        return float(model.position(X)[i])
    if explanation.kind == "member":  # the log-odds that the learner of this class gives it against the rest
        known, members = model.classes_.tolist(), model.members_
        c = known.index(explanation.prediction)
        logs = members[c if len(known) > 2 else 0].predict_log_proba(X)[i] if members else np.array([0.0, 1.0])
        return float(logs[0] - logs[1] if len(known) == 2 and c == 0 else logs[1] - logs[0])
    if explanation.kind == "risk":
        return float((model.predict_proba(X)[i] @ model.loss_).min())
    if explanation.kind == "nearest":  # the distance from the nearest class, or its square
        least = float(model.distances(X)[i].min())
        return least**2 if "squared" in explanation.total_words else least
    if explanation.kind == "log-density":
        return float(model.score_samples(X)[i])
    if explanation.kind == "density":
        return float(model.neighbors_within(X)[i])
    if explanation.kind == "distances":
        return float(np.asarray(model.transform(X))[i].min() ** 2)
    if explanation.kind in ("path", "attribution") and hasattr(model, "predict_proba"):
        return float(model.predict_proba(X)[i][model.classes_.tolist().index(explanation.prediction)])
    assert explanation.kind in ("frequency", "path"), f"say here what the total of {explanation.kind!r} stands for"
    return float(model.predict_proba(X)[i].max() if hasattr(model, "predict_proba") else model.predict(X)[i])


@check(task="predicting", by_thirds=True)
def explanations_of_numbers_add_up(subject: Subject) -> None:
    """Base and contributions add up to the total, and the total is what is predicted."""
    for dtype in (np.float64, np.float32):
        assert_adds_up(subject, subject.fitted(numbers(dtype=dtype)), numbers(20, seed=8, dtype=dtype))


@check("nominal", "missing", task="predicting", by_thirds=True)
def explanations_of_mixed_rows_add_up(subject: Subject) -> None:
    """The same with text, gaps and categories never seen."""
    model, other = subject.fitted(as_table(mixed())), mixed(20, seed=5)
    other["town"][0], other["size"][1] = "Zürich", "XXL"
    assert_adds_up(subject, model, other)


@check("sparse", task="predicting", by_thirds=True)
def explanations_of_sparse_rows_add_up(subject: Subject) -> None:
    """The same on CSR."""
    from scipy.sparse import csr_matrix

    x = csr_matrix(numbers() * (numbers(seed=9) > 0))
    assert_adds_up(subject, subject.fitted(x), x[:10])


@check("missing", "nominal", task="predicting")
def explanations_of_a_single_row_and_constant_columns_add_up(subject: Subject) -> None:
    """The same for one row, and for columns that do not vary."""
    cells = {"a": [3.0], "b": [None], "c": ["x"]}
    with quietly():
        settings = {name: 1 for name in ("n_clusters", "n_components") if name in subject.defaults()}
        assert_adds_up(subject, subject.fitted(cells, **settings), cells)


@check("nominal", "missing", task="predicting")
def explanations_speak_of_the_columns_given(subject: Subject) -> None:
    """Evidence is one entry per column, with its name and its cell; no column is invented."""
    model, other = subject.fitted(as_table(mixed())), as_table(mixed(20, seed=5))
    told = model.explain(other)[4]
    names = [e.column for e in told.evidence]
    assert names in ([], list(other.names))
    for evidence in told.evidence:
        assert evidence.value == other[evidence.column].labels()[4]


@check("nominal", "missing", task="predicting")
def explanations_can_be_shown_and_sent(subject: Subject) -> None:
    """Text, HTML and JSON of every explanation work, with markup in the user's labels kept harmless."""
    cells = mixed() | {"<b>name": ["<script>" if t == "Bern" else t for t in mixed()["town"]]}
    model = subject.fitted(cells)
    for told in model.explain(cells)[:8]:
        assert str(told).strip()
        assert "<script>" not in told._repr_html_()
        assert "<b>name" not in told._repr_html_()
        json.dumps(told.to_dict(), allow_nan=False)
    assert str(model.explain(cells)).strip()


@check(task="transformation")
def who_predicts_nothing_explains_or_says_so(subject: Subject) -> None:
    """`explain` of a learner that only prepares columns explains its columns, or says in words what to ask instead."""
    model = subject.fitted(numbers())
    cls = subject.entry.cls
    if cls.__module__.startswith("learnt.reduce") or cls._explain is not Learner._explain:
        assert str(model.explain(numbers(3))).strip()
    else:
        with pytest.raises(InputError, match=f"{subject.name} prepares columns"):
            model.explain(numbers(3))
