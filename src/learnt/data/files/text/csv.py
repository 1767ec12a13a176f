"""Delimited text. How its columns are read is guessed from the first rows; what they are, all their texts decide."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from learnt.data.files.known import known_column
from learnt.data.files.part import Part, Reading, Survey, sliced
from learnt.data.files.source import Source
from learnt.data.files.text import locate
from learnt.data.files.text.csv_rows import COUNTED, NUMBERS, WORDS, CsvRows, OtherEncoding
from learnt.data.files.text.dialect import Dialect, Options, sniff
from learnt.data.files.words import ColumnWords
from learnt.data.kinds import Decision, ReadOptions, decide, finish, is_usual_marker, suspect_sentinels
from learnt.data.notes import Note
from learnt.data.raw import RawColumn
from learnt.data.schema import ColumnSchema, KindName
from learnt.data.table import Column, Table
from learnt.errors import FileError
from learnt.lazy import cached_property
from learnt.show.words import count_of

T = TypeVar("T")
_SAMPLE_ROWS = 500
_LINES_SHOWN = 5
_WORDS_KEPT = 1 << 12  # of a column, from batch to batch


class CsvPart(Part):
    """One delimited text file."""

    def __init__(self, source: Source, options: Options):
        super().__init__(source)
        self._options = options
        self._skipped: tuple[Note, ...] = ()

    @cached_property
    def _dialect(self) -> Dialect:
        return sniff(self.source, self._options)

    @property
    def names(self) -> tuple[str, ...]:
        return self._dialect.columns

    @property
    def notes(self) -> tuple[Note, ...]:
        return (*self._dialect.notes, *self._skipped)

    @property
    def _reading(self) -> ReadOptions:
        return self._options.reading(self._dialect.decimal)

    @cached_property
    def _texts(self) -> frozenset[str]:
        """The columns whose first cells are mostly no numbers."""
        decimal = re.escape(self._dialect.decimal)
        number = re.compile(rf"[+-]?(\d+({decimal}\d*)?|{decimal}\d+)([eE][+-]?\d+)?")
        columns = itertools.zip_longest(*self._dialect.sample[:_SAMPLE_ROWS], fillvalue="")
        found = set()
        for name, cells in zip(self._dialect.names, columns, strict=False):
            others = [cell for cell in cells if cell and number.fullmatch(cell) is None]
            n_words = sum(not is_usual_marker(cell) for cell in others)
            if n_words and len(cells) - cells.count("") - len(others) < n_words:
                found.add(name)
        return frozenset(found)

    # All rows at once.

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        raws = self._with_encoding(lambda: self._raw_columns(columns, self._texts.union(known)))
        decisions = {name: self._decided(raw, n, self._reading) for name, (raw, n) in raws.items()}
        again = [name for name, decision in decisions.items() if decision.as_words]
        if again:
            raws |= self._with_encoding(lambda: self._raw_columns(again, again))
            decisions |= {name: self._decided(raws[name][0], 0, self._reading) for name in again}
        # One at a time, so that the cells are not held twice.
        made = {name: finish(raws.pop(name)[0], decisions[name]) for name in tuple(raws)}
        notes = [note for name in made for note in decisions[name].notes]
        return Table.of_columns(
            [made[name] for name in columns], notes=(*notes, *suspect_sentinels(made.values())), n_rows=self.n_rows
        )

    def _raw_columns(self, columns: Sequence[str], as_words: Collection[str]) -> dict[str, tuple[RawColumn, int]]:
        """The cells, and how many of them are numbers."""
        rows = self._rows({name: WORDS if name in as_words else NUMBERS for name in columns})
        rows.parser.expect(self._expected_rows)
        for _ in rows.windows():
            pass
        self.n_rows = rows.parser.n_rows
        self._note_skipped(rows)
        return {name: (rows.take(name), rows.n_numbers(name)) for name in columns}

    def _rows(self, modes: Mapping[str, int]) -> CsvRows:
        return CsvRows(self.source, self._dialect, modes, self._options.skip_bad)

    @property
    def _expected_rows(self) -> int:
        """A guess, a little too high, where the size of the text is known."""
        if self.source.compression is not None:
            return 0
        size = len(self.source.held or b"") if self.source.path is None else os.path.getsize(self.source.path)
        return int(1.02 * size / max(self._dialect.row_bytes, len(self._dialect.names))) + 16

    def _decided(self, raw: RawColumn, n_numbers: int, reading: ReadOptions) -> Decision:
        n_empty = raw.n_rows - n_numbers - int(raw.words.counts.sum())
        try:
            return decide(raw.name, raw.words, n_numbers, n_empty, reading)
        except FileError as error:
            raise self.located(error, raw.name) from None

    def located(self, error: FileError, name: str) -> FileError:
        """An error about a cell, whose line is known, with the place of the cell."""
        line, column = error.line, None
        if line is not None:
            line, column = locate.place_of_cell(self.source, self._dialect, name, line)
        return FileError(error._message, self.source.name, line, column)

    def _note_skipped(self, rows: CsvRows) -> None:
        count, lines = rows.parser.n_bad, rows.parser.bad_lines
        if count:
            shown = ", ".join(map(str, lines[:_LINES_SHOWN])) + (", …" if count > _LINES_SHOWN else "")
            text = f"{count_of(count, 'row')} with too few or too many cells left out, from line {shown}."
            self._skipped = (Note(None, text, "--skip-bad 0", "skip_bad=0"),)

    # The words of all rows, without the rows.

    def survey(self, known: Mapping[str, str]) -> Survey:
        return self._with_encoding(lambda: self._surveyed(self.names, self._texts.union(known)))

    def survey_words(self, columns: Sequence[str]) -> Survey:
        return self._with_encoding(lambda: self._surveyed(columns, columns))

    def _surveyed(self, columns: Sequence[str], as_words: Collection[str]) -> Survey:
        rows = self._rows({name: WORDS if name in as_words else COUNTED for name in columns})
        for _ in rows.windows():
            rows.parser.drop_rows()
        self._note_skipped(rows)
        found = {}
        for name in columns:
            words = rows.words(name)
            found[name] = ColumnWords(name, words, rows.n_numbers(name), rows.n_empty(name, words), self._reading)
        return Survey({}, n_rows=rows.parser.n_rows, words=found)

    # In batches.

    def tables(self, columns: Sequence[str], readings: Mapping[str, Reading], batch_rows: int) -> Iterator[Table]:
        done = 0
        while True:
            again = done
            try:
                for table in sliced(self._batches(columns, readings, batch_rows), batch_rows):
                    fresh = table.rows(again, table.n_rows) if again else table
                    again = max(0, again - table.n_rows)
                    done += fresh.n_rows
                    if fresh.n_rows:
                        yield fresh
                    del table, fresh  # not held while the next one is read
                return
            except OtherEncoding as error:
                self._change_encoding(error)

    def _batches(self, columns: Sequence[str], readings: Mapping[str, Reading], batch_rows: int) -> Iterator[Table]:
        modes = {name: WORDS if self._wants_words(name, readings[name]) else NUMBERS for name in columns}
        rows = self._rows(modes)
        # Only where the words were decided on before: else those of other batches would take part in the decision.
        kept = _WORDS_KEPT if all(isinstance(readings[name], Decision) for name in columns) else 0

        def batch() -> Table:
            raws = [(rows.take(name), rows.n_numbers(name)) for name in columns]
            rows.begin_again(kept)
            return Table.of_columns([self._column(raw, n, readings[raw.name]) for raw, n in raws])

        before = 0
        for _ in rows.windows():
            now = rows.parser.n_rows
            if 2 * now - before > batch_rows:  # the next window would be too much
                yield batch()
                now = 0
            before = now
        if before:
            yield batch()
        self._note_skipped(rows)

    def _wants_words(self, name: str, reading: Reading) -> bool:
        if reading == "text":
            return True
        if isinstance(reading, ColumnSchema) and reading.coded:
            return any(isinstance(label, (str, bool)) for label in reading.categories)
        return name in self._texts or (isinstance(reading, Decision) and reading.kind != "numeric")

    def _column(self, raw: RawColumn, n_numbers: int, reading: Reading) -> Column:
        if isinstance(reading, Decision):
            return finish(raw, reading)
        if isinstance(reading, ColumnSchema):
            return self._known_column(raw, n_numbers, reading)
        said = replace(self._reading, kinds={raw.name: "nominal" if reading == "text" else "numeric"}, ordinal={})
        return finish(raw, self._decided(raw, n_numbers, said))

    def _known_column(self, raw: RawColumn, n_numbers: int, schema: ColumnSchema) -> Column:
        def decided(said: KindName | None) -> Decision:
            kinds: dict[str, KindName] = {} if said is None else {raw.name: said}
            return self._decided(raw, n_numbers, replace(self._reading, kinds=kinds, ordinal={}))

        return known_column(raw, schema, self._options.missing, decided)

    def reading_as(self, column: ColumnSchema) -> Reading:
        if column.kind_name != "date":
            return column
        # Which figure is the day only the whole column tells.
        found = self.survey_words([column.name]).words[column.name]
        try:
            return replace(found, options=replace(found.options, kinds={column.name: "date"})).decide()
        except FileError as error:
            raise self.located(error, column.name) from None

    # Encodings that show late.

    def _with_encoding(self, work: Callable[[], T]) -> T:
        while True:
            try:
                return work()
            except OtherEncoding as error:
                self._change_encoding(error)

    def _change_encoding(self, error: OtherEncoding) -> None:
        following = {"utf-8": "cp1252", "cp1252": "latin-1"}.get(self._dialect.encoding)
        if self._options.encoding or following is None:
            raise FileError(
                f"The text is not written in {self._dialect.encoding}. Give its encoding.", self.source.name
            ) from error
        self.__dict__["_dialect"] = replace(self._dialect, encoding=following)
