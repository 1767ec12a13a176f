"""Who works on the pieces of a source: this process, one piece after the other, or workers elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Workers(Protocol):
    """Others who read pieces of a source themselves, so that no row comes here."""

    def each(self, function: Callable[[T], R], pieces: Sequence[T]) -> list[R]:
        """What a function, which can be pickled, makes of each piece, in their order."""

    def of_all(
        self,
        look: Callable[[T], R],
        pieces: Sequence[T],
        join: Callable[[list[R]], Any],
        work: Callable[[Any, Any], Any],
        jobs: Callable[[int], Sequence[Any]],
        done: Callable[[int], None],
    ) -> list[Any]:
        """What `work` makes of each job and of what `join` makes of all that a look at the pieces found, which goes
        from worker to worker. `jobs` is told how many threads there are, `done` each job that has ended."""

    def engine(self, source: Any, learner: str) -> Any:
        """An engine that drives passes over the pieces of a source."""


# A context variable, so that a cluster of one thread or task is not that of another.
_workers: ContextVar[Workers | None] = ContextVar("learnt_workers", default=None)


def current_workers() -> Workers | None:
    """Those that were asked to work on scans, or None."""
    return _workers.get()


@contextmanager
def working(workers: Workers | None) -> Iterator[None]:
    """Inside, scans are worked on by these."""
    token = _workers.set(workers)
    try:
        yield
    finally:
        _workers.reset(token)


def each(workers: Workers | None, function: Callable[[T], R], pieces: Sequence[T]) -> list[R]:
    """What a function makes of each piece, in their order, whoever works on them."""
    return [function(piece) for piece in pieces] if workers is None else workers.each(function, pieces)
