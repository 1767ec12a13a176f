"""The last verdict on some rows is found again for these rows alone, and only where a name says all."""

from __future__ import annotations

import json

import numpy as np
import pytest

import learnt
from learnt.cli.arguments.reading import AS_FOUND
from learnt.cli.writing.journals import kept_folder
from learnt.cli.writing.verdicts import keep_verdict, last_verdict, notes_of, save_best
from learnt.evaluate.comparison.promise import Promise
from learnt.evaluate.problem import problem
from learnt.saving import read_notes

pytestmark = pytest.mark.usefixtures("forked_workers")


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def compared(learners=("MeanRegressor", "Ridge"), seed=0, **settings):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 2))
    y = x @ [2.0, 1.0] + 0.1 * rng.normal(size=60)
    return learnt.compare({"a": x[:, 0], "b": x[:, 1], "y": y}, "y", learners=list(learners), cv=3, **settings)


def test_what_is_kept_is_found_for_the_same_rows_and_no_others():
    found = compared()
    assert last_verdict(found.problem) is None
    keep_verdict(found)
    record = last_verdict(found.problem)
    assert (record["learner"], record["compared"]) == ("Ridge", 2)
    assert Promise.from_dict(record["promise"]) == Promise.of(found, "Ridge")
    table = found.problem.table
    for other in (
        problem(table.rows(0, 59), found.problem.target[:59]),
        problem(table.drop("b"), found.problem.target),
        problem(table, found.problem.target + 1e-9),
        problem(table, found.problem.target, sample_weight=np.full(60, 2.0)),
    ):
        assert last_verdict(other) is None


@pytest.mark.parametrize(
    "learners", [(learnt.Ridge(alpha=3.0), "MeanRegressor"), (learnt.Ridge(), learnt.Ridge(alpha=0.5))]
)
def test_a_learner_with_settings_of_its_own_is_not_kept_under_its_name(learners):
    found = compared(learners)
    keep_verdict(found)
    assert last_verdict(found.problem) is None


def test_a_tuned_learner_is_not_kept():
    found = compared(("MeanRegressor", "DecisionTreeRegressor"), tune=True)
    keep_verdict(found)
    assert last_verdict(found.problem) is None


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"learnt": "0.0.1", "learner": "Ridge"}', "[" * 100_000, '{"learner": "Ridge"}']
)
def test_a_record_that_cannot_be_trusted_is_none(content):
    found = compared()
    keep_verdict(found)
    (path,) = kept_folder().glob("*.verdict")
    path.write_text(content)
    assert last_verdict(found.problem) is None


def test_a_learner_that_there_is_not_is_not_found():
    found = compared()
    keep_verdict(found)
    (path,) = kept_folder().glob("*.verdict")
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "learner": "os.system"}))
    assert last_verdict(found.problem) is None


def test_a_home_that_cannot_be_written_to_keeps_nobody_from_comparing(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    found = compared()
    keep_verdict(found)
    assert last_verdict(found.problem) is None


def test_the_best_is_saved_fitted_to_all_rows(tmp_path):
    found = compared()
    save_best(found, tmp_path / "best.learnt", AS_FOUND)
    again = learnt.load(tmp_path / "best.learnt")
    by_hand = learnt.Ridge(alpha="loo", standardize=True).fit(found.problem.table, found.problem.target)
    np.testing.assert_allclose(again.coef_, by_hand.coef_)
    assert read_notes(tmp_path / "best.learnt") == notes_of("y", Promise.of(found, "Ridge"))


def test_notes_without_a_promise_hold_the_target_alone():
    assert notes_of("y", None) == {"target": "y"}
