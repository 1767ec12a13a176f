"""Votes whose members take part in the comparison themselves: what they answer is the mean of what is known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from learnt.evaluate.journal import settings_key

if TYPE_CHECKING:
    from learnt.evaluate.comparison.candidates import Candidate
    from learnt.evaluate.problem import Problem

#: The automatic votes: without settings they take members of their own.
VOTES = ("VotingClassifier", "VotingRegressor")


def sees_other_columns(name: str, problem: Problem) -> str:
    """Why the automatic vote is not asked unless it is named: it would fit all its members anew."""
    if name not in VOTES or (problem.table.sparse is None and "text" not in problem.table.kinds.values()):
        return ""
    return (
        "its members are set otherwise for words and sparse columns, and all would be fitted anew; name it to have it"
    )


def with_known_members(candidates: Sequence[Candidate], problem: Problem) -> list[Candidate]:
    """The candidates, automatic votes with the names of those they are the mean of, where all of these take part.

    A member fitted to the rows of a fold with the same settings is the same model, so that its answers need not be
    asked for twice.
    """
    by_settings = {settings_key(c.learner): c.name for c in candidates if not c.skip}
    return [replace(c, members=_known_members(c, by_settings, problem)) for c in candidates]


def _known_members(candidate: Candidate, by_settings: dict[str, str], problem: Problem) -> tuple[str, ...]:
    vote: Any = candidate.learner
    if candidate.skip or type(vote).__name__ not in VOTES or not type(vote).__module__.startswith("learnt."):
        return ()
    if settings_key(vote) != settings_key(type(vote)()) or sees_other_columns(type(vote).__name__, problem):
        return ()
    few, many = (_settings(vote, n_rows, problem) for n_rows in (0, None))
    if few != many:  # the members depend on how many rows a fold has
        return ()
    names = [by_settings.get(settings) for settings in many]
    return tuple(name for name in names if name is not None) if None not in names else ()


def _settings(vote: Any, n_rows: int | None, problem: Problem) -> list[str]:
    return [settings_key(learner) for _, learner in vote._default_learners(n_rows, problem.table.schema)]
