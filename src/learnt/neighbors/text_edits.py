"""Columns of text, compared by the edits that turn one text into the other."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Table


def as_cells(table: Table, text: tuple[int, ...]) -> Array:
    """Rows of cells: texts as they are, also those no other row has; numbers and codes as floats, NaN if missing."""
    cells = np.empty(table.shape, dtype=object)
    for j, column in enumerate(table.columns):
        if j in text:
            cells[:, j] = [None if label is None else str(label) for label in column.labels()]
        else:
            cells[:, j] = np.where(column.missing, np.nan, column.values)
    return cells


def edits(a: Array, b: Array, *, relative: bool) -> Array:
    """Letters inserted, deleted or replaced between all pairs of texts; as a share of the longer one if `relative`.

    Each text is compared once, however often it stands there. A missing text is None: an empty one, or at 1 from all.
    """
    names_a, places_a = _distinct(a)
    names_b, places_b = _distinct(b)
    away = np.array([_edits_to_all(name, names_b) for name in names_a], dtype=np.float64)
    away = away.reshape(len(names_a), len(names_b))
    if relative:
        longer = np.maximum([len(name) for name in names_a], 1)[:, None]
        away /= np.maximum(longer, [len(name) for name in names_b])
    found: Array = away[np.ix_(places_a, places_b)]
    if relative:
        found[[cell is None for cell in a]] = 1.0
        found[:, [cell is None for cell in b]] = 1.0
    return found


def _distinct(cells: Array) -> tuple[list[str], Array]:
    """The texts that differ, and which of them each cell is."""
    names: dict[str, int] = {}
    places = [names.setdefault("" if cell is None else cell, len(names)) for cell in cells.tolist()]
    return list(names), np.array(places, dtype=np.intp)


def _edits_to_all(one: str, others: list[str]) -> Array:
    """One text against many, a row of the table of edits at a time for all of them.

    D[i, j] = min(D[i−1, j] + 1,  D[i, j−1] + 1,  D[i−1, j−1] + [one_i ≠ other_j])
    """
    lengths = np.array([len(other) for other in others])
    wide = int(lengths.max(initial=0))
    letters = np.zeros((len(others), wide), dtype=np.uint32)
    for row, other in zip(letters, others, strict=True):
        row[: len(other)] = np.frombuffer(other.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    reach = np.arange(wide + 1)
    row_above = np.tile(reach, (len(others), 1))
    for i, letter in enumerate(one, start=1):
        row = np.empty_like(row_above)
        row[:, 0] = i
        np.minimum(row_above[:, 1:] + 1, row_above[:, :-1] + (letters != ord(letter)), out=row[:, 1:])
        # An insertion costs 1 more than the cell to the left: a running minimum once the slope is taken off.
        row_above = np.minimum.accumulate(row - reach, axis=1) + reach
    last: Array = row_above[np.arange(len(others)), lengths]
    return last
