"""Rows of a piece at a worker: read once where there is room, from disk or the files where there is none."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from tests.engine.cluster.test_session import Numbers

from learnt.data.table import Table
from learnt.engine import Batch
from learnt.engine.cluster.kept_rows import KeptRows, StoppedError, bytes_of
from learnt.engine.room import Room


def kept(size: int) -> KeptRows:
    return KeptRows(Numbers(0), Room(size), threading.Event())


def cells(rows: KeptRows) -> list[float]:
    return [x for batch in rows.batches() for x in batch.table["x"].values.tolist()]


def test_files_are_read_again_unless_all_of_them_fit():
    for size, times in ((32, 1), (31, 3), (0, 3)):
        rows = kept(size)
        assert [cells(rows) for _ in range(3)] == [[0.0, 1.0, 2.0, 3.0]] * 3
        assert rows.source.read == times
        assert rows.seen.rows == 4
        assert rows.room.used == (32 if times == 1 else 0)


def test_files_that_are_read_but_once_more_are_not_kept():
    rows = kept(32)
    for worth, times in ((False, 1), (False, 2), (True, 3), (True, 3), (False, 3)):
        rows.worth_keeping = worth
        assert cells(rows) == [0.0, 1.0, 2.0, 3.0]
        assert rows.source.read == times
        assert rows.room.used == (32 if times == 3 else 0)


def test_partitions_are_read_once_and_go_to_disk_where_there_is_no_room():
    for size in (32, 16, 0):
        rows = kept(size)
        rows.adopt()
        rows.adopt()
        assert [cells(rows) for _ in range(3)] == [[0.0, 1.0, 2.0, 3.0]] * 3
        assert rows.source.read == 1
        assert rows.room.used == size
        folder = None if rows._scratch is None else rows._scratch.path
        assert (folder is None) == (size == 32)
        rows.close()
        assert rows.room.used == 0
        assert folder is None or not folder.exists()


def test_a_reading_that_was_stopped_keeps_nothing_twice():
    rows = kept(1000)
    next(rows.batches())
    rows.stop.set()
    with pytest.raises(StoppedError):
        cells(rows)
    rows.stop.clear()
    assert cells(rows) == [0.0, 1.0, 2.0, 3.0]
    assert rows.room.used == 32


def test_bytes_are_those_of_cells_targets_and_weights():
    x = np.zeros((5, 3), np.float32)
    assert bytes_of(Batch(Table(x), 0, np.zeros(5), np.ones(5))) == 60 + 40 + 40
    assert bytes_of(Batch(Table({"a": [1.0, 2.0], "b": ["x", "y"]}))) == 16 + 8
