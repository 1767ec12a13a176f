"""Workers that stay, and take one fold after the other of any learner that may share a process.

Starting a Python and loading learnt costs more than many a learner does, so workers are kept. A learner that crashes,
hangs or is killed costs its own worker only: the next fold finds another, or a new one.
"""

from __future__ import annotations

import queue
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from learnt.evaluate.closing import Closing
from learnt.evaluate.folds import Fold, FoldResult
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers.jobs import Job
from learnt.evaluate.workers.shared import SharedProblem
from learnt.evaluate.workers.workers import Event, Failure, Inbox, Worker, WorkerEnd
from learnt.leftovers import ScratchFolder


@dataclass(eq=False)
class Assignment:
    """A fold of a learner in the hands of a worker."""

    job: Job
    fold: Fold
    worker: Any
    started: float = field(default_factory=time.monotonic)
    killed: bool = False
    retried: bool = False  # by another worker, since the first was gone before it took the fold


class Pool(Closing):
    """Gives folds to workers and hears what became of them. Leaving its `with` block ends all of them.

    `lent` is a folder in which another holds the problem; without one, the pool writes it into a folder of its own.
    """

    #: How many folds may be run at once, where that hangs on machines that come and go; None: whoever gives them says.
    jobs: int | None = None

    def __init__(self, lent: Path | None = None) -> None:
        self._lent = lent
        self._scratch = ScratchFolder()
        self.folder = self._scratch.path
        self._inbox: Inbox = queue.SimpleQueue()
        self._workers: list[Worker] = []
        self._given: dict[Worker, Assignment] = {}
        self._shared: tuple[Problem, SharedProblem] | None = None
        self.closed = False

    @property
    def n_busy(self) -> int:
        """How many workers have a fold to do."""
        return sum(not assignment.killed for assignment in self._given.values())

    def warm(self, n: int) -> None:
        """Start so many workers that any of learnt's learners may use, ahead of their first fold."""
        for _ in range(n):
            self._start(None)

    def give(self, problem: Problem, job: Job, fold: Fold) -> Assignment:
        """Hand a fold to a worker that waits, or to a new one."""
        if self._lent is None and (self._shared is None or self._shared[0] is not problem):
            self._shared = (problem, SharedProblem(problem, self.folder))
        assignment = Assignment(job, fold, self._worker_for(job))
        self._hand_over(assignment)
        return assignment

    def hear(self, timeout: float | None = None) -> tuple[Assignment, Event]:
        """The next event of a fold; queue.Empty after so many seconds without one.

        A fold whose worker was gone before it took it is given to another, and nothing is said of it.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            worker, event = self._inbox.get(timeout=left) if left != 0.0 else self._inbox.get_nowait()
            assignment = self._given.get(worker)
            if isinstance(event, WorkerEnd):
                self._workers = [other for other in self._workers if other is not worker]
            if isinstance(event, FoldResult | Failure | WorkerEnd):
                self._given.pop(worker, None)
            if assignment is None:
                continue
            lost = isinstance(event, WorkerEnd) and not event.taken
            if lost and not (assignment.killed or assignment.retried or self.closed):
                assignment.retried, assignment.worker = True, self._worker_for(assignment.job)
                self._hand_over(assignment)
                continue
            return assignment, event

    def kill(self, assignment: Assignment) -> None:
        """End the worker that has this fold; what it had sent before is still heard."""
        assignment.killed = True
        assignment.worker.kill()

    def retire(self, job: Job) -> None:
        """This learner is through: processes that serve no other end."""
        for worker in self._workers:
            if worker.only_for is job:
                worker.end()

    def close(self) -> None:
        """End all processes and remove their files; what they had sent can still be heard."""
        self.closed = True
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.join(10)
        if self._shared is not None:
            self._shared[1].close()
        self._scratch.close()

    def _hand_over(self, assignment: Assignment) -> None:
        folder = self._lent
        if folder is None:
            assert self._shared is not None
            folder = self._shared[1].folder
        self._given[assignment.worker] = assignment
        assignment.worker.give(folder, assignment.job, assignment.fold)

    def _worker_for(self, job: Job) -> Worker:
        """One that waits, best with this learner in its hands; foreign learners have workers of their own."""
        only_for = None if job.ours else job
        idle = [w for w in self._workers if w not in self._given and w.only_for is only_for]
        return min(idle, key=lambda worker: worker.job is not job) if idle else self._start(only_for)

    def _start(self, only_for: Job | None) -> Worker:
        worker = Worker(self.folder, self._inbox, only_for)
        self._workers.append(worker)
        return worker
