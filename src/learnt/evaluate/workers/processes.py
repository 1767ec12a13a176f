"""The processes behind workers: a new Python, or a fork for learners that cannot leave this one."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import IO, Any, Protocol

from learnt.errors import LearntError
from learnt.evaluate.workers import main as worker_main

# -P and the first line: the child finds modules where this process does, and nowhere else.
_BOOT = (
    "import json, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "sys.path[:], folder = json.loads(sys.stdin.buffer.raw.readline()); "
    "from learnt.evaluate.workers.main import main; main(folder)"
)
_ONE_THREAD = ("LEARNT_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class WorkerError(LearntError, RuntimeError):
    """A worker failed or died; the message says how."""


class Process(Protocol):
    orders: IO[bytes]
    answers: IO[bytes]

    @property
    def pid(self) -> int: ...
    def begin(self) -> None: ...
    def kill(self) -> None: ...
    def wait(self) -> int: ...


class Program:
    """A new Python. It loads learnt while its parent still prepares what it shall do."""

    def __init__(self, folder: Path, words: Path) -> None:
        self._folder = folder
        environment = os.environ | dict.fromkeys(_ONE_THREAD, "1")
        with open(words, "ab") as printed:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=printed,
                env=environment,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.orders: IO[bytes] = self._process.stdin
        self.answers: IO[bytes] = self._process.stdout

    @property
    def pid(self) -> int:
        return self._process.pid

    def begin(self) -> None:
        path = [os.path.abspath(entry) if entry == "" else entry for entry in sys.path]
        self.orders.write(json.dumps([path, str(self._folder)]).encode() + b"\n")
        self.orders.flush()

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> int:
        code = self._process.wait()
        for pipe in (self.orders, self.answers):
            _close(pipe)
        return code


class Fork:
    """A copy of this process, for learners that cannot leave it."""

    def __init__(self, learner: Any, folder: Path, words: Path) -> None:
        if sys.platform != "linux":
            raise WorkerError(
                f"{learner!r} cannot be sent to another process: its class or a function it holds stands in the main "
                "program. Move it into a module of its own, or use n_jobs=1."
            )
        orders, answers = os.pipe(), os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, which learnt's survive
            self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(orders[1])
                os.close(answers[0])
                _work_as_fork(learner, folder, words, orders[0], answers[1])
            finally:
                os._exit(1)
        os.close(orders[0])
        os.close(answers[1])
        self._running = True
        self._lock = threading.Lock()
        self.orders: IO[bytes] = os.fdopen(orders[1], "wb")
        self.answers: IO[bytes] = os.fdopen(answers[0], "rb")

    def begin(self) -> None:
        """It has the learner already."""

    def kill(self) -> None:
        with self._lock:
            if self._running:
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        with self._lock:  # from here on the number may be another process's
            self._running = False
            _, status = os.waitpid(self.pid, 0)
        for pipe in (self.orders, self.answers):
            _close(pipe)
        return os.waitstatus_to_exitcode(status)


def _work_as_fork(learner: Any, folder: Path, words: Path, orders: int, answers: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr = open(words, "w", encoding="utf-8", errors="replace")  # noqa: SIM115 - until it ends
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stdout.fileno(), 2)
    tasks = worker_main.listen(os.fdopen(orders, "rb"), folder)
    worker_main.serve(tasks, os.fdopen(answers, "wb"), learner)
    sys.stdout.flush()
    os._exit(0)


def _close(pipe: IO[bytes]) -> None:
    with contextlib.suppress(OSError):  # of what could not be written any more
        pipe.close()
