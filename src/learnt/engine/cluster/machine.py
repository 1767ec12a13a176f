"""The worker that a task finds itself on: its name, its share of the processors and of memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from learnt import _core

#: Taken for memory where a worker knows no limit.
UNLIMITED = 4 << 30


@dataclass(frozen=True)
class Machine:
    name: str
    n_threads: int
    memory: int  # bytes
    own_process: bool  # whether it has a process to itself, and not that of its client

    @classmethod
    def this(cls) -> Machine:
        """The worker of the task that asks."""
        from distributed import get_worker

        worker = get_worker()
        limit = worker.memory_manager.memory_limit or UNLIMITED
        return cls(worker.address, max(worker.state.nthreads, 1), int(limit), os.getpid() not in _client_processes)

    def tell(self, topic: str, words: Any) -> None:
        """Say something to those clients that listen to a topic; called by a task."""
        from distributed import get_worker

        get_worker().log_event(topic, words)

    @contextmanager
    def threads(self) -> Iterator[None]:
        """Inside, kernels and readers use as many threads as the worker has; in a client's own process they are the
        client's."""
        if self.own_process and _core.get_threads() != self.n_threads:
            import pyarrow as pa

            _core.set_threads(self.n_threads)
            pa.set_cpu_count(self.n_threads)
        yield


_client_processes: set[int] = set()


def is_client() -> None:
    """This process has a client of its own, whose number of threads no worker in it may change."""
    _client_processes.add(os.getpid())
