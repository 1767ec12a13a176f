"""Folds of a vote that nobody runs: the mean of what its members answered there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnt.evaluate.comparison.running.runner import Runner
from learnt.evaluate.ensembling.mean_results import mean_result
from learnt.evaluate.folds import FoldResult


def votes_of(runner: Runner, runners: Sequence[Runner]) -> list[Runner]:
    """The votes that this learner is a member of and that still wait for folds."""
    return [other for other in runners if runner.candidate.name in other.candidate.members and not other.over]


def known_means(vote: Runner, runners: Sequence[Runner]) -> Iterator[FoldResult]:
    """The folds that all its members have finished and it has not, as they would answer together."""
    by_name = {runner.candidate.name: runner for runner in runners}
    members = [by_name[name] for name in vote.candidate.members]
    for place in members[0].results:
        if place not in vote.results and all(place in member.results for member in members):
            yield mean_result([member.results[place] for member in members], [1.0] * len(members))
