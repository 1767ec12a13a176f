"""Numbers that may stand for missing cells: −999 in a column of ages."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable

import numpy as np

from learnt.data.notes import Note
from learnt.data.table import Array, Column
from learnt.show.words import count_of

_SUSPECTS = (*(-(10.0**k - 1) for k in range(1, 6)), *(10.0**k - 1 for k in range(2, 6)), -99.9, -999.9, -999.25)
_OFTEN = 3  # cells, and
_SHARE = 0.005  # of the cells
_FAR = 3.0  # times the range of the others away from them


def suspect_sentinels(columns: Iterable[Column], *, first: bool = False) -> tuple[Note, ...]:
    """One note for each number that stands far outside its column, and often; nothing is changed.

    `first`: the columns are only the first rows of a longer table.
    """
    return tuple(note for column in columns if column.kind == "numeric" for note in _suspicions(column, first))


def _suspicions(column: Column, first: bool) -> list[Note]:
    if column.form is not None and column.form.temporal:
        return []
    ends = (float(np.fmin.reduce(column.values, initial=np.inf)), float(np.fmax.reduce(column.values, initial=-np.inf)))
    suspects = [end for end in ends if end in _SUSPECTS]
    if all(map(math.isfinite, ends)):
        if not suspects:  # by far most columns, seen in no time
            return []
        n_here = int(np.count_nonzero(np.isfinite(column.values)))
        if not any(_often(int(np.count_nonzero(column.values == end)), n_here) for end in suspects):
            return []
    here = column.values[np.isfinite(column.values)]
    if len(here) < 2 * _OFTEN:
        return []
    notes = []
    for end in (float(here.min()), float(here.max())):
        if end in _SUSPECTS and _stands_apart(here, end):
            count = int((here == end).sum())
            text = f"{end:g}"
            cells = count_of(count, "cell") if not first else f"{count:,} of the first {len(column):,} cells"
            sentence = f"{text} stands in {cells} of {column.name!r}, far from its other numbers."
            sentence += " It may stand for a missing cell; it is kept as a number."
            notes.append(Note(column.name, sentence, f"--missing {shlex.quote(text)}", f"missing=[{text!r}]"))
    return notes


def _often(count: int, n_cells: int) -> bool:
    return count >= _OFTEN and count >= _SHARE * n_cells


def _stands_apart(values: Array, end: float) -> bool:
    others = values[values != end]
    count = len(values) - len(others)
    if not _often(count, len(values)) or len(others) < _OFTEN:
        return False
    low, high = np.quantile(others, [0.01, 0.99])
    gap = low - end if end < low else end - high
    return bool(gap > _FAR * max(high - low, 1.0))
