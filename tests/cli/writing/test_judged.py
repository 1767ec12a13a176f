"""What is said of a model on labelled rows, from models whose figures can be counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import learnt
from learnt.cli.writing.judged import judged_facts, judged_notices, tell_judged
from learnt.evaluate.comparison.promise import Promise, rows_key
from learnt.evaluate.metrics.scoring import METRICS
from learnt.evaluate.new_rows import judge, labelled_rows


@pytest.fixture
def model():
    """Answers "a" below 0, and else "b"."""
    return learnt.DecisionTreeClassifier().fit({"x": [-2.0, -1.0, 1.0, 2.0]}, ["a", "a", "b", "b"])


def judged_on(model, x, y):
    rows = learnt.Table({"x": np.asarray(x, float), "y": y})
    given = labelled_rows(model, rows.select(["x"]), rows["y"])
    return judge(model, given, [METRICS["accuracy"]])


@pytest.fixture
def judged(model):
    """Eight of ten are right."""
    return judged_on(model, [-1] * 5 + [1] * 5, ["a"] * 4 + ["b"] * 5 + ["a"])


def promise_of(score, **changes):
    whole = Promise("accuracy", score, score - 0.05, score + 0.05, 0.025, 100, "10-fold cross-validation", "other rows")
    return replace(whole, **changes)


def test_facts_are_plain_and_count_who_was_taken_for_whom(model, judged):
    facts = judged_facts(judged, model, "m.learnt", "new.csv", None, ["a notice"])
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["rows"], facts["target"], facts["learner"]) == (10, "y", "DecisionTreeClassifier")
    assert facts["metrics"][0]["score"] == pytest.approx(0.8)
    assert facts["confusion"] == {"labels": ["a", "b"], "counts": [[4, 1], [1, 4]]}
    assert (facts["promise"], facts["kept"], facts["notices"]) == (None, None, ["a notice"])


@pytest.mark.parametrize(("score", "kept"), [(0.8, "as promised"), (0.9, "as promised"), (0.1, "better")])
def test_a_promise_is_held_against_what_was_found(model, judged, score, kept):
    assert judged_facts(judged, model, "m", "f", promise_of(score), [])["kept"] == kept


def test_a_promise_that_was_not_kept_is_said_outright(model, capsys):
    wrong = judged_on(model, [-1] * 20 + [1] * 20, ["b"] * 18 + ["a"] * 22)
    promise = promise_of(0.95)
    assert judged_facts(wrong, model, "m", "f", promise, [])["kept"] == "worse"
    tell_judged(wrong, model, "new.csv", promise, [])
    assert "promised 0.95 (0.9 to 1), found 0.05" in " ".join(capsys.readouterr().out.split())


def test_the_rows_of_the_comparison_itself_keep_any_promise_so_that_it_is_not_asked(model, judged, capsys):
    own = promise_of(0.1, data=rows_key(judged.problem))
    assert judged_facts(judged, model, "m", "f", own, [])["kept"] is None
    (notice,) = judged_notices(judged, 0, own)
    assert "These are the rows it learnt from" in notice
    tell_judged(judged, model, "new.csv", own, [notice])
    assert "promised" not in capsys.readouterr().out


def test_a_promise_in_a_metric_that_was_not_computed_is_not_asked(model, judged):
    assert judged_facts(judged, model, "m", "f", promise_of(0.8, metric="auc"), [])["kept"] is None


def test_rows_left_out_and_classes_never_seen_are_noticed(model):
    strange = judged_on(model, [-1, 1, 1], ["a", "b", "c"])
    few, unseen = judged_notices(strange, 1234, None)
    assert few.startswith("1,234 rows have no 'y'")
    assert "never seen 'c'" in unseen
    assert judged_notices(judged_on(model, [-1, 1], ["a", "b"]), 0, None) == []


def test_what_is_told_holds_score_interval_and_confusion(model, judged, capsys):
    tell_judged(judged, model, "new.csv", None, ["mind this"])
    text = capsys.readouterr().out
    assert text.startswith("DecisionTreeClassifier on 10 rows of new.csv, predicting 'y'")
    assert "! mind this" in text
    figure = judged.figure("accuracy")
    assert f"0.8  {figure.low:.4g} … {figure.high:.4g}" in text
    assert str(judged.confusion) in text


def test_numbers_have_no_confusion(capsys):
    line = learnt.LinearRegression().fit({"x": [0.0, 1.0, 2.0]}, [1.0, 3.0, 5.0])
    rows = learnt.Table({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 8.0]})
    judged = judge(line, labelled_rows(line, rows.select(["x"]), rows["y"]), [METRICS["rmse"]])
    facts = judged_facts(judged, line, "m", "f", None, [])
    assert facts["confusion"] is None
    assert facts["metrics"][0]["score"] == pytest.approx(0.5)
    tell_judged(judged, line, "f", None, [])
    assert "root mean squared error" in capsys.readouterr().out
