"""Cells that come as Python's values, as the columns of text that decide what they are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np

from learnt.data.raw import RawColumn, Words

Cells = Sequence[Any]
_NUMBERS = (int, float)


def raw_column(name: str, cells: Cells, lines: Sequence[int], *, as_words: bool = False) -> RawColumn:
    """Numbers as numbers, unless all cells are wanted as words; all else as the text that a file would hold.

    `lines` has the place of each cell in its file, from 1.
    """
    places: dict[str, int] = {}
    counts: list[int] = []
    firsts: list[int] = []
    rows: list[int] = []
    codes: list[int] = []
    numbers = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        kind = type(cell)
        if kind in _NUMBERS and not as_words:
            numbers[i] = cell
            continue
        text = cell_text(cell)
        text = text.strip() if text else text
        if not text:
            continue
        code = places.setdefault(text, len(places))
        if code == len(counts):
            counts.append(0)
            firsts.append(lines[i])
        counts[code] += 1
        rows.append(i)
        codes.append(code)
    words = Words(
        tuple(places), np.zeros(len(places), bool), np.array(counts, dtype=np.int64), np.array(firsts, dtype=np.int64)
    )
    where, which = np.array(rows, dtype=np.int64), np.array(codes, dtype=np.int32)
    if not as_words:
        return RawColumn(name, words, which, numbers, where)
    spread = np.full(len(cells), -1, dtype=np.int32)
    spread[where] = which
    return RawColumn(name, words, spread)


def cell_text(cell: Any) -> str | None:
    """A cell as a text file would hold it.

    >>> [cell_text(c) for c in (None, 3, 2.5, 4.0, True, date(2024, 5, 1), datetime(2024, 5, 1), timedelta(hours=30))]
    [None, '3', '2.5', '4', 'true', '2024-05-01', '2024-05-01', '30:00:00']
    """
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime):
        midnight = cell.time() == time() and cell.tzinfo is None
        return cell.date().isoformat() if midnight else cell.isoformat(sep=" ")
    if isinstance(cell, (int, date, time)):
        return str(cell)
    if isinstance(cell, timedelta):
        seconds = cell.total_seconds()
        minutes, rest = divmod(abs(seconds), 60)
        hours, minutes = divmod(int(minutes), 60)
        return f"{'-' if seconds < 0 else ''}{hours}:{minutes:02}:{rest:02.0f}"
    raise TypeError(f"bytes, {len(cell):,} of them in one cell" if isinstance(cell, bytes) else type(cell).__name__)
