"""A first look at a large table: a ranking within seconds, on a small sample, before the folds are run.

It is for whoever looks on, and no part of the result.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from learnt.evaluate.comparison.running.runner import Runner
from learnt.evaluate.comparison.running.sampling import folds_of_sample
from learnt.evaluate.folds import Fold
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers.jobs import Job, job_of

LOOK_FROM = 10_000  # rows of a table that is worth a first look
LOOK_ROWS = 2_000
LOOK_FOLDS = 3
LOOK_SECONDS = 3.0  # after which no more folds of it are begun, and learners that are still at one are stopped
MOST_COST = 100.0  # `fit_cost` of learners that take part


@dataclass
class FirstLook:
    """The folds of a small sample that are still to be looked at: the first of every learner, then the second."""

    rows: int = 0
    begun: float = field(default_factory=time.monotonic)
    over: bool = True
    waiting: deque[tuple[Runner, Job, Fold]] = field(default_factory=deque)

    def next_fold(self) -> tuple[Runner, Job, Fold] | None:
        """The next one of a learner that is still in the race."""
        while self.waiting:
            runner, job, fold = self.waiting.popleft()
            if not runner.over:
                return runner, job, fold
        return None


def first_look(problem: Problem, runners: Sequence[Runner], seed: int) -> FirstLook:
    """What to look at: learnt's own strong learners and first answers; without any of those, all but the slowest.

    They are taken as they are, without a search of settings.
    """
    if problem.n_rows <= LOOK_FROM or problem.groups is not None:
        return FirstLook()
    cut = list(folds_of_sample(problem, LOOK_ROWS, LOOK_FOLDS, 1, seed))
    field = [
        (r, job_of(r.candidate.plain))
        for r in runners
        if not (r.over or r.results or r.candidate.at_home or r.candidate.members)
    ]
    taking_part = [(runner, job) for runner, job in field if job.ours and runner.candidate.cost <= MOST_COST]
    strong = [(runner, job) for runner, job in taking_part if runner.strong]
    waiting = deque((runner, job, fold) for fold in cut for runner, job in strong or taking_part)
    return FirstLook(LOOK_ROWS, over=not waiting, waiting=waiting)
