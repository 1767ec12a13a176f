"""The end of a text file: where its table ends and totals, sources and remarks begin."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from learnt.data.files.source import Source, clear_errors
from learnt.data.files.text.cutting import Cutting
from learnt.data.files.text.fixed_width import keeps_gaps
from learnt.data.files.text.footer import Below, can_be_below, claimed_places, confirmed, footer_note, rows_below
from learnt.data.kinds import ReadOptions
from learnt.data.notes import Note

TAIL_BYTES = 1 << 16
_MOST_LINES = 200  # looked at, from the end
_LARGEST_SUMMED = 64 << 20  # bytes of a file whose columns are summed to tell a total


@dataclass(frozen=True)
class Tail:
    """The last lines of a text: as they stand, and as cells."""

    texts: list[str]
    rows: list[list[str]]
    encoding: str
    size: int  # bytes of the whole text
    lines_before: int | None  # those of the text before these; None: nobody has counted
    below: Below

    @property
    def _cut(self) -> int:
        """Where the table ends: before blank lines, which may hold delimiters."""
        place = self.below.start
        while place and not any(self.rows[place - 1]):
            place -= 1
        return place

    @property
    def last_line(self) -> int:
        """The number of the table's last line, of a text that is at hand."""
        return (self.lines_before or 0) + self._cut

    @property
    def stop(self) -> int:
        """The bytes of the table and all above it."""
        after = "".join(self.texts[self._cut :])
        encoding = {"utf-16": "utf-16-le", "utf-8-sig": "utf-8"}.get(self.encoding, self.encoding)  # without a mark
        return self.size - len(after.encode(encoding, "surrogateescape"))

    def starting_at(self, start: int) -> Tail | None:
        return None if start >= len(self.rows) else replace(self, below=Below(start))

    def note(self, source: Source) -> Note:
        """What is said of the lines left out."""
        before = _lines_before(source, self.stop) - self._cut if self.lines_before is None else self.lines_before
        last = max(i for i, row in enumerate(self.rows) if any(row))
        start = self.below.start
        return footer_note(range(before + start + 1, before + last + 2), self.rows[start])


class Until(io.BufferedIOBase):
    """A stream up to so many bytes; None: to its end."""

    def __init__(self, stream: Any, stop: int | None):
        self._stream, self._left = stream, stop

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        if self._left is not None:
            size = self._left if size is None or size < 0 else min(size, self._left)
        piece: bytes = self._stream.read(-1 if size is None else size)
        if self._left is not None:
            self._left -= len(piece)
        return piece

    def read1(self, size: int = -1) -> bytes:
        return self.read(size if size >= 0 else 1 << 16)

    def close(self) -> None:
        self._stream.close()
        super().close()


def tail_of(source: Source, text: str | None, encoding: str, cutting: Cutting, width: int) -> Tail | None:
    """The end of a file if it has a footer. `text` is all of it, where that is at hand."""
    if text is not None:
        size = len(source.held) if source.held is not None and source.compression is None else _size_of(source)
        lines = list(io.StringIO(text, newline=""))
    elif source.compression is None and encoding != "utf-16":
        size = len(source.held) if source.held is not None else _size_of(source)
        lines = list(io.StringIO(_end_of(source, size).decode(encoding, "surrogateescape"), newline=""))[1:]
    else:
        return None
    lines_before = None if text is None else max(0, len(lines) - _MOST_LINES)
    lines = lines[-_MOST_LINES:]
    last = next((line for line in reversed(lines) if line.strip()), "")
    if not can_be_below(_cells(last, cutting, width), width):  # nearly all files end in a row
        return None
    rows = [_cells(line, cutting, width) for line in lines]
    below = rows_below(rows, width)
    if below is None:
        return None
    after = "".join(lines[below.start :])
    if cutting.quote and (after.count(cutting.quote) % 2 or (text or "").count(cutting.quote) % 2):
        return None  # inside of a quoted cell, or of one that is never closed
    return Tail(lines, rows, encoding, size, lines_before, below)


def _cells(line: str, cutting: Cutting, width: int) -> list[str]:
    if cutting.quote and line.count(cutting.quote) % 2:
        return ["?"] * width  # a part of a row
    if cutting.gaps and not keeps_gaps(line, cutting.gaps):
        return [line.strip()]
    cells = cutting.cells(line)
    return cells if any(cells) else []


def _size_of(source: Source) -> int:
    if source.path is not None and source.compression is None:
        return os.path.getsize(source.path)
    with clear_errors(source.name), source.open() as stream:
        return sum(map(len, iter(lambda: stream.read(1 << 20), b"")))


def _end_of(source: Source, size: int) -> bytes:
    with clear_errors(source.name), source.open() as stream:
        stream.seek(max(0, size - TAIL_BYTES))
        return stream.read()


def confirmed_tail(
    tail: Tail, source: Source, data: Sequence[Sequence[str]] | None, above: int, cutting: Cutting, reading: ReadOptions
) -> Tail | None:
    """The same without totals that do not add up. `data` are all rows above it, where they are at hand; without them
    the file is read, but for so many rows of its heading."""
    if not tail.below.totals:
        return tail
    if data is None:
        if tail.size > _LARGEST_SUMMED:
            return tail.starting_at(tail.below.totals[-1] + 1)
        with clear_errors(source.name), source.open() as stream:
            text = stream.read(tail.stop).decode(tail.encoding, "replace")
        data = [row for _, row in cutting.rows(text)][above:]
    wanted = {j for i in tail.below.totals for j in claimed_places(tail.rows[i])}
    columns = {j: [row[j] if j < len(row) else "" for row in data] for j in wanted}
    return tail.starting_at(confirmed(tail.below, dict(enumerate(tail.rows)), len(tail.rows), columns, reading))


def _lines_before(source: Source, stop: int) -> int:
    lines, left = 0, stop
    with clear_errors(source.name), source.open() as stream:
        while left and (piece := stream.read(min(left, 1 << 20))):
            left -= len(piece)
            lines += piece.count(b"\n")
    return lines
