"""Folders whose names are cells: `sales/year=2024/part-0.parquet` has 2024 in its column `year`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from learnt.data.cells import ANYTHING, candidates, convert_texts, reading
from learnt.data.convert.arrow import column_of_arrow
from learnt.data.files.part import Part, Survey
from learnt.data.schema import ColumnSchema
from learnt.data.table import Column, Table
from learnt.errors import LearntError

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def partition_of(file: str, folder: str) -> dict[str, str | None]:
    """The cells that the folders between `folder` and `file` stand for.

    >>> partition_of("sales/year=2024/shop=a%20b/part-0.parquet", "sales")
    {'year': '2024', 'shop': 'a b'}
    """
    found: dict[str, str | None] = {}
    for name in os.path.relpath(os.path.dirname(file), folder).split(os.sep):
        column, sign, value = name.partition("=")
        if sign and column:
            found[unquote(column)] = None if value == _NO_VALUE else unquote(value)
    return found


class PartitionedPart(Part):
    """A file with columns that hold one and the same cell in all its rows."""

    def __init__(self, part: Part, cells: Mapping[str, str | None]):
        super().__init__(part.source)
        self._part = part
        self._cells = {name: cell for name, cell in cells.items() if name not in part.names}
        self.n_rows = part.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return (*self._part.names, *self._cells)

    def survey(self, known: Mapping[str, str]) -> Survey:
        found = self._part.survey({name: how for name, how in known.items() if name not in self._cells})
        added = {
            name: frozenset((known[name],)) if name in known else _candidates(c) for name, c in self._cells.items()
        }
        return Survey({**found.candidates, **added}, found.labels, found.n_rows)

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        for table in self._part.tables(self._held(columns), readings, batch_rows):
            yield self._completed(table, columns, readings)

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        readings = {name: known.get(name) or reading(_candidates(cell)) for name, cell in self._cells.items()}
        return self._completed(self._part.whole(self._held(columns), known), columns, readings)

    def reading_as(self, column: ColumnSchema) -> str:
        if column.name not in self._cells:
            return self._part.reading_as(column)
        return "number" if column.kind == "numeric" else "text"

    def not_numeric(self, name: str) -> LearntError:
        return self._part.not_numeric(name)

    def _held(self, columns: Sequence[str]) -> list[str]:
        """The columns that the file itself has; at least one, which counts the rows."""
        return [name for name in columns if name not in self._cells] or list(self._part.names[:1])

    def _completed(self, table: Table, columns: Sequence[str], readings: Mapping[str, str]) -> Table:
        made = [
            _constant(name, self._cells[name], readings[name], table.n_rows) if name in self._cells else table[name]
            for name in columns
        ]
        return Table.of_columns(made, n_rows=table.n_rows, notes=table.notes)


def _candidates(cell: str | None) -> frozenset[str]:
    import pyarrow as pa

    return ANYTHING if cell is None else candidates(pa.array([cell], pa.string()))


def _constant(name: str, cell: str | None, how: str, n_rows: int) -> Column:
    import numpy as np
    import pyarrow as pa

    one = column_of_arrow(name, convert_texts(pa.array([cell], pa.string()), how))
    return Column(name, one.kind, np.repeat(one.values, n_rows), one.categories)
