"""Tasks sent to a cluster, and waited for as long as its scheduler is there."""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

from learnt.data.dask.frames import Frames, Key, noting_needs
from learnt.engine.cluster.payload import LARGE, as_it_is, packed
from learnt.engine.cluster.versions import check_versions
from learnt.errors import ClusterError

#: How often (seconds) a wait looks whether the scheduler and the workers are there.
LOOK = 0.25

#: How long a scheduler may be away, and how long there may be no worker; how long it may take to answer once.
PATIENCE, NO_WORKERS, ANSWER = 20.0, 30.0, 5.0

#: Events of tasks that end: the task, and its result or the error.
Ended = tuple[Any, Any, BaseException | None]


class Tasks:
    """Tasks of one purpose, such as a fit; `close` cancels what is left of them."""

    def __init__(self, client: Any):
        self.client = client
        self._ended: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        self._sent: dict[str, Any] = {}  # futures by key, until they end
        self._data: list[Any] = []
        self._frames: dict[str, Frames] = {}  # whose partitions were sent
        self._looked_at = 0.0
        self._threads: dict[str, int] = {}
        self._given_up = False  # of a scheduler that does not answer, whatever its connection says

    def send(self, name: str, function: Callable[..., Any], *arguments: Any, at: str | None = None) -> Any:
        """Submit a task, to one worker alone where told; how it ends comes out of `ended`."""
        future = self.submit(name, function, *arguments, at=at)
        self._sent[future.key] = future
        future.add_done_callback(self._fetch)
        return future

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any, at: str | None = None) -> Any:
        """The same for a task that only other tasks wait for."""
        where: dict[str, Any] = {} if at is None else {"workers": [at], "allow_other_workers": False}
        self._check_open()
        # By a key of its own: no task is like another, and none is tried again by a worker that lacks its rows.
        return self.client.submit(function, *arguments, key=f"{name}-{uuid4().hex}", pure=False, **where)

    def data(self, data: bytes, large: int = LARGE) -> Any:
        """Bytes as an argument of many tasks: as they are, or where they are many as data of the cluster, which the
        scheduler can have made again when its worker dies."""
        if len(data) <= large:
            return data
        future = self.client.submit(as_it_is, data, key=f"learnt-data-{uuid4().hex}", pure=False)
        self._data.append(future)
        return future

    def with_frames(self, value: Any) -> tuple[bytes, list[Key], list[Any]]:
        """A value packed, with the partitions it needs where it is unpacked: their keys, and they as data of the
        cluster."""
        with noting_needs() as needs:
            data = packed(value)
        self._frames |= {key: frames for (key, _), frames in needs.items()}
        return data, list(needs), [frames.futures(self.client)[number] for (_, number), frames in needs.items()]

    def release(self, data: Any) -> None:
        """Data that no task to come will need."""
        if data in self._data:
            self._data.remove(data)
            data.release()

    def _fetch(self, future: Any) -> None:
        """In a thread of its own: a result on its way must not keep the client from looking after workers."""
        try:
            self._ended.put((future, future.result(), None))
        except BaseException as error:
            self._ended.put((future, None, error))

    def ended(self, until: Callable[[], bool] = lambda: False) -> Iterator[Ended]:
        """Tasks as they end, for ever; stops when `until` says so, which is asked every now and then."""
        while True:
            with contextlib.suppress(queue.Empty):
                future, result, error = self._ended.get(timeout=LOOK)
                if self._sent.pop(future.key, None) is not None:
                    future.release()  # whoever holds an error's traceback would keep it at its worker
                    if error is not None:
                        self.threads()  # raises if it ended so because there is no scheduler any more
                    yield future, result, error
            self.threads()
            if until():
                return

    def all_of(self, jobs: Sequence[Callable[[], Any]], done: Callable[[int], None] = lambda place: None) -> list[Any]:
        """The results of all tasks that jobs send, in order. One whose worker died too often for Dask is sent again.
        `done` is told the place of each job that has ended."""
        places = {job().key: place for place, job in enumerate(jobs)}
        found: dict[int, Any] = {}
        while len(found) < len(jobs):
            ended = next(self.ended(self._no_worker), None)
            if ended is None:  # some may come
                self.some_workers()
                continue
            future, result, error = ended
            place = places[future.key]
            if error is None:
                found[place] = result
                done(place)
            elif is_loss(error):
                self.some_workers()
                places[jobs[place]().key] = place
            else:
                raise error
        return [found[place] for place in range(len(jobs))]

    def _no_worker(self) -> bool:
        return not self.threads()

    def cancel(self, futures: Sequence[Any]) -> None:
        for future in futures:
            self._sent.pop(future.key, None)
        if futures and self.reachable():
            _briefly(lambda: self.client.cancel(list(futures), force=True))

    def _check_open(self) -> None:
        if self.client.status == "closed":
            raise ClusterError(
                "The client is closed: by its close(), or because its scheduler is gone. Connect a new one, "
                "distributed.Client(address). What was fitted before is as it was."
            )

    def reachable(self) -> bool:
        return not self._given_up and str(self.client.status) == "running"

    def threads(self, now: bool = False) -> dict[str, int]:
        """The workers there are, by address, with their threads; unless it is to be `now`, asked anew four times a
        second at most."""
        if not now and time.monotonic() - self._looked_at < LOOK:
            return self._threads
        waited = 0.0
        while True:
            since = time.monotonic()
            with contextlib.suppress(OSError, TimeoutError):
                if self.reachable():
                    self._threads = self.client.sync(
                        self.client.scheduler.ncores, workers=None, callback_timeout=ANSWER
                    )
                    check_versions(self.client, self._threads)
                    self._looked_at = time.monotonic()
                    return self._threads
            self._check_open()
            waited += min(time.monotonic() - since, ANSWER) + LOOK  # not what this process was itself stopped for
            if waited > PATIENCE or self._given_up:
                self._given_up = True
                address = getattr(self.client.scheduler, "address", "of the cluster")
                raise ClusterError(
                    f"The scheduler {address} is gone: it has not answered for {PATIENCE:.0f} seconds. Start the "
                    "cluster again and connect a new client. What was fitted before is as it was."
                )
            time.sleep(LOOK)

    def some_workers(self) -> dict[str, int]:
        """The workers there are; where there is none, those that come within half a minute."""
        begun = time.monotonic()
        while not (found := self.threads()):
            if time.monotonic() - begun > NO_WORKERS:
                raise ClusterError(
                    f"The cluster has no workers, and none came within {NO_WORKERS:.0f} seconds. Start some, or look "
                    "at their logs: a worker is ended when it takes more memory than it may."
                )
            time.sleep(LOOK)
        return found

    def everywhere(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Run a function in the loop of each worker; those that are gone need it no more."""
        if self.reachable():
            _briefly(lambda: self.client.run(function, *arguments, on_error="ignore"))

    def close(self) -> None:
        self.cancel(list(self._sent.values()))
        for future in self._data:  # now, and not when it is collected
            future.release()
        if sys.exc_info()[0] is not None:  # whoever keeps the traceback, as notebooks do, would keep partitions too
            for frames in self._frames.values():
                frames.let_go()


def is_loss(error: BaseException) -> bool:
    """Whether a task ended so because its worker, or data on its way, did."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    return isinstance(error, (CancelledError, CommClosedError, KilledWorker)) or "Cancelled" in type(error).__name__


def _briefly(ask: Callable[[], Any]) -> None:
    """Ask the scheduler for what is as well not done if it does not answer."""

    def quietly() -> None:
        with contextlib.suppress(Exception):
            ask()

    asking = threading.Thread(target=quietly, daemon=True)
    asking.start()
    asking.join(5)
