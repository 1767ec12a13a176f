"""Running many learners on the same folds, in workers that stay, none holding up the rest.

Who is run when is decided in `schedule`; here is what becomes of it. Learners are run one after the other, not fold by
fold in turns: the table fills with finished rows soonest, and what a time budget cuts off is a few learners rather than
the last folds of everybody.
"""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from learnt.errors import WriteError
from learnt.evaluate.comparison.candidates import Candidate
from learnt.evaluate.comparison.outcome import Outcome, Status
from learnt.evaluate.comparison.running.first_look import LOOK_SECONDS, FirstLook, first_look
from learnt.evaluate.comparison.running.interrupts import Interrupts
from learnt.evaluate.comparison.running.known_means import known_means, votes_of
from learnt.evaluate.comparison.running.order import turn
from learnt.evaluate.comparison.running.progress import Progress
from learnt.evaluate.comparison.running.runner import Runner, describe_error
from learnt.evaluate.comparison.running.schedule import next_in_turn, patience, somebody_waits
from learnt.evaluate.comparison.scoring import Scorer
from learnt.evaluate.comparison.words import seconds as spoken
from learnt.evaluate.folds import Fold, FoldResult, run_fold
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers.cluster_pool import ClusterPool
from learnt.evaluate.workers.jobs import job_of
from learnt.evaluate.workers.pool import Assignment, Pool
from learnt.evaluate.workers.workers import Event, Failure, LearnerWarning, WorkerEnd

LIMIT = 300.0  # seconds a learner may take where no budget was given
TUNED_LIMIT = 3600.0  # the same where every fold searches settings as well
_ENDED = {"failed": "failed", "stopped": "was stopped", "skipped": "does not take part"}
BESIDE = 1.0  # seconds the baseline may take in this process while the first workers start


class Record(Protocol):
    """Where finished folds are kept for another time."""

    def results(self, key: str) -> list[FoldResult]: ...
    def append(self, key: str, result: FoldResult) -> None: ...


@dataclass
class Race:
    """Learners, the folds they are run on, the workers that run them, and the time they have."""

    problem: Problem
    folds: Callable[[], Iterator[Fold]]
    scorer: Scorer
    jobs: int
    pool: Pool | ClusterPool
    time_budget: float | None = None
    tuned: bool = False
    record: Record | None = None
    on_update: Callable[[Progress], Any] | None = None
    seed: int = 0
    begun: float = field(default_factory=time.monotonic)  # the clock of the budget, and of who looks on
    interrupted: bool = False
    _runners: list[Runner] = field(default_factory=list)
    _tasks: dict[Assignment, Runner] = field(default_factory=dict)
    _looks: dict[Assignment, Runner] = field(default_factory=dict)
    _look: FirstLook = field(default_factory=FirstLook)

    def run(self, candidates: Sequence[Candidate], keys: Sequence[str]) -> list[Outcome]:
        """What became of each candidate; `keys` are their names in the record. Ctrl-C ends the race only."""
        pairs = sorted(zip(candidates, keys, strict=True), key=lambda pair: turn(pair[0]))
        self._runners = [Runner(candidate, key, self.scorer.n_folds) for candidate, key in pairs]
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
            if runner.waiting and runner.complete:
                self._end(runner, "done")
            elif runner.results:
                self._tell(runner)
        for runner in self._runners:
            self._share(runner)

    def _go(self, interrupts: Interrupts) -> None:
        begun = time.monotonic()
        self._run_baseline_here(begun, most=1)  # a score to look at, before any worker is ready
        if self.on_update is not None and self._remaining() > 5 * LOOK_SECONDS:
            self._look = first_look(self.problem, self._runners, self.seed)
        self._give_work(leave_baseline=True)
        self._run_baseline_here(begun)
        self._give_work()
        while self.pool.n_busy and self._remaining() > 0:
            self._wait()
            interrupts.check()
            self._stop_the_late()
            self._give_work()

    def _run_baseline_here(self, begun: float, most: int | None = None) -> None:
        """Scores while workers are still starting; a table so large that this takes long is left to a worker."""
        for runner in self._runners:
            if not (runner.waiting and runner.candidate.at_home):
                continue
            runner.start()
            try:
                for fold in islice(self._missing(runner), most):
                    if time.monotonic() - begun > BESIDE and runner.results:
                        break
                    self._record_result(runner, run_fold(runner.candidate.learner, self.problem, fold))
            except Exception as error:
                self._end(runner, "failed", describe_error(type(error).__name__, str(error)))
            if runner.running:
                runner.pause()

    def _missing(self, runner: Runner) -> Iterator[Fold]:
        """The folds it has not finished yet."""
        return (fold for fold in self.folds() if (fold.repeat, fold.number) not in runner.results)

    def _give_work(self, leave_baseline: bool = False) -> None:
        """A fold for every worker that is free."""
        if self.pool.jobs is not None:
            self.jobs = self.pool.jobs
        while self.pool.n_busy < self.jobs and (remaining := self._remaining()) > 0:
            if (look := self._look.next_fold()) is not None:
                self._looks[self.pool.give(self.problem, look[1], look[2])] = look[0]
                continue
            there = [r for r in self._runners if not (leave_baseline and r.candidate.at_home)]
            runner = next_in_turn(there, self.jobs, remaining, time.monotonic())
            if runner is None:
                break
            self._give_fold(runner)
        for runner in self._runners:
            if runner.running and not runner.at_work:
                runner.pause()

    def _give_fold(self, runner: Runner) -> None:
        if not runner.running:
            runner.start(self._limit())
            budget = math.inf if self.time_budget is None else self.time_budget
            runner.patience = patience(self._runners, runner, self.jobs, budget, self._remaining())
            self._tell(runner)
        try:
            if runner.job is None:
                runner.job, runner.folds = job_of(runner.candidate.learner), self.folds()
            assignment = self.pool.give(self.problem, runner.job, runner.next_fold())
        except WriteError:  # what all of them need cannot be written
            raise
        except Exception as error:  # a splitter that fails, or what cannot be sent, fails like any other
            self._end(runner, "failed", describe_error(type(error).__name__, str(error)))
            return
        runner.at_work.append(assignment)
        self._tasks[assignment] = runner

    def _stop_all(self) -> None:
        """Nobody is left running, whatever happened; and nothing that was finished is lost."""
        self.pool.close()
        try:
            while True:
                self._heard(*self.pool.hear(0.0))
        except queue.Empty:
            pass
        for runner in self._runners:
            if not runner.over:
                self._end(runner, "stopped", self._why_stopped(runner))

    # Time

    def _remaining(self) -> float:
        return math.inf if self.time_budget is None else self.begun + self.time_budget - time.monotonic()

    def _limit(self) -> float:
        """Seconds for each learner; a budget is for all of them together."""
        return math.inf if self.time_budget is not None else TUNED_LIMIT if self.tuned else LIMIT

    def _why_stopped(self, runner: Runner) -> str:
        if self.interrupted or self._remaining() > 0:
            return "interrupted" if runner.begun else "interrupted before its turn"
        if not runner.begun:
            return "the time budget was spent before its turn"
        if runner.put_off:
            return "it was slower than its share of the time budget"
        if runner.waiting and runner.seconds:
            return f"the time budget was too short for it, at {spoken(runner.fold_seconds(0.0))} a fold"
        return "the time budget was spent"

    def _stop_the_late(self) -> None:
        now, remaining = time.monotonic(), self._remaining()
        if not self._look.over:
            self._look_on(now)
        for runner in self._runners:
            if not runner.running:
                continue
            if now >= runner.deadline:
                self._end(
                    runner, "stopped", f"it was slower than the {spoken(runner.deadline - runner.started)} it had"
                )
            elif any(now - a.started >= runner.patience for a in runner.at_work) and somebody_waits(
                self._runners, self.jobs, remaining, now
            ):
                self._put_off(runner)

    def _put_off(self, runner: Runner) -> None:
        """Others first; the folds it was at are begun again if time is left."""
        runner.put_off = True
        runner.again += [assignment.fold for assignment in runner.at_work]
        self._free_workers(runner)
        runner.pause()
        self._tell(runner)

    def _look_on(self, now: float) -> None:
        """The first look ends when nothing is left of it, or when it has taken long enough."""
        if now - self._look.begun > LOOK_SECONDS:
            self._look.waiting.clear()
            for assignment in self._looks:
                if now - assignment.started > LOOK_SECONDS:
                    self.pool.kill(assignment)
            self._looks = {a: runner for a, runner in self._looks.items() if not a.killed}
        if not (self._look.waiting or self._looks):
            self._look.over = True
            self._tell(self._runners[0], look_over=True)

    def _wait(self) -> None:
        """The next event, or until somebody may be late."""
        late = min((r.deadline for r in self._runners if r.running), default=math.inf) - time.monotonic()
        pause = 0.5 if self.pool.n_busy >= self.jobs else 0.1  # an idle worker may be of help soon
        try:
            self._heard(*self.pool.hear(max(0.0, min(late, self._remaining(), pause))))
        except queue.Empty:
            return

    # What is heard of a learner

    def _heard(self, assignment: Assignment, event: Event) -> None:
        if assignment in self._looks:
            self._seen(assignment, event)
            return
        runner = self._tasks.get(assignment)
        if runner is None:
            return
        if isinstance(event, LearnerWarning):
            if event.text not in runner.warnings:
                runner.warnings.append(event.text)
            return
        del self._tasks[assignment]
        runner.at_work = [other for other in runner.at_work if other is not assignment]
        if isinstance(event, FoldResult):
            self._finished_fold(runner, assignment, event)
        elif isinstance(event, Failure) and not runner.over:
            where = "" if event.fold is None else f" (fold {event.fold[1]} of repeat {event.fold[0]})"
            self._end(runner, "failed", describe_error(event.type_name, event.message) + where)
        elif isinstance(event, WorkerEnd) and not (assignment.killed or runner.over or self.pool.closed):
            words = f"; it printed last: {event.last_words.splitlines()[-1]}" if event.last_words else ""
            self._end(runner, "failed", f"its process ended early, {event.why}{words}")

    def _finished_fold(self, runner: Runner, assignment: Assignment, result: FoldResult) -> None:
        """Kept even if the learner was stopped just now; a learner that failed stays so."""
        if runner.over and runner.status != "stopped":
            return
        place = (result.repeat, result.number)
        runner.again = [fold for fold in runner.again if (fold.repeat, fold.number) != place]
        runner.seconds.append(time.monotonic() - assignment.started)
        runner.put_off = runner.put_off and assignment.killed
        if place not in runner.results:
            self._record_result(runner, result)

    def _seen(self, assignment: Assignment, event: Event) -> None:
        """A fold of the first look; whoever fails there will do so again on the folds that count."""
        if isinstance(event, LearnerWarning):
            return
        runner = self._looks.pop(assignment)
        if isinstance(event, FoldResult):
            try:
                runner.looks.append(self.scorer.score(self.scorer.metrics[0], self.scorer.decided_result(event)))
            except Exception:  # a metric of the user's; the folds that count will say why
                return
            self._tell(runner)

    def _record_result(self, runner: Runner, result: FoldResult) -> None:
        if self.record is not None:
            self.record.append(runner.key, result)
        self._keep(runner, result)
        if runner.status == "failed":
            return
        if runner.running:
            self._tell(runner)
        if runner.complete:
            self._end(runner, "done")
        self._share(runner)

    def _share(self, runner: Runner) -> None:
        """What a member has answered is known of the votes it stands in too, where the others have answered as well."""
        for vote in votes_of(runner, self._runners) if runner.results else []:
            for result in known_means(vote, self._runners):
                self._record_result(vote, result)

    def _keep(self, runner: Runner, result: FoldResult) -> None:
        try:
            runner.keep(result, self.scorer)
        except Exception as error:  # answers that no metric can judge, or a metric of the user's that fails
            self._end(runner, "failed", "it cannot be scored: " + describe_error(type(error).__name__, str(error)))

    def _end(self, runner: Runner, status: Status, why: str = "") -> None:
        runner.end(status, why)
        if status != "done":
            for vote in votes_of(runner, self._runners):
                self._end(vote, status, f"{runner.candidate.name}, one of its members, {_ENDED[status]}")
        self._free_workers(runner)
        if runner.job is not None:
            self.pool.retire(runner.job)
        self._tell(runner)

    def _free_workers(self, runner: Runner) -> None:
        for assignment in runner.at_work:
            self.pool.kill(assignment)
        runner.at_work = []

    def _tell(self, changed: Runner, look_over: bool = False) -> None:
        if self.on_update is not None:
            metric, seconds = self.scorer.metrics[0], time.monotonic() - self.begun
            lines = tuple(runner.line() for runner in self._runners)
            place = next(i for i, runner in enumerate(self._runners) if runner is changed)
            self.on_update(
                Progress(
                    lines,
                    place,
                    self.scorer.n_folds,
                    seconds,
                    metric.name,
                    metric.higher_is_better,
                    self._look.rows,
                    look_over,
                )
            )
