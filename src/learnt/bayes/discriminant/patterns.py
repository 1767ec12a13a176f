"""Rows that have, or miss, the same cells, taken together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array

#: Most numbers of small matrices, one for each pattern, that are handled at a time.
_NUMBERS = 2**20


@dataclass(frozen=True, eq=False)
class AlikeRows:
    """Rows with equally many cells of a kind: the `cells` of each pattern, and `which` pattern each of the `rows` has.

    They are in the order of their patterns.
    """

    cells: Array  # patterns × cells
    rows: Array
    which: Array

    def parts(self) -> Iterator[AlikeRows]:
        """Some rows at a time, so that a matrix of cells × cells for each does not become too large."""
        step = max(1, _NUMBERS // max(self.cells.shape[1] ** 2, 1))
        for start in range(0, len(self.rows), step):
            which = self.which[start : start + step]
            first, last = int(which[0]), int(which[-1])
            yield AlikeRows(self.cells[first : last + 1], self.rows[start : start + step], which - first)

    def blocks(self, matrix: Array) -> Array:
        """The part of a matrix that each pattern's cells have: patterns × cells × cells."""
        part: Array = matrix[self.cells[:, :, None], self.cells[:, None, :]]
        return part


def alike_rows(mask: Array) -> list[AlikeRows]:
    """All rows by how many cells of theirs are True, and which."""
    counts = mask.sum(axis=1)
    found = []
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        some = mask[rows]
        kinds, first, which = np.unique(np.packbits(some, axis=1), axis=0, return_index=True, return_inverse=True)
        cells = np.nonzero(some[first])[1].reshape(len(kinds), count)
        order = np.argsort(which.ravel(), kind="stable")
        found.append(AlikeRows(cells, rows[order], which.ravel()[order]))
    return found
