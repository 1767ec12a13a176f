"""`learnt.cluster(client)`: scans are worked on by the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from learnt.data.dask import is_dask, scan_of
from learnt.data.dask.frames import Key, present
from learnt.data.workers import Workers, current_workers, working
from learnt.engine.cluster.machine import Machine, is_client
from learnt.engine.cluster.payload import packed, unpacked
from learnt.engine.cluster.tasks import Tasks
from learnt.engine.cluster.words import told_at_client
from learnt.errors import KindError, LearntError, MissingPackageError

T = TypeVar("T")
R = TypeVar("R")

#: Tasks for each thread: more even out what takes longer, fewer cost the scheduler less.
TASKS_A_THREAD = 4


@dataclass(frozen=True)
class DaskWorkers:
    """The workers of a cluster, by its client."""

    client: Any

    def each(self, function: Callable[[T], R], pieces: Sequence[T]) -> list[R]:
        if not pieces:
            return []
        tasks, jobs = Tasks(self.client), list[Callable[[], Any]]()
        try:
            name, packed_function = getattr(function, "__name__", "each").lstrip("_"), tasks.data(packed(function))
            size = -(-len(pieces) // (TASKS_A_THREAD * sum(tasks.some_workers().values())))
            if tasks.with_frames(pieces[0])[1]:
                size = 1  # partitions are large: one at a time
            for start in range(0, len(pieces), size):
                group, keys, frames = tasks.with_frames(list(pieces[start : start + size]))
                jobs.append(partial(tasks.send, name, _each, packed_function, group, keys, frames))
            results: list[R] = []
            for found, error in tasks.all_of(jobs):
                if error is not None:
                    raise error
                results += unpacked(found)
        finally:
            tasks.close()
        return results

    def of_all(
        self,
        look: Callable[[T], R],
        pieces: Sequence[T],
        join: Callable[[list[R]], Any],
        work: Callable[[Any, Any], Any],
        jobs: Callable[[int], Sequence[Any]],
        done: Callable[[int], None],
    ) -> list[Any]:
        from learnt.engine.cluster.gathered import of_all

        return of_all(Tasks(self.client), look, pieces, join, work, jobs, done)

    def engine(self, source: Any, learner: str) -> Any:
        from learnt.engine.cluster.engine import ClusterEngine

        return ClusterEngine(source, learner, self.client)


def _each(
    function: bytes, pieces: bytes, keys: Sequence[Key], frames: Sequence[Any]
) -> tuple[bytes, LearntError | None]:
    """At a worker."""
    one = unpacked(function)
    try:
        with Machine.this().threads(), present(dict(zip(keys, frames, strict=True))):
            return packed([one(piece) for piece in unpacked(pieces)]), None
    except LearntError as error:  # told at the client, not in the log of a worker
        return b"", told_at_client(error)


def workers_or_default() -> Workers | None:
    """Those of the context, or else of the client that Dask itself would use; None without any."""
    workers = current_workers()
    if workers is not None:
        return workers
    try:
        from distributed import default_client

        return dask_workers(default_client())  # type: ignore[no-untyped-call]
    except (ImportError, ValueError):  # no cluster is here
        return None


def as_scan(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """What `fit` was given, with a Dask collection as a scan on the cluster it belongs to; all else as it is."""
    return scan_of(X, y, sample_weight, workers_or_default()) if is_dask(X) else (X, y, sample_weight)


def dask_workers(client: Any) -> DaskWorkers:
    """The workers of a client, which is checked."""
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingPackageError(
            "A cluster needs the packages dask and distributed, which are not installed. Install them: "
            "pip install 'learnt[dask]'."
        ) from error
    if not isinstance(client, Client):
        raise KindError(
            f"cluster was given {type(client).__name__}. A client of Dask was expected. "
            "Make one: distributed.Client(address)."
        )
    if client.asynchronous:
        raise KindError("The client is asynchronous, which fitting is not. Make one by Client(…, asynchronous=False).")
    is_client()
    return DaskWorkers(client)


@contextmanager
def cluster(client: Any) -> Iterator[DaskWorkers]:
    """Inside, fitting to a scan is done by the workers of `client`'s Dask cluster, who read the files themselves.

    Each worker reads its own pieces, files or parts of large Parquet files, by the path they have here; only
    statistics come back. Results do not depend on how many workers there are, to the bit.
    """
    workers = dask_workers(client)
    with working(workers):
        yield workers
