"""Files whose cells come as Python's values: workbooks and databases, where any cell may hold anything.

Numbers are numbers; all else becomes text, as a text file would hold it, and all texts of a column together decide
what the column is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np

from learnt.data.cells import ANYTHING, MISSING, candidates, convert_texts, kind_of, reading, trim_texts
from learnt.data.convert.arrow import column_of_arrow
from learnt.data.files.part import Part, Survey, sliced
from learnt.data.schema import ColumnSchema
from learnt.data.table import Column, Table
from learnt.errors import KindError

_SURVEY_ROWS = 1 << 15
_NUMBERS = frozenset((int, float))
Cells = Sequence[Any]


class RowsPart(Part):
    """A file of rows of Python's values."""

    @abstractmethod
    def _blocks(self, columns: Sequence[str], batch_rows: int) -> Iterator[list[Cells]]:
        """The cells of these columns, column by column, at most so many rows at a time."""

    def survey(self, known: Mapping[str, str]) -> Survey:
        found = dict.fromkeys(self.names, ANYTHING)
        n_rows = 0
        for block in self._blocks(self.names, _SURVEY_ROWS):
            n_rows += len(block[0])
            for name, cells in zip(self.names, block, strict=True):
                found[name] &= self._candidates(name, cells)
                found[name] = found[name] or frozenset(("text",))
        known_ones = {name: frozenset((how,)) for name, how in known.items() if name in found}
        return Survey(found | known_ones, n_rows=n_rows)

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        for block in self._blocks(columns, batch_rows):
            made = [self._column(name, cells, readings[name]) for name, cells in zip(columns, block, strict=True)]
            yield from sliced([Table.of_columns(made)], batch_rows)

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        parts: list[list[Any]] = [[] for _ in columns]
        for block in self._blocks(columns, _SURVEY_ROWS):
            for held, cells in zip(parts, block, strict=True):
                held += cells
        made = [
            self._column(name, cells, known.get(name) or reading(self._candidates(name, cells)))
            for name, cells in zip(columns, parts, strict=True)
        ]
        return Table.of_columns(made)

    def reading_as(self, column: ColumnSchema) -> str:
        if column.kind == "numeric":
            return "number"
        return "boolean" if column.kind == "boolean" else "text"

    def _candidates(self, name: str, cells: Cells) -> frozenset[str]:
        kinds = {type(cell) for cell in cells if cell is not None}
        if kinds <= _NUMBERS:
            return frozenset(("number", "text")) if kinds else ANYTHING
        found = candidates(self._texts(name, cells))
        return found if kinds - _NUMBERS else found | {"text"}

    def _texts(self, name: str, cells: Cells) -> Any:
        import pyarrow as pa

        try:
            return trim_texts(pa.array([cell_text(cell) for cell in cells], pa.string()), MISSING)
        except TypeError as error:
            message = f"Column {name!r} holds {error}. Leave it out with columns=. (file {self.source.name!r})"
            raise KindError(message) from None

    def _column(self, name: str, cells: Cells, how: str) -> Column:
        if how == "number" and {type(cell) for cell in cells if cell is not None} <= _NUMBERS:
            return Column(name, "numeric", np.array([np.nan if c is None else c for c in cells], dtype=np.float64))
        texts = self._texts(name, cells)
        if kind_of(how) == "numeric" and reading(candidates(texts)) != how:
            how = reading(candidates(texts))
        return column_of_arrow(name, convert_texts(texts, how))


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
