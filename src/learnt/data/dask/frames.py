"""The partitions of a collection: tasks at a client, data where a task has them as an argument."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

Key = tuple[str, int]  # the collection, and the number of the partition


class Frames:
    """The partitions of one collection, as what Dask calls delayed."""

    def __init__(self, delayed: Sequence[Any]):
        self.key = uuid4().hex
        self.delayed = list(delayed)
        self._futures: tuple[Any, list[Any]] | None = None  # of which client

    def load(self, number: int) -> Any:
        """A partition, computed here."""
        return self.delayed[number].compute()

    def futures(self, client: Any) -> list[Any]:
        """The partitions as data of a cluster, computed once for as long as this is there."""
        if self._futures is None or self._futures[0] is not client:
            self._futures = client, client.compute(self.delayed)
        return self._futures[1]

    def let_go(self) -> None:
        """The cluster need not compute or keep the partitions any longer."""
        for future in () if self._futures is None else self._futures[1]:
            future.release()
        self._futures = None


_guard = threading.Lock()
_present: dict[Key, tuple[Any, int]] = {}  # partitions that are at hand in this process, and for how many tasks
_needed = threading.local()  # of what a thread is packing


@contextmanager
def present(frames: Mapping[Key, Any]) -> Iterator[None]:
    """Inside, these partitions are at hand: in all threads, for one may read ahead for another."""
    with _guard:
        for key, frame in frames.items():
            _present[key] = frame, _present.get(key, (None, 0))[1] + 1
    try:
        yield
    finally:
        with _guard:
            for key in frames:
                frame, count = _present.pop(key)
                if count > 1:
                    _present[key] = frame, count - 1


def at_hand(key: Key) -> Any:
    """A partition, or None."""
    return _present.get(key, (None, 0))[0]


@contextmanager
def noting_needs() -> Iterator[dict[Key, Frames]]:
    """Inside, whatever is pickled notes the partitions that it needs where it is unpickled."""
    before = getattr(_needed, "frames", None)
    _needed.frames = {}
    try:
        yield _needed.frames
    finally:
        _needed.frames = before


def note_need(frames: Frames, number: int) -> None:
    noted = getattr(_needed, "frames", None)
    if noted is not None:
        noted[frames.key, number] = frames
