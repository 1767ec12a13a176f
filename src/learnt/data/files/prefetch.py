"""Read the next batch in the background while the current one is worked on."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Generator, Iterator
from typing import Any, TypeVar

from learnt import _core
from learnt.errors import LearntError

T = TypeVar("T")
_END = object()


class _Failure:
    def __init__(self, error: BaseException):
        self.error = error


def prefetched(items: Iterator[T]) -> Generator[T, None, None]:
    """The same items, each made one ahead in a thread that ends when the iteration does.

    The next one is begun when the last one is taken: there are never more than two. Where kernels have one thread,
    as at some workers of a cluster, no other one is started either.
    """
    if _core.get_threads() == 1:
        yield from items
        return
    shelf: queue.Queue[Any] = queue.Queue(1)
    taken = threading.Semaphore(0)
    stop = threading.Event()

    def offer(item: Any) -> None:
        while not stop.is_set():
            try:
                shelf.put(item, timeout=0.05)
                return
            except queue.Full:
                continue

    def work() -> None:
        try:
            for item in items:
                offer(item)
                if stop.is_set():
                    break
                del item  # the shelf or the consumer holds it, not this frame
                while not taken.acquire(timeout=0.05) and not stop.is_set():
                    pass
            else:
                offer(_END)
        except BaseException as error:
            offer(_Failure(error))
        finally:
            if hasattr(items, "close"):
                items.close()

    owner = os.getpid()
    thread = threading.Thread(target=work, name="learnt-prefetch", daemon=True)
    thread.start()
    try:
        while True:
            if os.getpid() != owner:
                raise LearntError("Batches begun before a fork cannot go on in the child. Begin again there.")
            item = shelf.get()
            if item is _END:
                return
            if isinstance(item, _Failure):
                raise item.error
            taken.release()
            yield item
            del item
    finally:
        stop.set()
        if os.getpid() == owner:
            thread.join()
