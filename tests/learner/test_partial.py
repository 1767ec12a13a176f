"""Learning in instalments: every learner that offers it, in pieces, is the learner of the whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt import BernoulliNB, MajorityClassifier, MeanRegressor, MultinomialNB, NaiveBayesClassifier
from learnt.errors import InputError
from learnt.learner.partial import OnePass

LEARNERS = [entry for entry in learnt.learners() if issubclass(entry.cls, OnePass)]


def frame(n=90):
    rng = np.random.default_rng(0)
    town = pd.Categorical(rng.choice(["Bern", "Basel", "Chur"], n), categories=["Basel", "Bern", "Chur", "Genf"])
    cells = {"a": rng.exponential(size=n), "b": rng.exponential(size=n), "town": town, "owned": rng.random(n) < 0.5}
    return pd.DataFrame(cells).mask(rng.random((n, 4)) < 0.1).astype({"town": town.dtype, "owned": "boolean"})


def target(entry, n=90):
    rng = np.random.default_rng(1)
    return rng.normal(size=n) if entry.task == "regression" else np.array(["no", "so", "yes"])[rng.integers(3, size=n)]


def said(model, rows):
    if hasattr(model, "transform"):
        return np.column_stack([column.values for column in learnt.Table(model.transform(rows)).columns])
    return model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)


def test_there_are_such_learners():
    assert {NaiveBayesClassifier, MultinomialNB, BernoulliNB, MajorityClassifier, MeanRegressor} <= {
        entry.cls for entry in LEARNERS
    }


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: entry.name)
def test_pieces_give_the_model_of_the_whole(entry, weighted):
    rows, y = frame(), target(entry)
    w = np.random.default_rng(2).integers(0, 3, 90) if weighted else None
    whole = entry.cls().fit(rows, y, w)
    pieces = entry.cls()
    for start, stop in ((0, 5), (5, 40), (40, 90)):
        part = slice(start, stop)
        pieces.partial_fit(rows[part], y[part], sample_weight=None if w is None else w[part], **labels_of(entry, y))
    np.testing.assert_allclose(said(pieces, rows), said(whole, rows), rtol=1e-9)


def labels_of(entry, y):
    return {"classes": np.unique(y)} if entry.task == "classification" else {}


@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: entry.name)
def test_instalments_go_on_from_fit_and_from_a_file(entry, tmp_path):
    rows, y = frame(), target(entry)
    model = entry.cls().fit(rows[:60], y[:60])
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt").partial_fit(rows[60:], y[60:])
    np.testing.assert_allclose(said(again, rows), said(entry.cls().fit(rows, y), rows), rtol=1e-9)
    np.testing.assert_array_equal(said(model, rows), said(entry.cls().fit(rows[:60], y[:60]), rows))


@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: entry.name)
def test_an_instalment_that_fails_changes_nothing(entry):
    rows, y = frame(), target(entry)
    model = entry.cls().fit(rows, y)
    before = said(model, rows)
    bad = rows.assign(a=np.inf)
    with pytest.raises(InputError, match="infinite"):
        model.partial_fit(bad, y)
    with pytest.raises(InputError, match="'b'"):
        model.partial_fit(rows.drop(columns="b"), y)
    np.testing.assert_array_equal(said(model, rows), before)
    assert not hasattr(entry.cls(), "n_features_in_")


def test_a_class_announced_but_not_seen_has_probability_zero():
    model = NaiveBayesClassifier().partial_fit([[1.0], [2.0]], ["a", "b"], classes=["c", "b", "a"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict_proba([[1.5]])[:, 2], 0)
    model.partial_fit([[9.0], [8.0]], ["c", "c"])
    assert model.predict([[8.5]]).tolist() == ["c"]


def test_a_class_never_announced_is_an_error():
    model = MajorityClassifier().partial_fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(InputError, match=r"'z'.*none of the classes"):
        model.partial_fit([[1.0]], ["z"])


def test_a_category_the_first_call_did_not_know_is_an_error_with_its_row():
    model = NaiveBayesClassifier().partial_fit({"town": ["Bern", "Chur"]}, [0, 1])
    with pytest.raises(InputError, match=r"'town' has 'Genf' in row 1"):
        model.partial_fit({"town": ["Bern", "Genf"]}, [0, 1])


def test_a_scan_is_refused_by_partial_fit(tmp_path):
    (tmp_path / "rows.csv").write_text("a,y\n1,u\n2,v\n")
    with pytest.raises(InputError, match="scan"):
        MajorityClassifier().partial_fit(learnt.scan(tmp_path / "rows.csv"), "y")
