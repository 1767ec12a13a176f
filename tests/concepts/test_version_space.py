"""Version spaces: the boundaries hold exactly the hypotheses that agree with the examples."""

import numpy as np
import pytest
from tests.concepts.sport import LABELS, ROWS, SPORT

from learnt.concepts import (
    CandidateElimination,
    Hierarchy,
    Language,
    ListThenEliminate,
    Nominal,
    Ordered,
    at_least_as_general,
)
from learnt.concepts import version_space as module
from learnt.errors import InputError


def test_enjoy_sport():
    learner = CandidateElimination(SPORT).fit(ROWS, LABELS)
    assert list(map(str, learner.specific_)) == ["⟨Sunny, Warm, ?, Strong, ?, ?⟩"]
    assert sorted(map(str, learner.general_)) == ["⟨?, Warm, ?, ?, ?, ?⟩", "⟨Sunny, ?, ?, ?, ?, ?⟩"]
    assert learner.size_ == 6
    new = {
        "Sky": ["Sunny", "Rainy", "Sunny", "Sunny"],
        "AirTemp": ["Warm", "Cold", "Warm", "Cold"],
        "Humidity": ["Normal"] * 4,
        "Wind": ["Strong", "Weak", "Weak", "Strong"],
        "Water": ["Cool", "Warm", "Warm", "Warm"],
        "Forecast": ["Change", "Same", "Same", "Same"],
    }
    assert learner.predict(new).tolist() == ["+", "-", None, None]
    assert learner.shares(new) == pytest.approx([1, 0, 3 / 6, 2 / 6])
    assert learner.best_query(new) == 2
    assert "{⟨Sunny, ?, ?, ?, ?, ?⟩, ⟨?, Warm, ?, ?, ?, ?⟩}" in str(learner.steps_)


LANGUAGE = Language(
    (
        Nominal("c", ("a", "b", "d")),
        Hierarchy("h", {"dog": "mammal", "cat": "mammal", "owl": "bird", "mammal": "animal", "bird": "animal"}),
        Ordered("o", (1, 2, 3, 4)),
    )
)


@pytest.mark.parametrize("seed", range(40))
def test_boundaries_are_those_of_the_listed_version_space(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    rows = {
        "c": rng.choice(["a", "b", "d"], n),
        "h": rng.choice(["dog", "cat", "owl"], n),
        "o": rng.integers(1, 5, n),
    }
    concept = list(LANGUAGE)[rng.integers(LANGUAGE.size)]
    labels = [concept.covers(row) for row in LANGUAGE.rows(rows)]
    if seed % 4 == 0:
        labels = [bool(label) for label in rng.random(n) < 0.5]  # often no concept at all
    held = CandidateElimination(LANGUAGE, positive=True).fit(rows, labels)
    listed = ListThenEliminate(LANGUAGE, positive=True).fit(rows, labels)
    assert {h.constraints for h in held.hypotheses()} == {h.constraints for h in listed.remaining_}
    assert held.collapsed_by_ == listed.collapsed_by_
    left = listed.remaining_
    most = {h for h in left if not any(o != h and at_least_as_general(o, h) for o in left)}
    least = {h for h in left if not any(o != h and at_least_as_general(h, o) for o in left)}
    assert set(held.general_) == most
    assert set(held.specific_) == least
    if left:
        new = {
            "c": ["a", "b", "d"] * 4,
            "h": ["dog", "cat", "owl", "owl"] * 3,
            "o": [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4],
        }
        assert held.predict(new).tolist() == listed.predict(new).tolist()
        assert held.shares(new) == pytest.approx(listed.shares(new))


def test_a_collapse_is_told_with_the_row_that_caused_it():
    learner = CandidateElimination().fit({"a": ["x", "y", "x"], "b": ["u", "u", "u"]}, ["yes", "yes", "no"])
    assert learner.collapsed_by_ == 2
    assert learner.predict({"a": ["x"], "b": ["u"]}).tolist() == [None]
    assert "no hypothesis is left" in str(learner.steps_)
    with pytest.raises(InputError, match="Row 2 left none"):
        learner.shares({"a": ["x"], "b": ["u"]})
    with pytest.raises(InputError, match="nothing to draw"):
        learner.plot()


def test_hypotheses_with_few_errors_survive_wrong_labels():
    rows = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}
    labels = [False, False, True, True, True, False, True, False]  # 6 was 3…7's
    assert ListThenEliminate(positive=True).fit(rows, labels).remaining_ == []
    tolerant = ListThenEliminate(errors=1, positive=True).fit(rows, labels)
    assert "⟨3…7⟩" in list(map(str, tolerant.remaining_))
    assert set(tolerant.errors_of_) == {1}


def test_hypotheses_of_the_users_own():
    own = {"even": lambda row: row["n"] % 2 == 0, "small": lambda row: row["n"] < 5, "never": lambda row: False}
    learner = ListThenEliminate(hypotheses=own).fit({"n": [2, 8]}, ["yes", "no"])
    assert list(map(str, learner.remaining_)) == ["small"]
    assert learner.predict({"n": [1, 9]}).tolist() == ["yes", "no"]


def test_limits_are_told_in_words(monkeypatch):
    monkeypatch.setattr(module, "MOST_LISTED", 100)
    with pytest.raises(InputError, match="973 hypotheses, more than can be listed"):
        ListThenEliminate(SPORT).fit(ROWS, LABELS)
    monkeypatch.setattr(module, "MOST_ON_BOUNDARY", 5)
    negatives = {name: cells[2:3] for name, cells in ROWS.items()}
    with pytest.raises(InputError, match="it can double with every negative row"):
        CandidateElimination(SPORT).fit(negatives, ["-"])


def test_the_picture_has_a_box_for_each_hypothesis():
    assert len(CandidateElimination(SPORT).fit(ROWS, LABELS).plot().texts) == 6
