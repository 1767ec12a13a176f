"""Texts compared by the edits that turn one into the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnt import _core
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
    away = all_edits(names_a, names_b)
    if relative:
        longer = np.maximum([len(name) for name in names_a], 1)[:, None]
        away /= np.maximum(longer, [len(name) for name in names_b])
    plain = len(names_a) == len(a) and len(names_b) == len(b)
    found: Array = away if plain else away[np.ix_(places_a, places_b)]
    if relative:
        found[[cell is None for cell in a]] = 1.0
        found[:, [cell is None for cell in b]] = 1.0
    return found


def all_edits(a: Sequence[str], b: Sequence[str] | None = None) -> Array:
    """Edits between every text of a and every text of b; among those of a if there is no b."""
    out = np.empty((len(a), len(a) if b is None else len(b)))
    _core.levenshtein_distances(tuple(a), None if b is None else tuple(b), out)
    return out


def _distinct(cells: Array) -> tuple[list[str], Array]:
    """The texts that differ, and which of them each cell is."""
    names: dict[str, int] = {}
    places = [names.setdefault("" if cell is None else cell, len(names)) for cell in cells.tolist()]
    return list(names), np.array(places, dtype=np.intp)
