"""A comparison on the workers of a cluster: what it finds at home, with its journal, its limits and Ctrl-C."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from tests.evaluate.workers import misbehaving
from tests.evaluate.workers.test_cluster_pool import sessions

import learnt
from learnt import datasets
from learnt.evaluate.comparison.entry import compare
from learnt.evaluate.comparison.running import race, runner

pytestmark = [pytest.mark.costly, pytest.mark.usefixtures("forked_workers")]

LEARNERS = ["MajorityClassifier", "NaiveBayesClassifier", "DecisionTreeClassifier", "VotingClassifier"]


def assert_same_outcomes(one, other):
    assert [(o.name, o.status) for o in one.outcomes] == [(o.name, o.status) for o in other.outcomes]
    for left in one.outcomes:
        right = other.outcome(left.name)
        for metric, scores in left.scores.items():
            np.testing.assert_array_equal(scores, right.scores[metric])


def test_a_comparison_on_a_cluster_finds_the_bits_of_one_at_home(small_cluster):
    here = compare(datasets.labor(), learners=LEARNERS, cv=3)
    there = compare(datasets.labor(), learners=LEARNERS, cv=3, cluster=small_cluster)
    assert_same_outcomes(here, there)
    assert str(there.verdict) == str(here.verdict)
    assert there.command == here.command
    assert sessions(small_cluster) == 0


def test_a_journal_of_a_cluster_is_gone_on_with_at_home_and_the_other_way_round(small_cluster, tmp_path):
    first = compare(datasets.labor(), learners=LEARNERS[:3], cv=3, cluster=small_cluster, resume=tmp_path / "j")
    seen = []
    again = compare(datasets.labor(), learners=LEARNERS[:3], cv=3, resume=tmp_path / "j", on_update=seen.append)
    assert_same_outcomes(first, again)
    assert all(line.seconds == 0.0 for line in seen[-1].lines)  # none was run again
    more = compare(datasets.labor(), learners=LEARNERS, cv=3, resume=tmp_path / "j", cluster=small_cluster)
    assert_same_outcomes(more, compare(datasets.labor(), learners=LEARNERS, cv=3))


def test_a_budget_ends_what_hangs_and_nothing_is_left_running(small_cluster, monkeypatch):
    ahead = 0.0  # seconds by which the clock of the race is fast: nobody waits for a budget, however busy the machine
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead)
    for module in (race, runner):
        monkeypatch.setattr(module, "time", clock)

    def turn_the_clock(progress):
        nonlocal ahead
        if any(line.name == "quick" and line.status == "done" for line in progress.lines):
            ahead = 10_000.0

    learners = {"quick": learnt.NaiveBayesClassifier(), "hanging": misbehaving._Hanging()}
    settings = {"time_budget": 3600, "cluster": small_cluster, "on_update": turn_the_clock}
    found = compare(datasets.labor(), learners=learners, cv=3, **settings)
    assert {o.name: o.status for o in found.outcomes} == {"quick": "done", "hanging": "stopped"}
    assert "budget" in found.outcome("hanging").why
    assert sessions(small_cluster) == 0


def test_ctrl_c_gives_the_results_so_far_and_frees_the_workers(small_cluster):
    def interrupt(progress):
        if progress.line.name == "quick" and progress.line.status == "done":
            raise KeyboardInterrupt

    learners = {"quick": learnt.NaiveBayesClassifier(), "hanging": misbehaving._Hanging()}
    found = compare(datasets.labor(), learners=learners, cv=3, cluster=small_cluster, on_update=interrupt)
    assert found.interrupted
    assert found.outcome("quick").status == "done"
    assert found.outcome("hanging").why.startswith("interrupted")
    assert sessions(small_cluster) == 0
    assert small_cluster.submit(sum, [1, 2], pure=False).result(timeout=60) == 3


def test_settings_are_searched_on_the_cluster_as_at_home(small_cluster):
    settings = {"learners": ["DecisionTreeClassifier"], "cv": 2, "tune": True}
    assert_same_outcomes(
        compare(datasets.iris(), **settings), compare(datasets.iris(), **settings, cluster=small_cluster)
    )
