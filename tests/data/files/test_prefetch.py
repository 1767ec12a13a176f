"""Batches made one ahead: never more of them than that."""

from __future__ import annotations

import time
import weakref

import pytest

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
