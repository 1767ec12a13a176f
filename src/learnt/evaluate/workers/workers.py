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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learnt.evaluate.folds import Fold, FoldResult
from learnt.evaluate.workers.main import describe_error, receive, send
from learnt.evaluate.workers.processes import Fork, Process, Program, WorkerError, pickled_learner
from learnt.evaluate.workers.shared import SharedProblem

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
    """The worker is gone: `exit_code` 0 after all its folds, −9 if killed. `last_words` ends what it printed."""

    exit_code: int
    last_words: str

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
    """A process that evaluates folds of one learner and tells `inbox` about each as (worker, event).

    It takes the next of `folds` when it has finished one, so that several workers may share one iterator if that is
    wrapped by `InTurns`. After a `Failure` it takes no more. The last event is always `WorkerEnd`.
    """

    def __init__(self, shared: SharedProblem, learner: Any, folds: Iterable[Fold], inbox: Inbox) -> None:
        self.exit_code: int | None = None
        self._folds = iter(folds)
        self._inbox = inbox
        self._words = shared.folder / f"worker-{next(_numbers)}.txt"
        job = pickled_learner(learner)
        if job is None:
            self._process: Process = Fork(learner, shared, self._words)
        else:
            self._process = Program(job, shared, self._words)
        self._thread = threading.Thread(target=self._follow, daemon=True, name="learnt worker")
        self._thread.start()

    def kill(self) -> None:
        """End the process at once, whatever it does; `WorkerEnd` follows."""
        self._process.kill()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the process is gone."""
        self._thread.join(timeout)

    def _follow(self) -> None:
        try:
            self._process.begin()
            self._give()
            while True:
                event = _event(receive(self._process.answers))
                self._inbox.put((self, event))
                if isinstance(event, Failure):
                    send(self._process.orders, None)
                elif isinstance(event, FoldResult):
                    self._give()
        except (EOFError, OSError, pickle.UnpicklingError):
            pass  # it has ended, and its exit code says how
        self.exit_code = self._process.wait()
        self._inbox.put((self, WorkerEnd(self.exit_code, _tail(self._words))))

    def _give(self) -> None:
        try:
            fold = next(self._folds, None)
        except Exception as error:  # a splitter may fail in any way it likes
            _, where, name, words, trace, _ = describe_error(error, None)
            self._inbox.put((self, Failure(where, name, words, trace, error)))
            fold = None
        send(self._process.orders, fold)


def _event(message: Any) -> Event:
    kind, *rest = message
    if kind == "result":
        result: FoldResult = rest[0]
        return result
    if kind == "warning":
        return LearnerWarning(*rest)
    fold, name, words, trace, alive = rest
    return Failure(fold, name, words, trace, None if alive is None else pickle.loads(alive))


def _tail(path: Path, most: int = 2000) -> str:
    try:
        return path.read_bytes()[-most:].decode("utf-8", "replace").strip()
    except OSError:
        return ""


class InTurns(Iterator[Fold]):
    """One iterator for several workers: each fold goes to one of them."""

    def __init__(self, folds: Iterable[Fold]) -> None:
        self._folds = iter(folds)
        self._lock = threading.Lock()

    def __next__(self) -> Fold:
        with self._lock:
            return next(self._folds)
