"""A scan cut into small ones, each of which a worker reads by itself.

Where it is cut depends on the files alone, never on how many workers there are: what is added up over the pieces has
the same bits for any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from learnt.data.workers import Workers, each

if TYPE_CHECKING:
    from learnt.data.files.scan import Scan

R = TypeVar("R")

#: Row groups of a Parquet file are taken together until they have so many rows.
PIECE_ROWS = 1 << 18


def runs_of_groups(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last (excluded) of row groups with so many rows that go together.

    >>> list(runs_of_groups([200_000, 200_000, 1_000_000, 10]))
    [(0, 2), (2, 3), (3, 4)]
    """
    start, held = 0, 0
    for i, count in enumerate(rows):
        held += count
        if held >= PIECE_ROWS:
            yield start, i + 1
            start, held = i + 1, 0
    if start < len(rows):
        yield start, len(rows)


def row_counts(workers: Workers | None, scans: Sequence[Scan]) -> list[int]:
    """The rows of each piece; those that no metadata tells are counted by reading."""
    unknown = [scan for scan in scans if scan.n_rows is None]
    counted = iter(each(workers, count_rows, unknown))
    return [next(counted) if scan.n_rows is None else scan.n_rows for scan in scans]


def count_rows(scan: Scan) -> int:
    """By one look at the column that comes first."""
    return sum(len(cells.values) for cells in scan.cells(scan.column_names[0]))


@dataclass(frozen=True)
class Piece:
    """A small scan, and the number of its first row in the whole."""

    scan: Scan
    first_row: int = 0


def each_piece(scan: Scan, look: Callable[[Piece], R]) -> list[R]:
    """What a look at each piece finds, in their order; here, the whole scan is the only piece."""
    if scan.workers is None:
        return [look(Piece(scan))]
    scans = scan.pieces()
    starts = accumulate(row_counts(scan.workers, scans), initial=0)
    return scan.workers.each(look, [Piece(one, start) for one, start in zip(scans, starts, strict=False)])
