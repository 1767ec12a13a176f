"""Folds evaluated on a worker of a Dask cluster: in processes beside it, as at home.

A learner that crashes or hangs costs such a process, and not the worker with all it holds. The problem comes once to
each worker and is mapped by all of its processes. A session is what a worker has of one comparison; it ends with it, or
when Dask lets go of the problem since the client is gone.
"""

from __future__ import annotations

import queue
import threading
import weakref
from dataclasses import replace

from learnt.evaluate.closing import Closing
from learnt.evaluate.folds import Fold, FoldResult
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers.jobs import Job
from learnt.evaluate.workers.pool import Assignment, Pool
from learnt.evaluate.workers.shared import SharedProblem
from learnt.evaluate.workers.workers import Event, Failure, LearnerWarning, WorkerEnd

_LOOK = 1.0  # seconds a wait lasts before it looks whether the session is closed

_sessions: dict[str, Session] = {}
_lock = threading.Lock()


def evaluate(name: str, problem: Problem, number: int, job: tuple[str, bytes, bool], fold: Fold) -> list[Event]:
    """The task: a fold of a learner (its key, its pickle, whether it may share a process); what became of it, last."""
    with _lock:
        session = _sessions.get(name)
        if session is None or session.closed:
            session = _sessions[name] = Session(problem)
            weakref.finalize(problem, close_session, name)
    return [_as_sent(event) for event in session.evaluate(problem, number, job, fold)]


def stop_fold(name: str, number: int) -> None:
    """End the process that has this fold; if none has it yet, none will."""
    session = _sessions.get(name)
    if session is not None:
        session.stop(number)


def retire_job(name: str, key: str) -> None:
    """This learner is through: processes that serve no other end."""
    session = _sessions.get(name)
    if session is not None:
        session.retire(key)


def close_session(name: str) -> None:
    """End all processes of a comparison, and remove its files."""
    with _lock:
        session = _sessions.pop(name, None)
    if session is not None:
        # Not in the loop of the worker, which would stand still meanwhile.
        threading.Thread(target=session.close, daemon=True, name="learnt closing").start()


def _as_sent(event: Event) -> Event:
    """What a client can read whatever packages it has: errors and warnings in words."""
    if isinstance(event, Failure):
        return replace(event, error=None)
    return LearnerWarning(UserWarning, event.text) if isinstance(event, LearnerWarning) else event


class Session(Closing):
    """The processes of a worker for one comparison, at most one busy for each of its threads."""

    def __init__(self, problem: Problem) -> None:
        self.closed = False
        self._shared = SharedProblem(problem)
        self._jobs: dict[str, Job] = {}
        self._idle: list[Pool] = []
        self._busy: dict[int, tuple[Pool, Assignment]] = {}
        self._stopped: set[int] = set()
        self._lock = threading.Lock()

    def evaluate(self, problem: Problem, number: int, job: tuple[str, bytes, bool], fold: Fold) -> list[Event]:
        """All that is heard of a fold; nothing of one that was stopped before it was begun."""
        key, packed, ours = job
        with self._lock:
            if self.closed or number in self._stopped:
                return []
            pool = self._idle.pop() if self._idle else Pool(self._shared.folder)
            known = self._jobs.setdefault(key, Job(None, packed, ours))
            assignment = pool.give(problem, known, fold)
            self._busy[number] = pool, assignment
        try:
            return self._heard(pool)
        finally:
            with self._lock:
                del self._busy[number]
                self._idle.append(pool)

    def _heard(self, pool: Pool) -> list[Event]:
        heard: list[Event] = []
        while not (heard and isinstance(heard[-1], FoldResult | Failure | WorkerEnd)):
            try:
                heard.append(pool.hear(_LOOK)[1])
            except queue.Empty:
                if self.closed:
                    break
        return heard

    def stop(self, number: int) -> None:
        with self._lock:
            self._stopped.add(number)
            if number in self._busy:
                pool, assignment = self._busy[number]
                pool.kill(assignment)

    def retire(self, key: str) -> None:
        with self._lock:
            job = self._jobs.pop(key, None)
            if job is not None:
                for pool in self._idle:
                    pool.retire(job)

    def close(self) -> None:
        with self._lock:
            self.closed = True
            for pool, assignment in self._busy.values():
                pool.kill(assignment)
            pools = [*self._idle, *(pool for pool, _ in self._busy.values())]
        for pool in pools:
            pool.close()
        self._shared.close()


def n_sessions() -> int:
    """How many comparisons this worker has something of."""
    return len(_sessions)
