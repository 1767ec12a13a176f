"""Work that needs all rows at once, done by workers: what is found in the pieces goes from worker to worker.

Each worker that works puts all of it together, once; the client sees neither the parts nor the whole.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from learnt.data.dask.frames import Key, present
from learnt.engine.blas import one_blas_thread
from learnt.engine.cluster.machine import Machine
from learnt.engine.cluster.payload import packed, unpacked
from learnt.engine.cluster.tasks import Tasks
from learnt.engine.cluster.words import told_at_client
from learnt.errors import LearntError

Found = tuple[Any, LearntError | None]


def of_all(
    tasks: Tasks,
    look: Callable[[Any], Any],
    pieces: Sequence[Any],
    join: Callable[[list[Any]], Any],
    work: Callable[[Any, Any], Any],
    jobs: Callable[[int], Sequence[Any]],
    done: Callable[[int], None],
) -> list[Any]:
    """The results of all jobs, in order; see `Workers.of_all`."""
    key, parts = uuid4().hex, list[Any]()
    try:
        how, how_to_work = tasks.data(packed(look)), tasks.data(packed((join, work)))
        for piece in pieces:
            data, keys, frames = tasks.with_frames(piece)
            parts.append(tasks.submit("learnt-look", _found_in, how, data, keys, frames))
        asked = jobs(sum(tasks.some_workers().values()))
        sent = [partial(tasks.send, "learnt-of-all", _done_with_all, key, how_to_work, job, parts) for job in asked]
        results = tasks.all_of(sent, done)
        for _, error in results:
            if error is not None:
                raise error
    finally:
        tasks.cancel(parts)
        tasks.close()
        tasks.everywhere(forget, key)
    return [result for result, _ in results]


def _found_in(look: bytes, piece: bytes, keys: Sequence[Key], frames: Sequence[Any]) -> Found:
    """At a worker: one piece."""
    try:
        with Machine.this().threads(), present(dict(zip(keys, frames, strict=True))):
            return unpacked(look)(unpacked(piece)), None
    except LearntError as error:  # told at the client, not in the log of a worker
        return None, told_at_client(error)


def _done_with_all(key: str, how_to_work: bytes, job: Any, parts: Sequence[Found]) -> Found:
    """At a worker: one job."""
    for _, error in parts:
        if error is not None:
            return None, error
    join, work = unpacked(how_to_work)
    machine = Machine.this()
    try:
        with machine.threads(), one_blas_thread():
            return work(_whole(machine.name + key, join, parts), job), None
    except LearntError as error:
        return None, error


class _Whole:
    """What was put together, by whoever came first."""

    def __init__(self) -> None:
        self.lock, self.made, self.value = threading.Lock(), False, None


_wholes: dict[str, _Whole] = {}


def _whole(place: str, join: Callable[[list[Any]], Any], parts: Sequence[Found]) -> Any:
    whole = _wholes.setdefault(place, _Whole())
    with whole.lock:
        if not whole.made:
            whole.value, whole.made = join([part for part, _ in parts]), True
    return whole.value


def forget(key: str) -> None:
    """At a worker: no more jobs will come."""
    for place in [place for place in list(_wholes) if place.endswith(key)]:
        _wholes.pop(place, None)
