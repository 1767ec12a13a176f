"""Batches made one ahead: never more of them than that."""

from __future__ import annotations

import threading
import time
import weakref

import pytest

from learnt import _core
from learnt.data.files.prefetch import prefetched


class Batch:
    pass


def test_the_next_batch_is_begun_when_the_last_one_is_taken():
    alive: weakref.WeakSet[Batch] = weakref.WeakSet()
    others = []

    def batches():
        for _ in range(6):
            time.sleep(0.02)  # until the consumer has dropped the one before
            others.append(len(alive))
            batch = Batch()
            alive.add(batch)
            yield batch
            del batch

    taken = 0
    for batch in prefetched(batches()):
        taken += isinstance(batch, Batch)
        time.sleep(0.05)
    assert taken == 6
    assert max(others) == 1  # the one that is worked on


def test_with_one_thread_for_kernels_no_other_is_started():
    made = []

    def items():
        for number in range(3):
            made.append((number, threading.current_thread() is threading.main_thread()))
            yield number

    before = _core.get_threads()
    try:
        for threads, here in ((1, True), (2, False)):
            made.clear()
            _core.set_threads(threads)
            assert list(prefetched(items())) == [0, 1, 2]
            assert made == [(0, here), (1, here), (2, here)]
    finally:
        _core.set_threads(before)


def test_an_error_comes_where_the_item_would_have_and_an_end_ends_the_thread():
    def items():
        yield from (1, 2)
        raise OSError("gone")

    found = []
    with pytest.raises(OSError, match="gone"):
        found.extend(prefetched(items()))
    half = prefetched(iter(range(1000)))
    assert [next(half), next(half)] == [0, 1]
    half.close()
