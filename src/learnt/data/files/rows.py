"""Files whose cells come as Python's values: workbooks and databases, where any cell may hold anything.

Numbers are numbers; all else becomes text, as a text file would hold it, and all texts of a column together decide
what the column is, by the same rules as those of text files.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from learnt.data.files.known import known_column
from learnt.data.files.part import Part, Reading, Survey, sliced
from learnt.data.files.python_cells import Cells, raw_column
from learnt.data.files.source import Source
from learnt.data.files.words import ColumnWords, merge_columns
from learnt.data.kinds import Decision, ReadOptions, finish, suspect_sentinels
from learnt.data.notes import Note
from learnt.data.raw import RawColumn
from learnt.data.schema import ColumnSchema, KindName
from learnt.data.table import Column, Table
from learnt.errors import FileError, KindError

_SURVEY_ROWS = 1 << 15


@dataclass(frozen=True)
class RowBlock:
    """Some rows, column by column, and the line of the file that each stands in."""

    columns: Sequence[Cells]
    lines: Sequence[int]


class RowsPart(Part):
    """A file of rows of Python's values."""

    def __init__(self, source: Source, reading: ReadOptions):
        super().__init__(source)
        self._reading = reading

    @abstractmethod
    def _blocks(self, columns: Sequence[str], batch_rows: int) -> Iterator[RowBlock]:
        """The cells of these columns, at most so many rows at a time; at least one block."""

    # All rows at once.

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        held: list[list[object]] = [[] for _ in columns]
        lines: list[int] = []
        for block in self._blocks(columns, _SURVEY_ROWS):
            lines += block.lines
            for cells, fresh in zip(held, block.columns, strict=True):
                cells += fresh
        made: list[Column] = []
        notes: list[Note] = []
        for name, cells in zip(columns, held, strict=True):
            raw = self._raw(name, cells, lines, name in known)
            decision = self._decided(self._told(raw))
            if decision.as_words:
                raw = self._raw(name, cells, lines, True)
                decision = self._decided(self._told(raw))
            made.append(finish(raw, decision))
            notes += decision.notes
        return Table.of_columns(made, n_rows=len(lines), notes=(*notes, *suspect_sentinels(made)))

    # The words of all rows, without the rows.

    def survey(self, known: Mapping[str, str]) -> Survey:
        return self._surveyed(self.names, known)

    def survey_words(self, columns: Sequence[str]) -> Survey:
        return self._surveyed(columns, columns)

    def _surveyed(self, columns: Sequence[str], as_words: Collection[str]) -> Survey:
        found: dict[str, ColumnWords] = {}
        n_rows = 0
        for block in self._blocks(columns, _SURVEY_ROWS):
            n_rows += len(block.lines)
            for name, cells in zip(columns, block.columns, strict=True):
                told = self._told(self._raw(name, cells, block.lines, name in as_words))
                found[name] = merge_columns([found[name], told]) if name in found else told
        return Survey({}, n_rows=n_rows, words=found)

    # In batches.

    def tables(self, columns: Sequence[str], readings: Mapping[str, Reading], batch_rows: int) -> Iterator[Table]:
        for block in self._blocks(columns, batch_rows):
            made = [
                self._column(name, cells, block.lines, readings[name])
                for name, cells in zip(columns, block.columns, strict=True)
            ]
            yield from sliced([Table.of_columns(made, n_rows=len(block.lines))], batch_rows)

    def _column(self, name: str, cells: Cells, lines: Sequence[int], reading: Reading) -> Column:
        if isinstance(reading, ColumnSchema):
            return self._known_column(self._raw(name, cells, lines, _wants_words(reading)), reading)
        if isinstance(reading, Decision):
            return finish(self._raw(name, cells, lines, reading.kind != "numeric"), reading)
        raw = self._raw(name, cells, lines, reading == "text")
        return finish(raw, self._decided(self._told(raw), "nominal" if reading == "text" else "numeric"))

    def _known_column(self, raw: RawColumn, schema: ColumnSchema) -> Column:
        told = self._told(raw)
        free = replace(told, options=replace(told.options, kinds={}, ordinal={}))
        return known_column(raw, schema, self._reading.missing, lambda said: self._decided(free, said))

    def reading_as(self, column: ColumnSchema) -> Reading:
        return column

    # What all share.

    def _raw(self, name: str, cells: Cells, lines: Sequence[int], as_words: bool) -> RawColumn:
        try:
            return raw_column(name, cells, lines, as_words=as_words)
        except TypeError as error:
            message = f"Column {name!r} holds {error}. Leave it out with columns=. (file {self.source.name!r})"
            raise KindError(message) from None

    def _told(self, raw: RawColumn) -> ColumnWords:
        n_numbers = 0 if raw.numbers is None else int(np.count_nonzero(~np.isnan(raw.numbers)))
        n_empty = raw.n_rows - n_numbers - int(raw.words.counts.sum())
        return ColumnWords(raw.name, raw.words, n_numbers, n_empty, self._reading)

    def _decided(self, told: ColumnWords, said: KindName | None = None) -> Decision:
        if said is not None:
            told = replace(told, options=replace(told.options, kinds={told.name: said}, ordinal={}))
        try:
            return told.decide()
        except FileError as error:
            raise self.located(error, told.name) from None


def _wants_words(schema: ColumnSchema) -> bool:
    return schema.coded and any(isinstance(label, (str, bool)) for label in schema.categories)
