"""The other end of a `Worker`: a process that fits and predicts fold after fold and sends back what came out.

Messages are pickles, each after its length in eight bytes. In: tasks, then None. Out, for each task: ("begun",), any
number of ("warning", category, text), and ("result", FoldResult) or ("error", …).

One process may serve several learners one after the other. Before each fold the global state that learnt's own learners
could touch is set anew, so that no fold's numbers depend on what ran before it.
"""

from __future__ import annotations

import os
import pickle
import queue
import random
import shutil
import signal
import struct
import sys
import threading
import traceback
import warnings
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from learnt import _core
from learnt.engine.blas import one_blas_thread
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers.shared import open_problem

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, eq=False)
class Task:
    """One fold of a learner. `learner` is None where the worker has it already."""

    problem: str  # the folder it is mapped from
    learner: bytes | None
    fold: Any


def send(pipe: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message, protocol=5)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next message; EOFError where the other end is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def main(folder: str) -> None:
    """Serve over standard input and output. What a learner prints goes to standard error, not between messages."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    tasks = listen(os.fdopen(os.dup(0), "rb"), folder)
    with one_blas_thread():  # what every fit needs is loaded ahead, and not counted as the first one's time
        pass
    serve(tasks, out)


def listen(pipe: IO[bytes], folder: Any) -> queue.SimpleQueue[Task | None]:
    """Tasks as they come in, read by a thread, which ends this process when the parent is gone."""
    tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()

    def read() -> None:
        task: Any = ...
        while task is not None:
            try:
                task = receive(pipe)
            except (EOFError, OSError):
                shutil.rmtree(folder, ignore_errors=True)  # its owner cannot do it any more
                os._exit(1)
            tasks.put(task)

    threading.Thread(target=read, daemon=True).start()
    return tasks


def serve(tasks: queue.SimpleQueue[Task | None], out: IO[bytes], learner: Any = None) -> None:
    problem: Problem | None = None
    mapped = ""
    while (task := tasks.get()) is not None:
        send(out, ("begun",))
        arrived = False
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                if problem is None or task.problem != mapped:
                    problem, mapped = open_problem(task.problem), task.problem
                if task.learner is not None:
                    learner = pickle.loads(task.learner)
                arrived = True
                _reset_global_state(task.fold)
                message: Any = ("result", task.fold.run(learner, problem))
            except BaseException as error:  # a learner may fail in any way it likes
                message = describe_error(error, (task.fold.repeat, task.fold.number) if arrived else None)
        _flush_printed_words()
        for category, text in dict.fromkeys((w.category, str(w.message)) for w in told):
            send(out, ("warning", _known_category(category), text))
        send(out, message)


def _reset_global_state(fold: Any) -> None:
    """What a fold starts from is the same in whichever process, and after whichever learner, it is run."""
    _core.set_threads(1)  # the cores are shared by workers, not by threads of one
    seed = int(getattr(fold, "seed", 0)) % 2**32
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the generator that others may draw from
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")


def _flush_printed_words() -> None:
    """So that they stand with the learner that printed them, before another has its turn."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # a learner may have closed it
            continue


def describe_error(error: BaseException, fold: tuple[int, int] | None) -> tuple[Any, ...]:
    """An error in words, and pickled where it can be brought back to life."""
    words = traceback.format_exc()
    try:
        alive = pickle.dumps(error)
        pickle.loads(alive)
    except Exception:
        alive = None
    return ("error", fold, type(error).__name__, str(error), words, alive)


def _known_category(category: type[Warning]) -> type[Warning]:
    """A category that the parent has too: one of a package, which is pickled by its name."""
    try:
        pickle.dumps(category)
    except Exception:
        return UserWarning
    return category if category.__module__ != "__main__" else UserWarning
