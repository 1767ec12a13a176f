"""Columns in other roles than that of a feature: left out, grouped by, weighted by, sorted by; leaks are named."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt.errors import InputError, ParameterError
from learnt.evaluate import compare

pytestmark = pytest.mark.usefixtures("forked_workers")

PAIR = ["MajorityClassifier", "NaiveBayesClassifier"]


@pytest.fixture
def cases():
    """Ninety rows of thirty people, with a number of their own and a weight."""
    rng = np.random.default_rng(5)
    signal = rng.normal(size=90)
    return {
        "case": rng.permutation(90).tolist(),
        "signal": signal,
        "person": [f"p{i // 3}" for i in range(90)],
        "heavy": rng.uniform(0.5, 2, 90),
        "seen": [f"2024-{1 + (i * 7) % 12:02d}-{1 + i % 28:02d}" for i in range(90)],
        "y": np.where(signal + rng.normal(size=90) > 0, "yes", "no").tolist(),
    }


def run(data, **settings):
    return compare(data, "y", learners=PAIR, cv=3, n_jobs=1, **settings)


def test_an_identifier_is_left_out_and_that_is_said(cases):
    result = run(cases)
    assert "case" not in result.problem.table
    assert any("'case' gives every row a number of its own" in n and "keep='case'" in n for n in result.notices)
    assert "case" in run(cases, keep="case").problem.table


def test_a_table_of_nothing_but_a_number_keeps_it(cases):
    assert run({"case": cases["case"], "y": cases["y"]}).problem.table.names == ("case",)


def test_columns_are_dropped_as_asked(cases):
    result = run(cases, drop=["seen", "person"])
    assert result.problem.table.names == ("signal", "heavy")
    assert "drop=['seen', 'person']" in result.command


def test_rows_of_a_group_stay_together(cases):
    result = run(cases, groups="person")
    assert "person" not in result.problem.table
    for fold in result.best.results:
        inside = set(result.problem.groups[fold.test])
        assert not inside & set(np.delete(result.problem.groups, fold.test))


def test_weights_are_those_of_the_column(cases):
    result = run(cases, weight="heavy")
    np.testing.assert_array_equal(result.problem.weights, cases["heavy"])
    again = learnt.cross_validate(
        learnt.NaiveBayesClassifier(), result.problem.table, cases["y"], cv=3, sample_weight=cases["heavy"]
    )
    scores = result.outcome("NaiveBayesClassifier").scores["accuracy"]
    np.testing.assert_allclose(scores, again.scores["accuracy"])


def test_later_rows_are_tested_by_models_of_earlier_ones(cases):
    result = run(cases, time="seen")
    assert result.splitting.in_order
    order = np.argsort(cases["seen"], kind="stable")
    np.testing.assert_array_equal(result.problem.table["signal"].values, cases["signal"][order])
    assert all(r.test.min() >= r.n_train for r in result.best.results)
    assert "seen" not in result.problem.table


def test_rows_without_a_target_take_their_weights_and_groups_with_them(cases):
    whole = run({k: v[:60] for k, v in cases.items()}, groups="person", weight="heavy", drop="case")
    cases["y"] = cases["y"][:60] + [None] * 30
    part = run(cases, groups="person", weight="heavy", drop="case")
    assert part.best.mean("accuracy") == whole.best.mean("accuracy")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"drop": "nobody"}, "drop='nobody' names a column"),
        ({"drop": "y"}, "is the column to predict"),
        ({"keep": "y"}, "is the column to predict"),
        ({"groups": "y"}, "is the column to predict"),
        ({"weight": "person"}, "Weights are numbers"),
        ({"time": "person"}, "has no order"),
        ({"groups": [1, 2]}, "groups has 2 values, the table 90 rows"),
    ],
)
def test_what_cannot_be_is_told(cases, settings, words):
    with pytest.raises(InputError, match=words):
        run(cases, **settings)


def test_what_contradicts_itself_is_told(cases):
    for settings in ({"groups": "person", "time": "seen"}, {"drop": "seen", "keep": ["seen"]}, {"drop": [3]}):
        with pytest.raises(ParameterError):
            run(cases, **settings)
    with pytest.raises(ParameterError, match="one order of time"):
        run(cases, time="seen", repeats=2)


def test_a_leak_is_named_first_with_what_is_left_without_it(cases):
    cases["outcome"] = [{"yes": 1, "no": 0}[v] for v in cases["y"]]
    first = run(cases).notices[0]
    without = run(cases, drop="outcome").outcome("NaiveBayesClassifier").mean("accuracy")
    assert "'outcome' is 'y' once more" in first
    assert f"Without 'outcome' the accuracy of NaiveBayesClassifier is {learnt.show.numbers.number(without)}" in first
    assert "drop='outcome'" in first
    assert not any("once more" in n for n in run(cases, keep="outcome").notices)


def test_a_learner_that_fails_without_the_leak_costs_nobody_the_comparison(cases, monkeypatch):
    def fail(*args):
        raise RuntimeError("nothing to hold on to")

    monkeypatch.setattr("learnt.evaluate.comparison.leaks.run_fold", fail)
    cases["outcome"] = cases["y"]
    first = run(cases).notices[0]
    assert "'outcome' is 'y' once more" in first
    assert "Without" not in first


@pytest.mark.parametrize("name", ["iris", "vote", "labor", "glass", "cpu", "breast_cancer"])
def test_bundled_tables_are_compared_without_an_accusation(name):
    usual = ["MeanRegressor", "DecisionTreeRegressor"] if name == "cpu" else PAIR
    result = compare(learnt.datasets.load(name), learners=usual, cv=3, n_jobs=1)
    assert not any("left out" in n or "drop=" in n for n in result.notices)
