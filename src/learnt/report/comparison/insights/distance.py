"""How far rows of mixed columns are from each other: numbers by the share of their range, labels 0 or 1."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Column, Table

MOST_CELLS = 20_000_000


class Distance:
    """The mean over the columns of how far two cells are apart, from 0 to 1; a missing cell is far from any.

    Numbers and ordered labels count by their distance as a share of the range, other labels by being the same.

    Reference: J. C. Gower, A general coefficient of similarity and some of its properties, Biometrics 27, 1971.
    """

    def __init__(self, table: Table):
        self.columns = table.columns
        self.spans = [_span(c) for c in self.columns]

    def cells(self, place: int, value: float, others: Array) -> Array:
        """From one cell of a column, as stored, to others."""
        column, span = self.columns[place], self.spans[place]
        if column.kind in ("numeric", "ordinal"):
            with np.errstate(invalid="ignore"):
                far: Array = np.minimum(np.abs(others.astype(np.float64) - value) / span, 1.0)
            far[np.isnan(far)] = 1.0
            if column.kind == "ordinal":
                far[(others < 0) | (value < 0)] = 1.0
            return far
        return np.asarray((others != value) | (others < 0), dtype=np.float64)

    def rows(self, row: int, others: Array) -> Array:
        """From one row to others."""
        total = np.zeros(len(others))
        for place, column in enumerate(self.columns):
            total += self.cells(place, column.values[row], column.values[others])
        return total / max(1, len(self.columns))


def nearest(distance: Distance, row: int, others: Array, k: int, seed: list[int]) -> tuple[Array, Array]:
    """The k rows nearest to one among others (among some of them, where they are many), and their distances."""
    most = MOST_CELLS // max(1, len(distance.columns))
    if len(others) > most:
        others = np.sort(np.random.default_rng(seed).choice(others, most, replace=False))
    far = distance.rows(row, others)
    order = np.argsort(far, kind="stable")[:k]
    return others[order], far[order]


def _span(column: Column) -> float:
    """What counts as the distance 1; at least so much that no division fails."""
    values = column.values[~column.missing]
    if column.kind == "ordinal":
        return float(max(1, len(column.categories) - 1))
    if column.kind != "numeric" or not len(values):
        return 1.0
    return float(np.ptp(values)) or 1.0
