"""A race without processes or waiting: a clock that is set, and folds that take as long as their learner says."""

from __future__ import annotations

import math
import queue
from types import SimpleNamespace

from learnt import datasets
from learnt.baseline import MajorityClassifier
from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.running import first_look, race, runner
from learnt.evaluate.comparison.scoring import Scorer, chosen_metrics
from learnt.evaluate.folds import folds, run_fold
from learnt.evaluate.problem import problem
from learnt.evaluate.workers.pool import Assignment

IRIS = problem(datasets.iris())
METRICS = chosen_metrics(None, IRIS, None)


def learner(name, seconds):
    """A candidate whose folds take so many seconds; its class is called as it is, and not registered."""
    made = type(name, (), {"seconds": seconds, "fit_cost": 10.0, "__module__": "learnt.simulated"})()
    return Candidate(name, made, made)


class Workers:
    """Stands in for a `Pool`: what it was given, when, and what is to be heard of it."""

    jobs = None

    def __init__(self, clock):
        self.clock, self.closed, self.given, self._busy, self._late = clock, False, [], [], []

    @property
    def n_busy(self):
        return len(self._busy)

    def give(self, task, job, fold):
        worker = SimpleNamespace()
        assignment = Assignment(job, fold, worker, self.clock.now)
        assignment.ends = self.clock.now + job.learner.seconds
        self.given.append(assignment)
        self._busy.append(assignment)
        return assignment

    def hear(self, timeout):
        if self._late:
            return self._late.pop(0)
        first = min(self._busy, key=lambda a: a.ends, default=None)
        if first is None or first.ends > self.clock.now + timeout:
            self.clock.now += timeout
            raise queue.Empty
        self.clock.now = max(self.clock.now, first.ends)
        self._busy.remove(first)
        return first, run_fold(MajorityClassifier(), IRIS, first.fold)

    def kill(self, assignment):
        assignment.killed = True
        assignment.stopped = self.clock.now
        if assignment in self._busy:
            self._busy.remove(assignment)

    def retire(self, job):
        """Nothing to do."""

    def close(self):
        """What ended at this very moment had been sent before its process was."""
        self.closed = True
        ended = [a for a in self._busy if a.ends <= self.clock.now]
        self._late += [(a, run_fold(MajorityClassifier(), IRIS, a.fold)) for a in ended]
        self._busy = []

    def worked(self, end):
        """Seconds that workers had a fold, all of them together."""
        return sum(min(a.ends, getattr(a, "stopped", math.inf), end) - a.started for a in self.given)


def run_race(monkeypatch, candidates, *, budget=None, jobs=2, cv=10, on_update=None):
    """Outcomes by name, and the workers."""
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    for module in (race, runner, first_look):
        monkeypatch.setattr(module, "time", clock)
    cut = list(folds(IRIS, cv))
    scorer = Scorer(IRIS, METRICS, None, [(f.repeat, f.number) for f in cut])
    workers = Workers(clock)
    ran = race.Race(IRIS, lambda: iter(cut), scorer, jobs, workers, budget, on_update=on_update, begun=0.0)
    outcomes = ran.run(candidates, [c.name for c in candidates])
    return {o.name: o for o in outcomes}, workers
