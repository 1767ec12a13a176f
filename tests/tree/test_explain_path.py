"""The explanation of a tree is its path: every step a change, all of them together the answer."""

import numpy as np
import pytest
from tests.tree.test_cart_laws import MISSING, NOMINAL, table_of

from learnt import DecisionTreeClassifier, DecisionTreeRegressor, Table
from learnt.tree.explain_path import steps_of


@pytest.fixture
def weather():
    return Table(
        {
            "outlook": ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5,
            "humidity": [85.0, 90, 95, 70, 70, 78, 65, 75, 90, 96, 80, 70, 80, 80],
            "play": ["no", "no", "no", "yes", "yes"] + ["yes"] * 4 + ["yes", "yes", "no", "no", "yes"],
        }
    )


def test_each_step_tells_its_condition_and_the_change_it_makes(weather):
    model = DecisionTreeClassifier(nominal="multiway", criterion="entropy", max_depth=2).fit(weather, "play")
    told = model.explain({"outlook": ["sunny"], "humidity": [72.0]})[0]
    assert told.prediction == "yes"
    assert told.kind == "path"
    assert told.base == pytest.approx(9 / 14)
    outlook, humidity = told.evidence
    assert (outlook.column, outlook.value, humidity.value) == ("outlook", "sunny", 72.0)
    assert outlook.contribution == pytest.approx(2 / 5 - 9 / 14)
    assert outlook.words == "step 1: sunny, 0.6429 → 0.4"
    assert humidity.contribution == pytest.approx(1 - 2 / 5)
    assert humidity.words == "step 2: ≤ 77.5, 0.4 → 1"
    assert told.total == 1.0
    assert told.alternatives == (("no", 0.0),)
    assert str(told).startswith("'yes': probability 1 = 0.6429 (before any test) + 0.6 (humidity) − 0.2429 (outlook)")


def test_a_missing_cell_is_explained_by_all_ways_it_takes(weather):
    model = DecisionTreeClassifier(nominal="multiway", criterion="entropy", max_depth=1, missing="fractional")
    told = model.fit(weather, "play").explain({"outlook": [None], "humidity": [72.0]})[0]
    outlook = told.evidence[0]
    assert outlook.value is None
    # 5/14 of the row is sunny (2/5 yes), 4/14 overcast (all yes), 5/14 rain (3/5 yes): 9/14, as before.
    assert outlook.contribution == pytest.approx(0.0, abs=1e-12)
    assert outlook.words.count("step 1:") == 3
    assert "sunny for 0.3571 of the row, 0.6429 → 0.4" in outlook.words


def test_a_number_is_the_root_s_mean_and_its_changes(weather):
    x = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 1.0, 1.0, 5.0]}
    told = DecisionTreeRegressor().fit(x, [10.0, 20.0, 60.0, 70.0]).explain(x)[1]
    assert told.base == 40.0
    assert told.prediction == told.total == 20.0
    assert told.evidence[0].contribution == pytest.approx(-20.0)
    assert told.evidence[0].words == "step 1: ≤ 2.5, 40 → 15; step 2: > 1.5, 15 → 20"
    assert told.evidence[1].contribution == 0
    assert told.evidence[1].words == ""


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("nominal", NOMINAL)
@pytest.mark.parametrize("smoothing", [None, "laplace", 3.0])
def test_the_changes_add_up_whichever_way_missing_cells_take(missing, nominal, smoothing):
    table, y, _, w = table_of(1)
    model = DecisionTreeClassifier(missing=missing, nominal=nominal, smoothing=smoothing).fit(table, y, w)
    other = table_of(2, n=40, gaps=0.4)[0]
    p, answers = model.predict_proba(other), model.predict(other)
    for i, told in enumerate(model.explain(other)):
        assert told.prediction == answers[i]
        assert told.total == pytest.approx(p[i, answers[i]], abs=1e-12)
        assert told.add_up() == pytest.approx(told.total, abs=1e-10)
        assert dict(told.alternatives) == pytest.approx({c: p[i, c] for c in range(3) if c != answers[i]})


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_numbers_add_up_too(criterion):
    table, _, y, w = table_of(3)
    for missing in ("learned", "fractional", "majority"):
        model = DecisionTreeRegressor(criterion=criterion, missing=missing).fit(table, y, w)
        other = table_of(4, n=40, gaps=0.4)[0]
        for told, answer in zip(model.explain(other), model.predict(other), strict=True):
            assert told.prediction == pytest.approx(answer, rel=1e-12)
            assert told.add_up() == pytest.approx(answer, rel=1e-9, abs=1e-9)


def test_steps_are_the_nodes_of_the_decision_path():
    table, y, _, w = table_of(5)
    model = DecisionTreeClassifier(missing="fractional").fit(table, y, w)
    path = model.decision_path(table)
    for i in range(20):
        steps = steps_of(model.tree_, table.rows(i, i + 1))
        assert [step.node for step in steps] == path[i].indices[path[i].indices > 0].tolist()
        np.testing.assert_allclose([step.part for step in steps], path[i].data[path[i].indices > 0])


def test_a_tree_without_tests_answers_from_the_root():
    told = DecisionTreeClassifier().fit(np.ones((4, 2)), list("aaab")).explain(np.ones((1, 2)))[0]
    assert (told.prediction, told.base, told.total) == ("a", 0.75, 0.75)
    assert [e.contribution for e in told.evidence] == [0, 0]
