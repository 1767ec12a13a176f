"""Running many learners on the same folds: one process each, cheap ones first, none holding up the rest.

Learners are run one after the other by expected cost, not fold by fold in turns: a cheap learner has all its folds
in a moment, so the table fills with finished rows soonest, and what a time budget cuts off is a few expensive learners
rather than the last folds of everybody.
"""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.interrupts import Interrupts
from learnt.evaluate.comparison.outcome import Outcome, Status
from learnt.evaluate.comparison.progress import Progress
from learnt.evaluate.comparison.runner import Runner, describe_error
from learnt.evaluate.comparison.scoring import Scorer
from learnt.evaluate.comparison.words import seconds as spoken
from learnt.evaluate.folds import Fold, FoldResult, run_fold
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers.shared import SharedProblem
from learnt.evaluate.workers.workers import Event, Failure, Inbox, LearnerWarning, Worker, WorkerEnd

LIMIT = 300.0  # seconds a learner may take where no budget was given
TUNED_LIMIT = 3600.0  # the same where every fold searches settings as well
BESIDE = 1.0  # seconds the baseline may take in this process while the first workers start


class Record(Protocol):
    """Where finished folds are kept for another time."""

    def results(self, key: str) -> list[FoldResult]: ...
    def append(self, key: str, result: FoldResult) -> None: ...


@dataclass
class Race:
    """Learners, the folds they are run on, and the time they have."""

    problem: Problem
    folds: Callable[[], Iterator[Fold]]
    scorer: Scorer
    jobs: int
    time_budget: float | None = None
    tuned: bool = False
    record: Record | None = None
    on_update: Callable[[Progress], Any] | None = None
    interrupted: bool = False
    _runners: list[Runner] = field(default_factory=list)
    _inbox: Inbox = field(default_factory=queue.SimpleQueue)
    _shared: SharedProblem | None = None
    _begun: float = field(default_factory=time.monotonic)

    def run(self, candidates: Sequence[Candidate], keys: Sequence[str]) -> list[Outcome]:
        """What became of each candidate; `keys` are their names in the record. Ctrl-C ends the race only."""
        pairs = sorted(zip(candidates, keys, strict=True), key=lambda pair: (pair[0].cost, pair[0].name))
        self._runners = [Runner(candidate, key) for candidate, key in pairs]
        try:
            with Interrupts() as interrupts:
                self._skip_and_recall()
                self._go(interrupts)
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self.on_update = None  # who looked on may be the one who raised, and would again
            self._stop_all()
        return [runner.outcome(self.scorer) for runner in self._runners]

    # From start to end

    def _skip_and_recall(self) -> None:
        """Leave out who does not fit, and take over what the record holds."""
        for runner in self._runners:
            if runner.candidate.skip:
                self._end(runner, "skipped", runner.candidate.skip)
                continue
            for result in [] if self.record is None else self.record.results(runner.key):
                self._keep(runner, result)
            if runner.waiting and len(runner.results) == self.scorer.n_folds:
                self._end(runner, "done")
            elif runner.results:
                self._tell(runner)

    def _go(self, interrupts: Interrupts) -> None:
        self._run_baseline_here(most=1)  # a score to look at, before any process is started
        self._start_workers(leave_baseline=True)
        self._run_baseline_here()
        self._start_workers()
        while any(runner.running for runner in self._runners):
            self._wait()
            interrupts.check()
            self._stop_the_late()
            self._start_workers()

    def _run_baseline_here(self, most: int | None = None) -> None:
        """Scores while workers are still starting; a table so large that this takes long is left to a worker."""
        for runner in self._runners:
            if not (runner.waiting and runner.candidate.at_home):
                continue
            runner.start()
            try:
                for fold in islice(self._missing(runner), most):
                    if time.monotonic() - self._begun > BESIDE and runner.results:
                        break
                    self._record_result(runner, run_fold(runner.candidate.learner, self.problem, fold))
            except Exception as error:
                self._end(runner, "failed", describe_error(type(error).__name__, str(error)))
            if runner.running and len(runner.results) == self.scorer.n_folds:
                self._end(runner, "done")
            elif runner.running:
                runner.pause()

    def _start_workers(self, leave_baseline: bool = False) -> None:
        """As many at once as there are cores; each is told how much time it has."""
        waiting = [r for r in self._runners if r.waiting and not (leave_baseline and r.candidate.at_home)]
        if self._remaining() <= 0:
            for runner in waiting:
                self._end(runner, "stopped", "the time budget was spent before its turn")
            return
        free = self.jobs - sum(runner.running for runner in self._runners)
        for runner in waiting[: max(free, 0)]:
            self._start(runner)

    def _start(self, runner: Runner) -> None:
        runner.start(self._share())
        self._tell(runner)
        try:
            if self._shared is None:
                self._shared = SharedProblem(self.problem)
            runner.worker = Worker(self._shared, runner.candidate.learner, self._missing(runner), self._inbox)
        except Exception as error:  # what cannot be sent to a process fails like any other
            self._end(runner, "failed", describe_error(type(error).__name__, str(error)))

    def _missing(self, runner: Runner) -> Iterator[Fold]:
        """The folds it has not finished yet."""
        return (fold for fold in self.folds() if (fold.repeat, fold.number) not in runner.results)

    def _stop_all(self) -> None:
        """Nobody is left running, whatever happened."""
        workers = [runner.worker for runner in self._runners if runner.worker is not None]
        for worker in workers:
            worker.kill()
        for runner in self._runners:
            if runner.running:
                self._end(runner, "stopped", "interrupted")
            elif runner.waiting:
                self._end(runner, "stopped", "interrupted before its turn")
        for worker in workers:
            worker.join(10)
        if self._shared is not None:
            self._shared.close()

    # Time

    def _remaining(self) -> float:
        return math.inf if self.time_budget is None else self._begun + self.time_budget - time.monotonic()

    def _share(self) -> float:
        """Seconds for the next learner: its share of what is left, if all others to come took theirs as well."""
        if self.time_budget is None:
            return TUNED_LIMIT if self.tuned else LIMIT
        to_come = 1 + sum(runner.waiting for runner in self._runners)  # it has just left those who wait
        return self._remaining() * min(1.0, self.jobs / to_come)

    def _stop_the_late(self) -> None:
        spent = self._remaining() <= 0
        for runner in self._runners:
            if runner.running and runner.worker is not None and (spent or time.monotonic() > runner.deadline):
                runner.worker.kill()
                limit = spoken(runner.deadline - runner.started)
                why = "the time budget was spent" if spent else f"it was slower than the {limit} it had"
                self._end(runner, "stopped", why)

    def _wait(self) -> None:
        """The next event, or until somebody is late."""
        late = min(runner.deadline for runner in self._runners if runner.running) - time.monotonic()
        try:
            worker, event = self._inbox.get(timeout=max(0.0, min(late, self._remaining(), 0.5)))
        except queue.Empty:
            return
        for runner in self._runners:
            if runner.worker is worker and runner.running:
                self._heard(runner, event)

    # What is heard of a learner

    def _heard(self, runner: Runner, event: Event) -> None:
        if isinstance(event, FoldResult):
            self._record_result(runner, event)
        elif isinstance(event, LearnerWarning):
            if event.text not in runner.warnings:
                runner.warnings.append(event.text)
        elif isinstance(event, Failure):
            where = "" if event.fold is None else f" (fold {event.fold[1]} of repeat {event.fold[0]})"
            self._end(runner, "failed", describe_error(event.type_name, event.message) + where)
        elif isinstance(event, WorkerEnd):
            if len(runner.results) == self.scorer.n_folds:
                self._end(runner, "done")
                return
            words = f"; it printed last: {event.last_words.splitlines()[-1]}" if event.last_words else ""
            self._end(runner, "failed", f"its process ended early, {event.why}{words}")

    def _record_result(self, runner: Runner, result: FoldResult) -> None:
        if self.record is not None:
            self.record.append(runner.key, result)
        self._keep(runner, result)
        if runner.running:
            self._tell(runner)

    def _keep(self, runner: Runner, result: FoldResult) -> None:
        try:
            runner.keep(result, self.scorer)
        except Exception as error:  # answers that no metric can judge, or a metric of the user's that fails
            self._end(runner, "failed", "it cannot be scored: " + describe_error(type(error).__name__, str(error)))
            if runner.worker is not None:
                runner.worker.kill()

    def _end(self, runner: Runner, status: Status, why: str = "") -> None:
        runner.end(status, why)
        self._tell(runner)

    def _tell(self, changed: Runner) -> None:
        if self.on_update is not None:
            metric, seconds = self.scorer.metrics[0], time.monotonic() - self._begun
            lines = tuple(runner.line() for runner in self._runners)
            place = next(i for i, runner in enumerate(self._runners) if runner is changed)
            self.on_update(Progress(lines, place, self.scorer.n_folds, seconds, metric.name, metric.higher_is_better))
