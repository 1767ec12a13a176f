"""An ensemble that was chosen: names of members, its lead, its text."""

import pytest

import learnt
from learnt.evaluate.ensembling.chosen import _member_name


@pytest.fixture(scope="module")
def chosen():
    learners = {"naive__bayes": learnt.NaiveBayesClassifier(), "weights": learnt.DecisionTreeClassifier(max_depth=3)}
    return learnt.best_ensemble(learnt.compare(learnt.datasets.load("glass"), learners=learners, cv=4, n_jobs=1))


def test_members_get_names_that_settings_are_reached_by(chosen):
    assert [_member_name(n) for n in ("tree", "a__b", "weights", "")] == ["tree", "a_b", "member weights", "member "]
    model = chosen.model
    assert all("__" not in name for name in model.names_)
    assert model.get_params()  # every name can be told from a setting
    assert chosen.model is model


def test_the_lead_is_the_difference_of_the_two_lines(chosen):
    rows = {row.name: row.mean for row in chosen.judged.leaderboard()}
    pair = chosen.lead
    assert pair.difference == pytest.approx(abs(rows[chosen.standing.name] - rows[chosen.single]))
    text = chosen.to_text(80)
    assert max(map(len, text.splitlines())) <= 80
    assert "The ensemble was chosen anew for each fold" in " ".join(text.split())
