"""Delimited text through the parser: windows of bytes in, columns as they stand in the file out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.files.source import Source, clear_errors
from learnt.data.files.text import locate
from learnt.data.files.text.csv_text import CsvText
from learnt.data.files.text.dialect import Dialect
from learnt.data.raw import RawColumn, Words
from learnt.errors import FileError

WINDOW_BYTES = 1 << 19  # for each thread: what its own cache holds is read from file once, not from memory again
BLOCK_BYTES = 1 << 17  # what one thread reads at a time
LONGEST_ROW = (1 << 32) - 256
SKIP, NUMBERS, WORDS, COUNTED = 0, 1, 2, 3
_MOST_THREADS = 32


class OtherEncoding(Exception):
    """The bytes are no text in the encoding that the start of the file promised."""


class CsvRows:
    """The rows of a file, of which the parser holds as many as its user leaves there."""

    def __init__(self, source: Source, dialect: Dialect, modes: Mapping[str, int], skip_bad: int = 0):
        self.source, self.dialect = source, dialect
        self._modes, self._skip_bad = modes, skip_bad
        self._places = {name: j for j, name in enumerate(dialect.names)}
        self._held: dict[str, Words] = {}
        columns = np.array([modes.get(name, SKIP) for name in dialect.names], dtype=np.int8)
        if dialect.trailing:
            columns[-1] = WORDS  # a cell there is an error
        self.parser = _core.CsvReader(
            _sign(dialect.delimiter, "delimiter", source),
            _sign(dialect.quote, "quote", source) if dialect.quote else 0,
            _sign(dialect.decimal, "decimal", source),
            columns,
            dialect.skip_lines,
            BLOCK_BYTES,
        )

    def windows(self) -> Iterator[None]:
        """Read on, one window after the other; after each, the parser holds its rows too."""
        memory: Any = np.empty(WINDOW_BYTES * min(_core.get_threads(), _MOST_THREADS), dtype=np.uint8)
        held = 0
        with clear_errors(self.source.name), self.source.open() as stream:
            with _told_encodings():
                text = CsvText(stream, self.dialect)
            more = True
            while more:
                with _told_encodings():
                    stop = text.fill(memory, held)
                more = stop == len(memory)
                used = self.parser.parse(memory, 0, stop, more)
                self._check(more)
                held = stop - used
                memory[:held] = memory[used:stop].copy()
                if used:
                    yield
                elif more:
                    memory = self._larger(memory)

    def _larger(self, memory: Any) -> Any:
        """Twice the room, for a row that did not fit."""
        if len(memory) >= LONGEST_ROW:
            line = self.parser.lines + 1
            raise FileError("A row is longer than 4 GB. Is a quote not closed?", self.source.name, line)
        larger = np.empty(min(2 * len(memory), LONGEST_ROW), dtype=np.uint8)
        larger[: len(memory)] = memory
        return larger

    def _check(self, more: bool) -> None:
        if self.parser.n_bad > self._skip_bad:
            raise locate.misfit(self.source, self.dialect, self._skip_bad, self.parser.bad_lines)
        if not more and self.parser.unclosed:
            raise locate.unclosed_quote(self.source, self.dialect)
        if self.dialect.trailing and self.words(self.dialect.names[-1]).texts:
            raise locate.surplus_cell(self.source, self.dialect)

    # What the parser holds.

    def words(self, name: str) -> Words:
        if self.parser.holds_zero(self._places[name]):
            raise locate.zero_byte(self.source, self.dialect, name)
        with _told_encodings():
            return Words(*self.parser.words(self._places[name]))

    def begin_again(self, most_words: int) -> None:
        """Forget the rows, and the words of columns that have more than so many."""
        self.parser.begin_again(most_words)
        self._held = {name: words for name, words in self._held.items() if self.parser.n_words(self._places[name])}

    def n_numbers(self, name: str) -> int:
        return self.parser.n_numbers(self._places[name])

    def n_empty(self, name: str, words: Words) -> int:
        return self.parser.n_rows - self.n_numbers(name) - int(words.counts.sum())

    def take(self, name: str) -> RawColumn:
        """A column with all its rows, which the parser then no longer has."""
        j = self._places[name]
        words = self._held.get(name)
        if words is None or len(words) != self.parser.n_words(j):  # else all were there before; how often, nobody asks
            words = self._held[name] = self.words(name)
        codes = self.parser.take_codes(j)
        if self._modes[name] == WORDS:
            return RawColumn(name, words, codes)
        numbers, rows = self.parser.take_numbers(j)
        return RawColumn(name, words, codes, numbers, rows)


@contextmanager
def _told_encodings() -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise OtherEncoding(str(error)) from error


def _sign(text: str, setting: str, source: Source) -> int:
    if len(text) != 1 or not text.isascii() or text in "\r\n\0":
        raise FileError(f"{setting}={text!r} cannot be used. One ASCII character was expected.", source.name)
    return ord(text)
