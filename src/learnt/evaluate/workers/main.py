"""The other end of a `Worker`: a process that fits and predicts fold after fold and sends back what came out.

Messages are pickles, each after its length in eight bytes. In: the job (folder, pickled learner), then folds, then
None. Out: ("result", FoldResult), ("warning", category, text), ("error", …).
"""

from __future__ import annotations

import os
import pickle
import queue
import shutil
import signal
import struct
import threading
import traceback
import warnings
from typing import IO, Any

from learnt import _core
from learnt.evaluate.problem import Problem
from learnt.evaluate.workers.shared import open_problem

_LENGTH = struct.Struct("<Q")


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


def main() -> None:
    """Serve over standard input and output. What a learner prints goes to standard error, not between messages."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    inward = os.fdopen(os.dup(0), "rb")
    folder, learner = receive(inward)
    jobs = listen(inward, folder)
    try:
        problem, learner = open_problem(folder), pickle.loads(learner)
    except BaseException as error:
        send(out, describe_error(error, None))
        return
    serve(learner, problem, jobs, out)


def listen(pipe: IO[bytes], folder: Any) -> queue.SimpleQueue[Any]:
    """Folds as they come in, read by a thread, which ends this process when the parent is gone."""
    jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        fold: Any = ...
        while fold is not None:
            try:
                fold = receive(pipe)
            except (EOFError, OSError):
                shutil.rmtree(folder, ignore_errors=True)  # its owner cannot do it any more
                os._exit(1)
            jobs.put(fold)

    threading.Thread(target=read, daemon=True).start()
    return jobs


def serve(learner: Any, problem: Problem, jobs: queue.SimpleQueue[Any], out: IO[bytes]) -> None:
    _core.set_threads(1)  # the cores are shared by workers, not by threads of one
    while (fold := jobs.get()) is not None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                message: Any = ("result", fold.run(learner, problem))
            except BaseException as error:  # a learner may fail in any way it likes
                message = describe_error(error, (fold.repeat, fold.number))
        for category, text in dict.fromkeys((w.category, str(w.message)) for w in told):
            send(out, ("warning", _known_category(category), text))
        send(out, message)


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
