"""What alternating trees say of themselves: text, drawing, Graphviz, explanations."""

from __future__ import annotations

import pytest

from learnt import AlternatingTreeClassifier, datasets


@pytest.fixture
def weather():
    table = datasets.load("weather_numeric")
    return table, AlternatingTreeClassifier(n_estimators=3).fit(table)


def test_text_shows_what_hangs_below_what(weather):
    assert str(weather[1]).splitlines() == [
        "always: +0.255",
        "|   (1) outlook is overcast: +0.705",
        "|   (1) outlook is not overcast: −0.213",
        "|   |   (2) humidity ≤ 82.5: +0.430",
        "|   |   (2) humidity > 82.5: −0.486",
        "|   |   |   (3) temperature ≤ 70.5: +0.470",
        "|   |   |   (3) temperature > 70.5: −0.636",
        "positive: yes, negative: no",
    ]


def test_drawings_and_graphs_hold_all_nodes(weather, tmp_path):
    _, model = weather
    svg, dot = model.draw().svg, model.to_dot()
    for text in ("+0.705", "−0.636", "(2) humidity", "≤ 82.5"):
        assert text in svg
        assert text in dot
    model.draw(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == svg
    assert svg in model._repr_html_()
    three = AlternatingTreeClassifier(n_estimators=2).fit(datasets.load("iris"))
    assert three.draw().svg.count("score of") == 3
    assert "p2_0" in three.to_dot()


@pytest.mark.parametrize("name", ["weather_numeric", "iris", "labor"])
def test_explanations_add_up_to_the_lead(name):
    table = datasets.load(name)
    model = AlternatingTreeClassifier(n_estimators=5).fit(table)
    scores = model.decision_function(table.drop(table.target))
    for i, told in enumerate(model.explain(table.drop(table.target).rows(0, 10))):
        best = sorted(scores[i].tolist())[::-1] if scores.ndim == 2 else [abs(scores[i]), 0.0]
        assert told.add_up() == pytest.approx(best[0] - best[1])
        assert told.total == pytest.approx(best[0] - best[1])


def test_an_explanation_names_the_nodes(weather):
    table, model = weather
    told = model.explain(table)[0]
    assert {e.column: e.words for e in told.evidence}["humidity"] == "(2) > 82.5 +0.486"
    assert told.prediction == "no"
    parts = model._class_parts(table.drop("play").rows(0, 1)).in_probabilities()
    assert parts.total == pytest.approx(model.predict_proba(table)[0])
