"""Delimited text of any length, cut into blocks of whole rows that can be read at the same time.

Only the cutting looks at all bytes one after the other: it searches the last line break of a block that is in no
quoted cell. Each block is then a small file of its own to learnt's reader.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, BinaryIO

from learnt.cli.writing.csv_cells import style_of
from learnt.data.files.part import Reading
from learnt.data.files.source import Source, clear_errors
from learnt.data.files.text.csv import CsvPart
from learnt.data.files.text.csv_rows import CsvRows
from learnt.data.files.text.dialect import LARGEST_SAMPLE, SAMPLE_BYTES, Options, sniff
from learnt.data.files.text.tail import Until
from learnt.data.notes import Note
from learnt.data.schema import ColumnSchema
from learnt.data.table import Table
from learnt.errors import FileError
from learnt.show.words import count_of, first_of

BLOCK_BYTES = 4 << 20
LONGEST_ROW = 64 << 20
_ROWS = 1 << 30  # more than a block has


@dataclass(frozen=True)
class Block:
    """Whole rows, and how many lines of the file stand before them."""

    content: bytes
    lines_before: int


class CsvBlocks:
    """A delimited text, from a file or a pipe, read once from its start to its end."""

    def __init__(self, stream: BinaryIO, name: str, options: Options | None = None, source: Source | None = None):
        self.name = name
        self._lock, self._bad_rows, self._bad_lines = Lock(), 0, list[int]()
        self._options = Options() if options is None else options
        with clear_errors(name):
            start = _start_of(stream)
        if source is not None:
            dialect = sniff(source, self._options)
        else:  # how a pipe ends is not known before it has ended
            dialect = sniff(Source(name, None, start, None), self._options, to_the_end=len(start) < SAMPLE_BYTES)
        self.style = style_of(dialect, start)
        self._stream: Any = _Chained(start, stream)
        if dialect.stop is not None:
            self._stream = Until(self._stream, dialect.stop)
        if dialect.encoding.startswith("utf-16"):
            self._stream = _Recoded(self._stream, dialect.encoding)
            dialect = replace(dialect, encoding="utf-8")
        self._header_lines = dialect.skip_lines
        self._old_mac = b"\n" not in start and b"\r" in start
        # The sample may be all rows there are, but a block is never known to be without rows.
        self.dialect = replace(dialect, skip_lines=0, complete=False, stop=None)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was done to the file as a whole, as far as it was read."""
        if not self._bad_rows:
            return self.dialect.notes
        shown = first_of([f"{line:,}" for line in sorted(self._bad_lines)], 5)
        text = f"{count_of(self._bad_rows, 'row')} with too few or too many cells left out, from line {shown}"
        return (*self.dialect.notes, Note(None, f"{text}, and not answered.", "--skip-bad 0", "skip_bad=0"))

    def count_skipped(self, rows: int, lines: Sequence[int]) -> None:
        """Rows of a block that were left out; of all blocks there may be no more than was allowed."""
        with self._lock:
            self._bad_rows += rows
            self._bad_lines += lines
            if self._bad_rows > self._options.skip_bad:
                raise FileError(
                    f"More than {self._options.skip_bad:,} rows have too few or too many cells. Correct them, or allow "
                    "more with --skip-bad.",
                    self.name,
                    max(self._bad_lines),
                )

    @property
    def names(self) -> tuple[str, ...]:
        return self.dialect.columns

    def readings(self, columns: Sequence[ColumnSchema]) -> dict[str, Reading]:
        """How columns that a model knows are read here."""
        return {column.name: "text" if column.documents else column for column in columns}

    def blocks(self, size: int = BLOCK_BYTES) -> Iterator[Block]:
        """The rows after the header, about `size` bytes at a time."""
        lines = skip = self._header_lines
        held = b""
        wanted = size
        while True:
            with clear_errors(self.name):
                fresh = _read_fully(self._stream, max(wanted - len(held), 1))
            content = held + (fresh.replace(b"\r", b"\n") if self._old_mac else fresh)
            ended = not fresh
            if skip:
                content, skip = _without_lines(content, skip)
                content = b"" if ended and skip else content  # a header without an end has no rows
            cut = len(content) if ended else self._end_of_rows(content)
            if cut == 0 and not ended:
                if len(content) > LONGEST_ROW:
                    raise FileError(
                        f"A row is longer than {LONGEST_ROW >> 20} MB. Is a quote not closed?", self.name, lines + 1
                    )
                held, wanted = content, max(2 * len(content), size)
                continue
            held, wanted = content[cut:], size
            if content[:cut].strip():
                yield Block(content[:cut], lines)
            lines += content.count(b"\n", 0, cut)
            if ended:
                return

    def _end_of_rows(self, content: bytes) -> int:
        """Where the last whole row ends; 0 if none does."""
        quote = self.dialect.quote.encode()
        end = len(content)
        if quote and quote in content:
            for match in reversed(list(self._quoted.finditer(content))):
                found = content.rfind(b"\n", match.end(), end)
                if found >= 0:
                    return found + 1
                end = match.start()
        return content.rfind(b"\n", 0, end) + 1

    @property
    def _quoted(self) -> re.Pattern[bytes]:
        """A quoted cell, to its closing quote or to the end of what was read. A quote inside a cell opens nothing."""
        quote, delimiter = (re.escape(sign.encode()) for sign in (self.dialect.quote, self.dialect.delimiter))
        outside = b"(?<![^" + delimiter + b"\\r\\n])"
        inside = b"[^" + quote + b"]*+"
        return re.compile(outside + quote + inside + b"(?:" + quote * 2 + inside + b")*+(?:" + quote + rb"|\Z)")

    def tables(self, block: Block, columns: Sequence[str], readings: Mapping[str, Reading]) -> list[Table]:
        """These columns of a block; errors name the line of the whole file, not of the block."""
        try:
            return list(_BlockPart(block, self).tables(columns, readings, _ROWS))
        except FileError as error:
            if error.line is None:
                raise
            raise FileError(error._message, error.file, error.line + block.lines_before, error.column) from None

    def texts(self, block: Block) -> Any:
        """All cells of a block as they are written, an Arrow table of text."""
        import pyarrow as pa
        import pyarrow.csv as csv

        dialect = self.dialect
        if dialect.runs or dialect.gaps:  # which Arrow does not cut
            rows = [row for _, row in dialect.cutting.rows(block.content.decode(dialect.encoding))]
            columns = dict(zip(dialect.names, zip(*rows, strict=True), strict=True))
            return pa.table({name: pa.array(columns[name], pa.string()) for name in self.names})
        return csv.read_csv(
            io.BytesIO(block.content),
            read_options=csv.ReadOptions(
                column_names=dialect.names,
                block_size=len(block.content) + 1,
                encoding="utf8" if dialect.encoding == "utf-8" else dialect.encoding,  # only "utf8" is not recoded
            ),
            parse_options=csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.quote or False,
                newlines_in_values=dialect.quote.encode() in block.content,
                invalid_row_handler=(lambda row: "skip") if self._options.skip_bad else None,
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(dialect.names, pa.string()), include_columns=list(self.names)
            ),
        )


class _BlockPart(CsvPart):
    """A block as a file of its own, whose dialect is known."""

    def __init__(self, block: Block, whole: CsvBlocks):
        super().__init__(Source(whole.name, None, block.content, None), whole._options)
        self.__dict__["_dialect"] = whole.dialect
        self._whole, self._lines_before = whole, block.lines_before

    def _note_skipped(self, rows: CsvRows) -> None:
        if rows.parser.n_bad:
            self._whole.count_skipped(rows.parser.n_bad, [line + self._lines_before for line in rows.parser.bad_lines])


class _Chained:
    """Bytes already taken from a stream, then the rest of it."""

    def __init__(self, start: bytes, rest: BinaryIO):
        self._start, self._rest = io.BytesIO(start), rest

    def read(self, size: int) -> bytes:
        return self._start.read(size) or self._rest.read(size) or b""


class _Recoded:
    """A stream in another encoding, as UTF-8."""

    def __init__(self, stream: _Chained, encoding: str):
        self._stream, self._decoder = stream, codecs.getincrementaldecoder(encoding)()

    def read(self, size: int) -> bytes:
        while True:
            fresh = self._stream.read(size)
            text = self._decoder.decode(fresh, final=not fresh)
            if text or not fresh:
                return text.encode("utf-8")


def _start_of(stream: BinaryIO) -> bytes:
    """Enough of the start to tell how the text is written: the header, however long, and a row at least."""
    size = SAMPLE_BYTES
    start = _read_fully(stream, size)
    while len(start) == size < LARGEST_SAMPLE and start.count(b"\n") < 2:
        size *= 8
        start += _read_fully(stream, size - len(start))
    return start


def _read_fully(stream: Any, size: int) -> bytes:
    """`size` bytes, fewer only at the end: pipes give what they happen to have."""
    parts, lacking = [], size
    while lacking > 0:
        part = stream.read(lacking)
        if not part:
            break
        parts.append(part)
        lacking -= len(part)
    return b"".join(parts)


def _without_lines(content: bytes, count: int) -> tuple[bytes, int]:
    """`content` without its first lines, and how many are still to be left out."""
    at = 0
    while count:
        found = content.find(b"\n", at)
        if found < 0:
            return content[at:], count
        at, count = found + 1, count - 1
    return content[at:], 0
