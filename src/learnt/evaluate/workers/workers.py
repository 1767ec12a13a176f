"""Processes that evaluate folds beside this one.

A worker is a new Python that maps the problem from the folder of a `SharedProblem` and unpickles the learner, so
that calls from a plain script, a notebook or standard input need no `if __name__ == "__main__":`. A learner that
cannot be sent so (its class stands in the caller's `__main__`, or holds a lambda) runs in a fork of this process,
on Linux, where forks are safe.

A worker has one thread in learnt's kernels and in BLAS. It ignores Ctrl-C, which is its parent's to handle, and ends
when the parent is gone.
"""

from __future__ import annotations

import itertools
import pickle
import queue
import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learnt.evaluate.folds import Fold, FoldResult
from learnt.evaluate.workers.jobs import Job
from learnt.evaluate.workers.main import Task, receive, send
from learnt.evaluate.workers.processes import Fork, Process, Program, WorkerError

_numbers = itertools.count()


@dataclass(frozen=True, eq=False)
class Failure:
    """A fold that raised. `error` is the exception itself where it could be sent."""

    fold: tuple[int, int] | None  # repeat and number; None: the learner did not even arrive
    type_name: str
    message: str
    traceback: str
    error: BaseException | None

    def exception(self) -> BaseException:
        """Something to raise: the error with the worker's traceback as a note."""
        error = self.error or WorkerError(f"{self.type_name}: {self.message}")
        error.add_note("It was raised in a worker process:\n" + self.traceback)
        return error


@dataclass(frozen=True, eq=False)
class LearnerWarning:
    """A warning of the learner; `warnings.warn(told.text, told.category)` passes it on."""

    category: type[Warning]
    text: str


@dataclass(frozen=True, eq=False)
class WorkerEnd:
    """The worker is gone: `exit_code` 0 after all its folds, −9 if killed.

    `last_words` ends what it printed since it was given its learner. `taken` is False where it was gone before it took
    the fold it was given last, which that fold's learner cannot be blamed for.
    """

    exit_code: int
    last_words: str
    taken: bool = True

    @property
    def why(self) -> str:
        """The exit code in words."""
        if self.exit_code >= 0:
            return f"exit code {self.exit_code}"
        try:
            name = signal.Signals(-self.exit_code).name
        except ValueError:
            name = "an unknown signal"
        hint = ", as happens when memory runs out" if name == "SIGKILL" else ""
        return f"killed by signal {-self.exit_code}, {name}{hint}"


Event = FoldResult | Failure | LearnerWarning | WorkerEnd
Inbox = queue.SimpleQueue[tuple["Worker", Event]]


class Worker:
    """A process that evaluates one fold after the other and tells `inbox` about each as (worker, event).

    Each fold ends with a `FoldResult`, a `Failure`, or with the process. The last event is always `WorkerEnd`.
    `only_for` is the job of a process that serves no other.
    """

    def __init__(self, folder: Path, inbox: Inbox, only_for: Job | None = None) -> None:
        self.exit_code: int | None = None
        self.only_for = only_for
        self.job: Job | None = None
        self._inbox = inbox
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._taken = True
        self._words = folder / f"worker-{next(_numbers)}.txt"
        self._words_before = 0  # bytes that others had printed before its learner came
        if only_for is not None and only_for.packed is None:
            self.job = only_for
            self._process: Process = Fork(only_for.learner, folder, self._words)
        else:
            self._process = Program(folder, self._words)
        self._thread = threading.Thread(target=self._follow, daemon=True, name="learnt worker")
        self._thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def give(self, problem: Path, job: Job, fold: Fold) -> None:
        """One more fold, when the last one has ended."""
        news = None if self.job is job else job.packed
        if self.job is not job:
            self._words_before = _size(self._words)
        self.job, self._taken = job, False
        self._tasks.put(Task(str(problem), news, fold))

    def end(self) -> None:
        """Let it end, after the fold it has; `WorkerEnd` follows."""
        self._tasks.put(None)

    def kill(self) -> None:
        """End the process at once, whatever it does; `WorkerEnd` follows."""
        self._process.kill()
        self._tasks.put(None)  # should it be waiting for one

    def join(self, timeout: float | None = None) -> None:
        """Wait until the process is gone."""
        self._thread.join(timeout)

    def _follow(self) -> None:
        try:
            self._process.begin()
            while (task := self._tasks.get()) is not None:
                send(self._process.orders, task)
                self._hear_out()
            send(self._process.orders, None)
        except (EOFError, OSError, pickle.UnpicklingError):
            pass  # it has ended, and its exit code says how
        self.exit_code = self._process.wait()
        self._inbox.put((self, WorkerEnd(self.exit_code, _tail(self._words, self._words_before), self._taken)))

    def _hear_out(self) -> None:
        """All that comes of one fold."""
        event: Any = None
        while not isinstance(event, FoldResult | Failure):
            message = receive(self._process.answers)
            if message[0] == "begun":
                self._taken = True
                continue
            event = _event(message)
            self._inbox.put((self, event))


def _event(message: Any) -> Event:
    kind, *rest = message
    if kind == "result":
        result: FoldResult = rest[0]
        return result
    if kind == "warning":
        return LearnerWarning(*rest)
    fold, name, words, trace, alive = rest
    return Failure(fold, name, words, trace, None if alive is None else pickle.loads(alive))


def _tail(path: Path, start: int, most: int = 2000) -> str:
    try:
        return path.read_bytes()[start:][-most:].decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
