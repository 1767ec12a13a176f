"""What a moved table does to a model."""

import numpy as np
import pytest

import learnt
from learnt.drift.predictions import compare_predictions


def world(rng, n, turned=False):
    x = rng.normal(size=n)
    y = np.where((x > 0) != turned, "yes", "no")
    return learnt.Table({"x": x, "y": y})


def test_a_world_that_turned_round_makes_the_model_worse():
    rng = np.random.default_rng(0)
    train, old, new = world(rng, 300), world(rng, 300), world(rng, 300, turned=True)
    model = learnt.DecisionTreeClassifier().fit(train, "y")
    found = compare_predictions(model, old, new, "y")
    assert found.is_worse
    assert found.scores[0][0].score > 0.95
    assert found.scores[0][1].score < 0.05
    assert found.answers.p_value > 0.01  # x did not move: only the truth shows it
    assert [row[0] for row in found.rows()[:3]] == ["answer 'no'", "answer 'yes'", "accuracy"]
    assert any("It is worse on the new rows." in line for line in found.lines())


def test_shares_of_answers_by_hand():
    model = learnt.DecisionTreeClassifier().fit({"x": [0.0, 1.0] * 10}, ["no", "yes"] * 10)
    found = compare_predictions(model, learnt.Table({"x": [0.0] * 3 + [1.0]}), learnt.Table({"x": [1.0] * 4}))
    assert found.shares == (("no", 0.75, 0.0), ("yes", 0.25, 1.0))
    assert found.scores == ()
    assert not found.is_worse


def test_numbers_that_a_model_answers_are_a_column():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    model = learnt.LinearRegression().fit({"x": x}, 2 * x)
    found = compare_predictions(model, learnt.Table({"x": x}), learnt.Table({"x": x + 3}))
    assert found.shares == ()
    assert found.answers.p_value < 1e-10
    assert "then" in found.lines()[0]
    assert found.rows() == [("answers", found.answers.then, found.answers.now)]


def test_a_table_without_its_column_is_an_error_that_names_it():
    model = learnt.LinearRegression().fit({"x": [1.0, 2.0, 3.0]}, [1.0, 2.0, 3.0])
    with pytest.raises(learnt.errors.LearntError, match="x"):
        compare_predictions(model, learnt.Table({"x": [1.0]}), learnt.Table({"z": [1.0]}))
