"""What a comparison says about columns of text and about identifiers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.learner.text.reviews import reviews

import learnt
from learnt.evaluate.comparison.roles import Roles, assign

pytestmark = pytest.mark.usefixtures("forked_workers")

FEW = ["LogisticRegression", "KNeighborsClassifier", "MajorityClassifier"]


@pytest.fixture(scope="module")
def compared():
    table, y = reviews(90)
    return learnt.compare({**table, "y": y}, "y", learners=FEW, cv=3, n_jobs=1)


def test_who_counts_words_and_who_leaves_text_out_is_said_once(compared):
    told = [words for words in compared.notices if "is text" in words]
    assert told == [
        "'review' is text: its words are counted; KNeighborsClassifier makes nothing of words and leaves it out."
    ]
    assert compared.best.name == "LogisticRegression"
    assert not any(outcome.status == "failed" for outcome in compared.outcomes)


def test_a_table_of_text_alone_is_for_those_who_count_words():
    table, y = reviews(60)
    found = learnt.compare({"review": table["review"], "y": y}, "y", learners=FEW, cv=3, n_jobs=1)
    (skipped,) = [outcome for outcome in found.outcomes if outcome.status == "skipped"]
    assert skipped.name == "KNeighborsClassifier"
    assert found.best.name == "LogisticRegression"


def test_rows_of_one_individual_are_to_be_kept_together():
    rng = np.random.default_rng(0)
    table = learnt.Table({"individual": [f"p{i // 4}" for i in range(120)], "x": rng.normal(size=120)})
    target = learnt.Table({"y": rng.choice(["a", "b"], 120).tolist()})["y"]
    (told,) = assign(table, target, Roles()).notices
    assert told.startswith("'individual' looks like an identifier of things that have about 4 rows each")
    assert "groups='individual' keeps them together" in told
    assert assign(table, target, Roles(groups="individual")).notices == ()
    assert assign(table, target, Roles(keep=("individual",))).notices == ()


def test_advice_on_groups_is_an_option_on_the_command_line():
    from learnt.cli.arguments.typed import as_options

    assert as_options("groups='individual' keeps them together.") == "--groups individual keeps them together."


def test_what_to_leave_out_is_said_whole_however_long_the_words_before_it():
    rng = np.random.default_rng(0)
    score = rng.normal(size=200)
    rows = {
        "mean of reading scores of the district": score + rng.normal(scale=1e-4, size=200),
        "mean of mathematics scores of the district": score + rng.normal(scale=1e-4, size=200),
        "teachers": rng.normal(size=200),
    }
    found = learnt.compare(rows, score, learners=["LinearRegression", "MeanRegressor"], cv=3)
    said = " ".join(str(found).split())
    assert "drop=['mean of reading scores of the district', 'mean of mathematics scores of the district']" in said
