"""Folds of votes that nobody runs."""

from types import SimpleNamespace

import numpy as np

import learnt
from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.running.known_means import known_means, votes_of
from learnt.evaluate.comparison.running.runner import Runner
from learnt.evaluate.folds import FoldResult


def runner(name, members=()):
    learner = SimpleNamespace()
    return Runner(Candidate(name, learner, learner, members=members), name, 3)


def result(number, answer):
    return FoldResult(0, number, np.arange(2), np.array(answer), None, 1.0, 0.5, 10, 4)


def test_a_fold_is_known_when_all_members_have_it():
    a, b, vote = runner("a"), runner("b"), runner("vote", ("a", "b"))
    runners = [a, b, vote]
    a.results = {(0, 0): result(0, [1.0, 2.0]), (0, 1): result(1, [1.0, 1.0])}
    assert list(known_means(vote, runners)) == []
    b.results = {(0, 0): result(0, [3.0, 6.0])}
    (found,) = known_means(vote, runners)
    assert found.answer.tolist() == [2.0, 4.0]
    assert (found.number, found.fit_seconds, found.model_bytes) == (0, 2.0, 20)
    vote.results = {(0, 0): found}
    assert list(known_means(vote, runners)) == []
    assert vote.left == 0  # no worker is to be given its folds


def test_votes_that_are_over_wait_for_nobody():
    a, vote = runner("a"), runner("vote", ("a",))
    assert votes_of(a, [a, vote]) == [vote]
    vote.end("stopped")
    assert votes_of(a, [a, vote]) == []


def test_a_journal_keeps_what_votes_answered_too(tmp_path):
    names = ["GradientBoostingRegressor", "RandomForestRegressor", "ExtraTreesRegressor", "Ridge", "VotingRegressor"]
    cpu = learnt.datasets.cpu()
    first, again = (learnt.compare(cpu, learners=names, cv=3, n_jobs=1, resume=tmp_path / "folds") for _ in range(2))
    for run in (first, again):
        assert run.outcome("VotingRegressor").status == "done"
        assert run.outcome("VotingRegressor").members == tuple(names[:4])
    assert first.outcome("VotingRegressor").mean("rmse") == again.outcome("VotingRegressor").mean("rmse")
