"""Delimited text: Arrow's parser, told the types beforehand, and what it cannot do by itself.

Types are guessed from the start of the file and given to the parser, which reads text straight into
dictionary codes and numbers into float64. Where a later cell contradicts the guess, the column is
read as text, and all its cells decide what it is.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.cells import ANYTHING, candidates, convert_texts, kind_of, reading, trim_texts
from learnt.data.convert.arrow import column_of_arrow
from learnt.data.files import locate
from learnt.data.files.csv_options import may_hold_quotes, parser_options
from learnt.data.files.dialect import Dialect, Options, sniff
from learnt.data.files.part import Part, Survey, sliced
from learnt.data.files.source import Source, clear_errors
from learnt.data.notes import Note
from learnt.data.schema import ColumnSchema
from learnt.data.table import Column, Table
from learnt.errors import FileError
from learnt.lazy import cached_property

_TEXT_ONLY = frozenset(("text",))
_SAMPLE_ROWS = 2000
_SURVEY_ROWS = 1 << 16


class _Surprise(Exception):
    """The file is not what its start promised: a cell does not fit its column's type, or the encoding is another."""

    def __init__(self, column: int | None):
        super().__init__(column)
        self.column = column  # its place in the file; None: encoding or block size were changed, read again


class CsvPart(Part):
    """One delimited text file."""

    def __init__(self, source: Source, options: Options):
        super().__init__(source)
        self._options = options
        self._patience = 1  # grows until the longest row fits into a block
        self._through_text: set[str] = set()  # columns with cells that Arrow's parser does not take as they are

    @cached_property
    def _dialect(self) -> Dialect:
        return sniff(self.source, self._options)

    @cached_property
    def _no_rows(self) -> bool:
        return not self._dialect.sample and self._dialect.complete

    @property
    def names(self) -> tuple[str, ...]:
        return self._dialect.columns

    @property
    def notes(self) -> tuple[Note, ...]:
        return self._dialect.notes

    @cached_property
    def _guesses(self) -> dict[str, frozenset[str]]:
        """The candidates of every column by the first rows."""
        import pyarrow as pa

        columns = itertools.zip_longest(*self._dialect.sample[:_SAMPLE_ROWS])
        guesses = dict.fromkeys(self.names, ANYTHING)
        for name, texts in zip(self._dialect.names, columns, strict=False):
            if name not in guesses:
                continue
            known = trim_texts(pa.array(texts, pa.string()), self._options.markers)
            guesses[name] = candidates(known, self._dialect.decimal)
        return guesses

    def _guess(self, name: str, known: Mapping[str, str]) -> str:
        """How to try to read a column; one without cells in the sample as text, which can hold anything."""
        found = self._guesses[name]
        return known.get(name) or ("text" if found == ANYTHING else reading(found))

    # All rows at once.

    def whole(self, columns: Sequence[str] | None, known: Mapping[str, str]) -> Table:
        columns = self.names if columns is None else columns
        import pyarrow

        if self._no_rows:
            return Table.of_columns([Column(name, "numeric", np.empty(0)) for name in columns])
        sure = {name for name in columns if name in known or self._guesses[name] == _TEXT_ONLY}
        types = {name: self._guess(name, known) for name in columns}
        for retry in itertools.count():
            try:
                arrow = self._read(types)
                break
            except _Surprise as surprise:
                # First the column that failed; if others fail too, all, so that three reads always do.
                types |= dict.fromkeys(columns if retry else [self._named_column(surprise)], "text")

        def finished(name: str) -> Column:
            if types[name] == "text" and name not in sure:
                return self._settled_column(name, arrow.column(name))
            return self._column(name, arrow.column(name), types[name])

        # Joining the parser's chunks is memory traffic outside Python's lock, a third of all time on one thread.
        with ThreadPoolExecutor(pyarrow.cpu_count()) as threads:
            table = Table.of_columns(list(threads.map(finished, columns)))
        self._check_quotes(table)
        return table

    def _read(self, types: Mapping[str, str]) -> Any:
        import pyarrow.csv

        options = self._options_for(types, 4 << 20, may_hold_quotes(self.source, self._dialect.quote))
        try:
            with self._clear_surprises():
                return pyarrow.csv.read_csv(self._input(), **options)
        except _Surprise as surprise:
            if surprise.column is None:
                return self._read(types)
            raise

    def _settled_column(self, name: str, values: Any) -> Column:
        """A column that was read as text, as whatever all its cells agree on."""
        values = _one_array(values)
        labels = trim_texts(values.dictionary, self._options.markers)
        found = reading(candidates(labels, self._dialect.decimal))
        return self._from_labels(name, values, labels, found)

    # In batches.

    def survey(self, known: Mapping[str, str]) -> Survey:
        while True:
            try:
                return self._surveyed(known)
            except _Surprise as surprise:
                self._learn_from(surprise)

    def _surveyed(self, known: Mapping[str, str]) -> Survey:
        found = {name: frozenset((known[name],)) if name in known else self._guesses[name] for name in self.names}
        types = {name: "text" if name in self._through_text else self._guess(name, known) for name in found}
        labels: dict[str, dict[str, None]] = {name: {} for name in found if found[name] == _TEXT_ONLY}
        n_rows = 0
        for batch in self._stream(types, _SURVEY_ROWS):
            n_rows += batch.num_rows
            for name in (name for name in found if types[name] == "text"):
                texts = trim_texts(batch.column(name).dictionary, self._options.markers)
                if name in labels:
                    labels[name].update(dict.fromkeys(texts.drop_null().to_pylist()))
                elif found[name] != _TEXT_ONLY:
                    found[name] &= candidates(texts, self._dialect.decimal)
                    if not found[name]:
                        raise self._misread(name, known[name])
        return Survey(found, {name: tuple(values) for name, values in labels.items()}, n_rows)

    def tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        done = 0
        while True:
            again = done
            try:
                for table in sliced(self._stream_tables(columns, readings, batch_rows), batch_rows):
                    fresh = table.rows(again, table.n_rows) if again else table
                    again = max(0, again - table.n_rows)
                    done += fresh.n_rows
                    if fresh.n_rows:
                        yield fresh
                return
            except _Surprise as surprise:
                self._learn_from(surprise)

    def reading_as(self, column: ColumnSchema) -> str:
        guess = reading(self._guesses[column.name])
        if column.kind == "numeric":
            return guess if kind_of(guess) == "numeric" else "number"
        if column.kind == "boolean":
            return guess if guess == "boolean" else "text"
        return "text" if all(isinstance(label, str) for label in column.categories) else "number"

    def _learn_from(self, surprise: _Surprise) -> None:
        """Spaces around a missing marker, say: read on through text, which takes them."""
        if surprise.column is not None:
            self._named_column(surprise)
            self._through_text = set(self.names)

    def _stream_tables(self, columns: Sequence[str], readings: Mapping[str, str], batch_rows: int) -> Iterator[Table]:
        types = {name: "text" if name in self._through_text else readings[name] for name in columns}
        table = None
        for batch in self._stream(types, batch_rows):
            table = Table.of_columns([self._column(name, batch.column(name), readings[name]) for name in columns])
            yield table
        if table is not None:
            self._check_quotes(table)

    def _stream(self, types: Mapping[str, str], batch_rows: int) -> Iterator[Any]:
        if self._no_rows:
            return
        with self._opened(types, int(self._dialect.row_bytes * batch_rows)) as stream:
            while True:
                with self._clear_surprises():
                    try:
                        batch = stream.read_next_batch()
                    except StopIteration:
                        return
                if batch.num_rows:
                    yield batch

    def _opened(self, types: Mapping[str, str], block_size: int) -> Any:
        import pyarrow.csv

        block_size = min(max(block_size, 1 << 16), 32 << 20)
        with self._clear_surprises():
            return pyarrow.csv.open_csv(self._input(), **self._options_for(types, block_size, True))

    # What both share.

    def _input(self) -> Any:
        return str(self.source.path) if self.source.path and not self.source.compression else self.source.open()

    def _options_for(self, types: Mapping[str, str], block_size: int, quotes: bool) -> dict[str, Any]:
        return parser_options(self._dialect, self._options.markers, types, block_size * self._patience, quotes)

    @contextmanager
    def _clear_surprises(self) -> Iterator[None]:
        """Arrow's complaints about a file, told apart."""
        import pyarrow as pa

        with clear_errors(self.source.name):
            try:
                yield
            except (pa.ArrowInvalid, UnicodeDecodeError) as error:
                message = str(error)
                if "straddl" in message and self._patience < 1 << 12:
                    self._patience *= 8
                    raise _Surprise(None) from None
                if isinstance(error, UnicodeDecodeError) or "UTF8" in message:
                    self._other_encoding(error)
                    raise _Surprise(None) from None
                if place := re.match(r"In CSV column #(\d+): CSV conversion error", message):
                    raise _Surprise(int(place[1])) from None
                raise locate.misfit(self.source, self._dialect, message) from error

    def _other_encoding(self, error: Exception) -> None:
        following = {"utf-8": "cp1252", "cp1252": "latin-1"}.get(self._dialect.encoding)
        if self._options.encoding or following is None:
            raise FileError(
                f"The text is not written in {self._dialect.encoding}. Give its encoding.", self.source.name
            ) from error
        self.__dict__["_dialect"] = replace(self._dialect, encoding=following)

    def _column(self, name: str, values: Any, reading: str) -> Column:
        values = _one_array(values)
        if not hasattr(values, "dictionary"):
            return column_of_arrow(name, values)
        return self._from_labels(name, values, trim_texts(values.dictionary, self._options.markers), reading)

    def _from_labels(self, name: str, values: Any, labels: Any, reading: str) -> Column:
        import pyarrow.compute as pc

        if pc.any(pc.match_substring(labels, "\0")).as_py():
            raise locate.zero_byte(self.source, self._dialect, name)
        try:
            by_label = convert_texts(labels, reading, self._dialect.decimal)
        except ValueError:
            raise self._misread(name, reading) from None
        if reading not in ("text", "declared"):
            return column_of_arrow(name, by_label.take(values.indices))
        sorted_labels = column_of_arrow(name, by_label)
        codes = np.append(sorted_labels.values, np.int32(-1))[values.indices.fill_null(-1).to_numpy()]
        return Column(name, "nominal", codes, sorted_labels.categories)

    def _named_column(self, surprise: _Surprise) -> str:
        """The column of a surprise, unless it is the one that should not be there."""
        name = self._dialect.names[surprise.column or 0]
        if name in self.names:
            return name
        raise locate.surplus_cell(self.source, self._dialect)

    def not_numeric(self, name: str) -> FileError:
        return self._misread(name, "number")

    def _misread(self, name: str, reading: str) -> FileError:
        return locate.misread(self.source, self._dialect, self._options.markers, name, reading)

    def _check_quotes(self, table: Table) -> None:
        """Arrow takes an unclosed quote for a last cell that runs to the end of the file."""
        ends = (c.categories[c.values[-1]] for c in table.columns if c.kind == "nominal" and c.values[-1] >= 0)
        if any("\n" in end or "\r" in end for end in ends):
            error = locate.unclosed_quote(self.source, self._dialect)
            if error is not None:
                raise error


def _one_array(values: Any) -> Any:
    if hasattr(values, "combine_chunks"):
        return values.unify_dictionaries().combine_chunks()
    return values
