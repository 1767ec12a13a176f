"""NumPy's and SciPy's BLAS, held to one thread: threaded BLAS changes bits with the thread count."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_libraries: list[Any] | None = None
_before: list[tuple[Any, int]] = []  # the libraries of the whole process, and the threads they had
_inside = 0
_lock = threading.RLock()  # a signal handler may fork while its own thread is in here


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Inside, every BLAS call of this thread uses one thread.

    Some libraries keep one limit per thread, which is set and put back here. Others keep one for the
    whole process: the first to come in sets it, the last to go out lifts it, or else one of two fits
    at once would give threads back to the other, or take them for good.
    """
    global _before, _inside
    libraries = _blas_libraries()
    own = [(library, library.num_threads) for library in libraries if _per_thread(library)]
    with _lock:
        if not _before:
            _before = [(library, library.num_threads) for library in libraries if not _per_thread(library)]
        _inside += 1
        _set([(library, 1) for library, _ in own + _before])
    try:
        yield
    finally:
        _set(own)
        with _lock:
            _inside = max(_inside - 1, 0)
            if _inside == 0:
                _set(_before)
                _before = []


def _blas_libraries() -> list[Any]:
    """The BLAS libraries of this process. Looking for them takes a millisecond, so once is enough."""
    global _libraries
    if _libraries is None:
        import scipy.linalg  # noqa: F401  its BLAS must be loaded to be found
        from threadpoolctl import ThreadpoolController

        _libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return _libraries


def _per_thread(library: Any) -> bool:
    return library.internal_api == "mkl" or getattr(library, "threading_layer", "") == "openmp"


def _set(limits: list[tuple[Any, int]]) -> None:
    for library, count in limits:
        # Since 3.8 threadpoolctl obeys only the thread that set a limit first. Here threads share one.
        getattr(library, "_real_set_num_threads", library.set_num_threads)(count)


def _before_fork() -> None:
    """No thread may be inside BLAS's own lock while this process forks: the child would wait for it for ever."""
    _lock.acquire()


def _after_fork_in_parent() -> None:
    _lock.release()


def _after_fork_in_child() -> None:
    """Only the forking thread is left: whoever else was inside never comes out. A limit they set is lifted by
    the next to leave; touching BLAS here might wait for ever."""
    global _inside, _lock
    _lock, _inside = threading.RLock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
