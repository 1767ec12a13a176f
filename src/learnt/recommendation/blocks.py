"""Ratings that do not fit into memory: sorted once into blocks of users and blocks of items, in temporary files.

Rows are dealt to a file for each block as they are read; then every block is put in order by itself. Half a sweep
reads the blocks of its side, one at a time: what is in memory is one block, and the factors.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.leftovers import ROOM_FOR_TEMPORARY_FILES, ScratchFolder
from learnt.recommendation.ids import Ids
from learnt.recommendation.ratings import RatingBlock, Scaling, Side, rating_block
from learnt.unwritable import write_errors

#: A block has at most so many ratings, unless one user or item has more: some 100 MB while it is sorted.
MOST_RATINGS = 1 << 20

_RECORD = np.dtype([("row", "<i4"), ("other", "<i4"), ("value", "<f8"), ("weight", "<f8")])

#: Places of users and items, ratings, weights or None.
Rows = tuple[Array, Array, Array, Array | None]


class DiskRatings:
    """Ratings in blocks on disk, which go with the object."""

    def __init__(self, batches: Iterable[Rows], users: Ids, items: Ids, scaling: Scaling, real: Any):
        self.weights: dict[Side, Array] = {"user": users.weights, "item": items.weights}
        self._sizes: dict[Side, int] = {"user": len(users), "item": len(items)}
        self._cuts: dict[Side, Array] = {"user": cut_rows(users.counts), "item": cut_rows(items.counts)}
        self._scratch = ScratchFolder()
        for who, what, values, weights in batches:
            rows = np.empty(len(who), _RECORD)
            rows["value"], rows["weight"] = values, 1.0 if weights is None else weights
            for side, mine, others in (("user", who, what), ("item", what, who)):
                rows["row"], rows["other"] = mine, others
                self._deal(side, rows)  # type: ignore[arg-type]
        for side, across in (("user", len(items)), ("item", len(users))):
            for b in range(len(self._cuts[side]) - 1):  # type: ignore[index]
                self._sort(side, b, across, scaling, real)  # type: ignore[arg-type]

    def close(self) -> None:
        self._scratch.close()

    def blocks(self, side: Side) -> Iterator[tuple[int, RatingBlock]]:
        for b, first in enumerate(self._cuts[side][:-1].tolist()):
            with self._path(side, b, "block").open("rb") as file:  # written by this process, in a private folder
                yield first, pickle.load(file)

    def _path(self, side: Side, b: int, what: str) -> Path:
        return self._scratch.path / f"{side}.{b}.{what}"

    def _deal(self, side: Side, rows: Array) -> None:
        block = np.searchsorted(self._cuts[side], rows["row"], side="right") - 1
        order = np.argsort(block, kind="stable")
        ends = np.cumsum(np.bincount(block, minlength=len(self._cuts[side]) - 1))
        with write_errors("Temporary files", self._scratch.path, advice=ROOM_FOR_TEMPORARY_FILES):
            for b, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
                if end > start:
                    with self._path(side, b, "rows").open("ab") as file:
                        file.write(rows[order[start:end]].tobytes())

    def _sort(self, side: Side, b: int, across: int, scaling: Scaling, real: Any) -> None:
        first, last = self._cuts[side][b : b + 2].tolist()
        path = self._path(side, b, "rows")
        rows = np.fromfile(path, _RECORD)
        path.unlink()
        made = rating_block(
            rows["row"] - first, rows["other"], rows["value"], rows["weight"], (last - first, across), scaling, real
        )
        with write_errors("Temporary files", self._scratch.path, advice=ROOM_FOR_TEMPORARY_FILES):
            self._path(side, b, "block").write_bytes(pickle.dumps(made, protocol=5))


def cut_rows(counts: Array) -> Array:
    """Where blocks begin, and the end: as many rows in each as have at most `MOST_RATINGS` entries, at least one."""
    cuts, held = [0], 0
    for row, count in enumerate(counts.tolist()):
        if held and held + count > MOST_RATINGS:
            cuts.append(row)
            held = 0
        held += count
    return np.array([*cuts, len(counts)])
