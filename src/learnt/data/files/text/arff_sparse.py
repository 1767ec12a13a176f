"""Sparse rows of ARFF files: the cells that are there, column by column, and what they come to once filled up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from learnt.data.column import Array, Column
from learnt.data.files.text.arff_header import Attribute
from learnt.errors import FileError

#: Cells of columns made of sparse rows, empty ones included: a gigabyte. A file of some hundred kilobytes may mean more
#: than any machine has.
MOST_CELLS = 1 << 27
#: Cells of one batch of a scan.
BATCH_CELLS = 1 << 22


class SparseCells:
    """Cells of some rows by column: in which rows they stand, and their texts."""

    def __init__(self, rows: Iterable[Sequence[str] | dict[int, str]]):
        self.n_rows = 0
        self._places: dict[int, list[int]] = {}
        self._texts: dict[int, list[str]] = {}
        for i, row in enumerate(rows):
            for j, text in row.items() if isinstance(row, dict) else enumerate(row):
                self._places.setdefault(j, []).append(i)
                self._texts.setdefault(j, []).append(text)
            self.n_rows = i + 1

    def stored(self, j: int) -> tuple[list[int], list[str]]:
        """The rows that mention column j, and their cells."""
        return self._places.get(j, []), self._texts.get(j, [])


def filled(attribute: Attribute, stored: Column, places: Sequence[int], n_rows: int) -> Column:
    """A column of all rows: omitted numbers are 0, omitted labels the first declared one, omitted texts missing."""
    empty = -1 if attribute.type == "string" else 0
    values: Array = np.full(n_rows, empty, stored.values.dtype)
    values[places] = stored.values
    return Column.like(stored, values)


def check_size(n_rows: int, n_columns: int, file: str) -> None:
    """Refuse rows that would fill too many cells."""
    if n_rows * n_columns <= MOST_CELLS:
        return
    gigabytes = 8 * n_rows * n_columns / 1e9
    raise FileError(
        f"The sparse rows would become {n_rows:,} × {n_columns:,} cells, {gigabytes:,.1f} GB, nearly all of them 0. "
        "Read some of the columns (columns=), go through the file with learnt.scan, or write it in libsvm's format, "
        "whose rows stay sparse.",
        file,
    )
