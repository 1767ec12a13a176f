"""Workers of a Dask cluster that take one fold after the other: what `Pool` is for processes beside this one.

The problem goes to each worker once, a learner with each of its folds. A worker that dies costs nothing but time: its
folds are given to others. Results do not depend on who had which fold.
"""

from __future__ import annotations

import contextlib
import queue
import time
import zlib
from collections import Counter, deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np

from learnt.engine.cluster.context import dask_workers
from learnt.engine.cluster.payload import LARGE, packed
from learnt.engine.cluster.tasks import Ended, Tasks, is_loss
from learnt.errors import ClusterError, LearntError
from learnt.evaluate.closing import Closing
from learnt.evaluate.folds import Fold, FoldResult
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers import cluster_session
from learnt.evaluate.workers.jobs import Job
from learnt.evaluate.workers.pool import Assignment
from learnt.evaluate.workers.workers import Event, Failure, WorkerEnd

#: So many workers may be lost with a fold before it is taken for the reason.
MOST_LOST = 3


@dataclass(eq=False, kw_only=True)
class ClusterAssignment(Assignment):
    """A fold of a learner in the hands of a worker of the cluster, which is known by its address."""

    number: int
    problem: Problem
    task: Any = None  # the future
    lost: set[str] = field(default_factory=set)  # workers that died with it


class ClusterPool(Closing):
    """Gives folds to the workers of a cluster and hears what became of them. Leaving its `with` block ends them."""

    def __init__(self, client: Any, n_jobs: int | None = None) -> None:
        dask_workers(client)
        self.closed = False
        self._client = client
        self._most = n_jobs
        self._tasks = Tasks(client)
        self._name = f"learnt-comparison-{uuid4().hex}"
        self._count = 0
        self._given: dict[int, ClusterAssignment] = {}
        self._by_key: dict[str, ClusterAssignment] = {}
        self._heard: deque[tuple[ClusterAssignment, Event]] = deque()
        self._jobs: dict[Job, tuple[str, bytes, bool]] = {}
        self._data: dict[Hashable, Any] = {}  # what was sent to the cluster, by what it is: futures

    @property
    def jobs(self) -> int:
        """A fold for each thread of each worker that is there, or as many as were asked for."""
        there = max(sum(self._tasks.some_workers().values()), 1)
        return there if self._most is None else min(there, self._most)

    @property
    def n_busy(self) -> int:
        """How many folds are being done."""
        return sum(not assignment.killed for assignment in self._given.values())

    def warm(self, n: int) -> None:
        """Nothing is started ahead: the workers are there."""

    def give(self, problem: Problem, job: Job, fold: Fold) -> Assignment:
        """Hand a fold to the worker that has the most threads free."""
        self._count += 1
        assignment = ClusterAssignment(job=job, fold=fold, worker="", number=self._count, problem=problem)
        self._hand_over(assignment)
        return assignment

    def hear(self, timeout: float | None = None) -> tuple[Assignment, Event]:
        """The next event of a fold; queue.Empty after so many seconds without one."""
        deadline = np.inf if timeout is None else time.monotonic() + timeout

        def enough() -> bool:
            self._look_after_the_lost()
            return bool(self._heard) or time.monotonic() >= deadline

        if not self._heard and not self.closed:
            for ended in self._tasks.ended(enough):
                self._take(ended)
                if self._heard:
                    break
        if not self._heard:
            raise queue.Empty
        assignment, event = self._heard.popleft()
        if isinstance(event, FoldResult | Failure | WorkerEnd):
            self._given.pop(assignment.number, None)
        return assignment, event

    def kill(self, assignment: Assignment) -> None:
        """End the process that has this fold; what it had sent before is still heard."""
        assignment.killed = True
        for number in [number for number, given in self._given.items() if given is assignment]:
            self._tasks.everywhere(cluster_session.stop_fold, self._name, number)

    def retire(self, job: Job) -> None:
        """This learner is through: processes that serve no other end."""
        sent = self._jobs.pop(job, None)
        if sent is not None and not job.ours and not self.closed:
            self._tasks.everywhere(cluster_session.retire_job, self._name, sent[0])

    def close(self) -> None:
        """End whatever runs, free what the workers hold; what they had sent can still be heard."""
        if self.closed:
            return
        self.closed = True
        with contextlib.suppress(ClusterError):  # the scheduler is gone, and has been told of
            while self._take_one():
                pass
        self._tasks.close()
        self._tasks.everywhere(cluster_session.close_session, self._name)
        self._data.clear()
        self._given.clear()

    def _take_one(self) -> bool:
        """What has ended by now."""
        for ended in self._tasks.ended(lambda: True):
            self._take(ended)
            return True
        return False

    # Tasks

    def _hand_over(self, assignment: ClusterAssignment) -> None:
        assignment.worker = self._freest()
        job = self._jobs.get(assignment.job)
        if job is None:
            data = packed(assignment.job.learner) if assignment.job.packed is None else assignment.job.packed
            job = self._jobs[assignment.job] = uuid4().hex, data, assignment.job.ours
        task = self._tasks.send(
            "learnt-fold",
            cluster_session.evaluate,
            self._name,
            self._sent("problem", assignment.problem, broadcast=True),
            assignment.number,
            job,
            self._fold(assignment.fold),
            at=assignment.worker,
        )
        assignment.task = task
        self._given[assignment.number] = self._by_key[task.key] = assignment

    def _freest(self) -> str:
        threads = self._tasks.some_workers()
        given = Counter(a.worker for a in self._given.values() if not a.killed)
        return max(sorted(threads), key=lambda address: threads[address] - given[address])

    def _fold(self, fold: Fold) -> Any:
        """A fold as an argument: of a large table its row numbers are sent once, for all learners."""
        if fold.train.nbytes + fold.test.nbytes <= LARGE:
            return fold
        rows = zlib.crc32(fold.test.tobytes()), len(fold.train), len(fold.test)
        return self._sent((fold.repeat, fold.number, fold.seed, *rows), fold)

    def _sent(self, name: Hashable, value: Any, *, broadcast: bool = False) -> Any:
        """Data of the cluster; sent anew where all workers that had it are gone."""
        known = self._data.get(name)
        if known is None or known.status in ("lost", "cancelled", "error"):
            known = self._client.scatter(value, hash=False, broadcast=broadcast)
            self._data[name] = known
        return known

    def _take(self, ended: Ended) -> None:
        """What came of a task: events of its fold, or the loss of its worker."""
        future, events, error = ended
        assignment = self._by_key.pop(future.key, None)
        if assignment is None:
            return
        if error is None:
            if not events:  # stopped before it was begun
                events = [WorkerEnd(0, "", taken=False)]
            self._heard.extend((assignment, event) for event in events)
        elif is_loss(error):  # of its worker, or of what only another had
            if assignment.worker not in self._tasks.threads(now=True):
                assignment.lost.add(assignment.worker)
            self._give_again(assignment)
        elif isinstance(error, LearntError):
            raise error
        else:
            raise ClusterError(
                f"The worker {assignment.worker} could not run a fold: {type(error).__name__}: {error}. "
                "Its log says more. Workers need the packages, and the version of learnt, that are here."
            ) from error

    def _look_after_the_lost(self) -> None:
        """Folds whose worker is gone are given to others."""
        there = self._tasks.threads()
        lost = [assignment for assignment in self._by_key.values() if assignment.worker not in there]
        self._tasks.cancel([assignment.task for assignment in lost])
        for assignment in lost:
            del self._by_key[assignment.task.key]
        for assignment in lost:
            assignment.lost.add(assignment.worker)
            self._give_again(assignment)

    def _give_again(self, assignment: ClusterAssignment) -> None:
        """To a worker that is there, unless it is through, or has taken one worker after the other along."""
        if self.closed:
            return
        if assignment.killed:
            self._heard.append((assignment, WorkerEnd(-9, "", taken=False)))
        elif len(assignment.lost) >= MOST_LOST:
            words = f"{MOST_LOST} workers of the cluster were lost while they had this fold, as when memory runs out"
            self._heard.append((assignment, Failure(None, "ClusterError", words, "", None)))
        else:
            self._hand_over(assignment)
