"""Folders whose names are cells: `sales/year=2024/part-0.parquet` has 2024 in its column `year`."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from urllib.parse import unquote

import numpy as np

from learnt.data.files.part import Part, Reading, Survey
from learnt.data.files.python_cells import raw_column
from learnt.data.files.words import ColumnWords
from learnt.data.kinds import Decision, ReadOptions, finish
from learnt.data.notes import Note
from learnt.data.raw import RawColumn
from learnt.data.schema import ColumnSchema, Schema
from learnt.data.table import Column, Table
from learnt.errors import FileError, LearntError

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def partition_of(file: str, folder: str) -> dict[str, str | None]:
    """The cells that the folders between `folder` and `file` stand for.

    >>> partition_of("sales/year=2024/shop=a%20b/part-0.parquet", "sales")
    {'year': '2024', 'shop': 'a b'}
    """
    found: dict[str, str | None] = {}
    for name in os.path.relpath(os.path.dirname(file) or ".", folder or ".").split(os.sep):
        column, sign, value = name.partition("=")
        if sign and column:
            found[unquote(column)] = None if value == _NO_VALUE else unquote(value)
    return found


class PartitionedPart(Part):
    """A file with columns that hold one and the same cell in all its rows."""

    def __init__(self, part: Part, cells: Mapping[str, str | None], reading: ReadOptions):
        super().__init__(part.source)
        self._part, self._reading = part, reading
        self._cells = {name: cell for name, cell in cells.items() if name not in part.names}
        self.n_rows = part.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return (*self._part.names, *self._cells)

    def survey(self, known: Mapping[str, str]) -> Survey:
        found = self._part.survey({name: how for name, how in known.items() if name not in self._cells})
        return self._with_cells(found, self._cells, known)

    def survey_words(self, columns: Sequence[str]) -> Survey:
        held = [name for name in columns if name not in self._cells]
        found = self._part.survey_words(held) if held else Survey({})
        return self._with_cells(found, [name for name in columns if name in self._cells], columns)

    def _with_cells(self, found: Survey, names: Iterable[str], as_words: Collection[str]) -> Survey:
        for name in names:
            raw = _raw(name, self._cells[name], name in as_words)
            n_numbers = 0 if raw.numbers is None else int((~np.isnan(raw.numbers)).sum())
            n_empty = 1 - n_numbers - len(raw.words)
            found.words[name] = ColumnWords(name, raw.words, n_numbers, n_empty, self._reading)
        return found

    def tables(self, columns: Sequence[str], readings: Mapping[str, Reading], batch_rows: int) -> Iterator[Table]:
        for table in self._part.tables(self._held(columns), readings, batch_rows):
            made = [
                self._constant(name, readings[name], table.n_rows) if name in self._cells else table[name]
                for name in columns
            ]
            yield Table.of_columns(made, n_rows=table.n_rows)

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        raise NotImplementedError  # a part of a folder is read in batches, and decided with the other parts

    def reading_as(self, column: ColumnSchema) -> Reading:
        return column if column.name in self._cells else self._part.reading_as(column)

    @property
    def notes(self) -> tuple[Note, ...]:
        return self._part.notes

    def pieces(self) -> Sequence[Part]:
        return [self._around(part) for part in self._part.pieces()]

    def is_as(self, schema: Schema) -> bool:
        return not any(name in self._cells for name in schema.names) and self._part.is_as(schema)

    def _around(self, part: Part) -> PartitionedPart:
        return PartitionedPart(part, self._cells, self._reading)

    def located(self, error: FileError, name: str) -> FileError:
        return super().located(error, name) if name in self._cells else self._part.located(error, name)

    def not_numeric(self, name: str) -> LearntError:
        return self._part.not_numeric(name)

    def _held(self, columns: Sequence[str]) -> list[str]:
        """The columns that the file itself has; at least one, which counts the rows."""
        return [name for name in columns if name not in self._cells] or list(self._part.names[:1])

    def _constant(self, name: str, reading: Reading, n_rows: int) -> Column:
        cell = self._cells[name]
        if isinstance(reading, ColumnSchema):
            labels = reading.categories if reading.coded else ()
            reading = Decision(name, reading.kind, categories=labels)
        decided = (
            reading if isinstance(reading, Decision) else Decision(name, "nominal", categories=(cell,) if cell else ())
        )
        one = finish(_raw(name, cell, decided.kind != "numeric"), decided)
        return Column(name, one.kind, np.repeat(one.values, n_rows), one.categories, one.form)


def _raw(name: str, cell: str | None, as_word: bool) -> RawColumn:
    """One row with the cell: a number if it is one and not wanted as text."""
    found: str | float | None = cell
    if cell is not None and not as_word:
        with contextlib.suppress(ValueError):
            found = float(cell) if _NUMBER.fullmatch(cell) else cell
    return raw_column(name, [found], [1], as_words=as_word)
