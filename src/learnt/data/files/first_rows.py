"""What the first rows of the files of a scan tell: numbers that may stand for missing cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from learnt.data.files.part import Part, Reading
from learnt.data.kinds import Decision, suspect_sentinels
from learnt.data.notes import Note
from learnt.data.table import Column, Table
from learnt.data.workers import Workers, each

FIRST_ROWS = 1 << 15


def first_sentinels(
    decisions: Mapping[str, Decision],
    parts: Sequence[Part],
    readings: Sequence[Mapping[str, Reading]],
    batch_rows: int,
    workers: Workers | None = None,
) -> tuple[Note, ...]:
    """What `read` would say of numbers far from the others, by the first rows; of columns that texts decided."""
    names = [name for name in parts[0].names if name in decisions and decisions[name].kind == "numeric"]
    if not names:
        return ()
    asked = (names, parts, readings, batch_rows)
    (notes,) = each(workers, _sentinels, [asked])  # a single piece of work: the first rows of the first files
    return notes


def _sentinels(asked: tuple[list[str], Sequence[Part], Sequence[Mapping[str, Reading]], int]) -> tuple[Note, ...]:
    names, parts, readings, batch_rows = asked
    tables = list(_first_tables(names, parts, readings, batch_rows))
    if not tables:
        return ()
    columns = [Column.like(tables[0][n], np.concatenate([t[n].values for t in tables])) for n in names]
    whole = sum(part.n_rows or 0 for part in parts)
    return suspect_sentinels(columns, first=len(columns[0]) < whole)


def _first_tables(
    names: Sequence[str], parts: Sequence[Part], readings: Sequence[Mapping[str, Reading]], batch_rows: int
) -> Iterator[Table]:
    left = FIRST_ROWS
    for part, how in zip(parts, readings, strict=True):
        for table in part.tables(names, how, min(batch_rows, FIRST_ROWS)):
            yield table.rows(0, min(left, table.n_rows))
            left -= table.n_rows
            if left <= 0:
                return
