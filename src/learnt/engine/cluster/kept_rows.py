"""The rows of a piece at a worker: kept in memory where there is room, on disk or read again where there is not."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from learnt.data.table import Table
from learnt.engine.passes import Batch
from learnt.engine.room import Room
from learnt.engine.rows_seen import RowsSeen
from learnt.leftovers import ROOM_FOR_TEMPORARY_FILES, ScratchFolder
from learnt.unwritable import write_errors


class StoppedError(Exception):
    """The fit is over: nobody waits for what is being worked on."""


class KeptRows:
    """The batches of a piece, over and over again. Files are read again; partitions are there once, and then kept."""

    def __init__(self, source: Any, room: Room, stop: threading.Event):
        self.source, self.room, self.stop = source, room, stop
        self.seen = RowsSeen()
        self.worth_keeping = True  # whether files are read often enough for what is read to be kept
        self._kept: list[Batch | Path] | None = None
        self._bytes = 0  # of room
        self._tried = False
        self._scratch: ScratchFolder | None = None

    @property
    def n_rows(self) -> int | None:
        count: int | None = self.source.n_rows
        return count

    def batches(self) -> Iterator[Batch]:
        for batch in self._read() if self._kept is None else map(_loaded, self._kept):
            if self.stop.is_set():
                raise StoppedError
            yield batch

    def adopt(self) -> None:
        """Read all batches now, while they are at hand, and keep each, in memory or on disk."""
        if self._kept is not None:
            return
        self.close()
        seen, kept = RowsSeen(), list[Batch | Path]()
        for batch in self.source.rows():
            if self.stop.is_set():
                raise StoppedError
            seen += self.source.seen(batch)
            here = self._take(batch) or not _is_table(batch)  # documents cannot be packed
            kept.append(batch if here else self._written(batch, len(kept)))
        self.seen, self._kept = seen, kept

    def _read(self) -> Iterator[Batch]:
        self.close()  # what a reading that was stopped had kept
        seen, kept, tried = RowsSeen(), list[Batch | Path](), self._tried or not self.worth_keeping
        for batch in self.source.rows():
            seen += self.source.seen(batch)
            if not tried and self._take(batch):
                kept.append(batch)
            elif not tried:
                tried = True
                kept.clear()
                self.close()
            yield batch
        self.seen, self._tried = seen, self._tried or self.worth_keeping
        if not tried:
            self._kept = kept

    def _take(self, batch: Batch) -> bool:
        if not _is_table(batch):  # documents say nothing of their size
            return False
        size = bytes_of(batch)
        fits = self.room.take(size)
        self._bytes += size if fits else 0
        return fits

    def _written(self, batch: Batch, number: int) -> Path:
        if self._scratch is None:
            self._scratch = ScratchFolder()
        path = self._scratch.path / f"{number}.rows"
        with write_errors("Temporary files", path.parent, advice=ROOM_FOR_TEMPORARY_FILES), path.open("wb") as file:
            pickle.dump(batch, file, protocol=5)
        return path

    def close(self) -> None:
        self.room.give_back(self._bytes)
        self._bytes, self._kept = 0, None
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None


def _loaded(kept: Batch | Path) -> Batch:
    if isinstance(kept, Batch):
        return kept
    with kept.open("rb") as file:  # written by this process, in a private folder
        batch: Batch = pickle.load(file)
    return batch


def _is_table(batch: Batch) -> bool:
    rows: Any = batch.table  # documents come in its place
    return isinstance(rows, Table)


def bytes_of(batch: Batch) -> int:
    """What its cells, targets and weights take."""
    arrays = (batch.target, batch.weights, *batch.table.arrays)
    return sum(array.nbytes for array in arrays if array is not None)
