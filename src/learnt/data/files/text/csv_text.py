"""The bytes of a delimited text below its heading, as UTF-8, whatever they are in the file."""

from __future__ import annotations

import codecs
import io
import re
from typing import Any, BinaryIO

import numpy as np

from learnt import _core
from learnt.data.files.text.dialect import Dialect
from learnt.data.files.text.fixed_width import as_delimited
from learnt.data.table import Array

_PIECE = 1 << 20
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")
_MARK = codecs.BOM_UTF8


class CsvText:
    """A file from its first row on. What does not fit into memory waits for the next call."""

    def __init__(self, stream: BinaryIO, dialect: Dialect):
        self._stream = stream
        self._decoder = None if dialect.encoding == "utf-8" else codecs.getincrementaldecoder(dialect.encoding)()
        self._single = _single_delimiters(dialect) if dialect.runs else _columns_cut(dialect) if dialect.gaps else None
        self._waiting = b""
        self._ended = False
        self._stop, self._taken = dialect.stop, 0  # bytes before a footer, and those read of them
        # A file on disk that needs no recoding is read by all threads.
        on_disk = isinstance(getattr(stream, "raw", None), io.FileIO)
        as_it_is = on_disk and self._decoder is None and self._single is None
        self._plain = stream.fileno() if as_it_is else None
        self._skip(dialect.skip_lines)
        self._offset = stream.tell() if self._plain is not None else 0

    def fill(self, memory: Array, start: int) -> int:
        """Fill memory from a place on; the place up to which there was enough in the file."""
        while start < len(memory):
            if not self._waiting and self._plain is not None:
                taken = _core.read_file(self._plain, self._offset, memory, start)
                if self._stop is not None:
                    taken = min(taken, max(self._stop - self._offset, 0))
                self._offset += taken
                return start + taken
            while not self._waiting and not self._ended:
                self._waiting = self._next()
            taken = min(len(memory) - start, len(self._waiting))
            if not taken:
                break
            memory[start : start + taken] = np.frombuffer(self._waiting, np.uint8, taken)
            self._waiting = self._waiting[taken:]
            start += taken
        return start

    def _next(self) -> bytes:
        """The next bytes, recoded; b"" may mean that there are none as yet."""
        piece = self._stream.read(_PIECE if self._stop is None else min(_PIECE, self._stop - self._taken))
        self._taken += len(piece)
        self._ended = not piece
        if self._decoder is not None:
            piece = self._decoder.decode(piece, final=self._ended).encode()
        return piece if self._single is None else self._single(piece, self._ended)

    def _skip(self, lines: int) -> None:
        """Leave out the mark of an encoding and the lines above the rows."""
        start = self._next()
        while len(start) < len(_MARK) and not self._ended:
            start += self._next()
        at = len(_MARK) if start.startswith(_MARK) else 0
        while lines:
            found = _LINE_END.search(start, at)
            if found is not None:
                at, lines = found.end(), lines - 1
            elif self._ended:  # nothing but a heading
                at, lines = len(start), 0
            else:
                start, at = start[at:] + self._next(), 0
        self._waiting = start[at:]


def _columns_cut(dialect: Dialect) -> Any:
    """A function that puts delimiters between columns of fixed width."""
    held = b""

    def convert(piece: bytes, ended: bool) -> bytes:
        nonlocal held
        content = held + piece
        cut = len(content) if ended else max(content.rfind(b"\n"), content.rfind(b"\r", 0, len(content) - 1)) + 1
        held = content[cut:]
        lines = io.StringIO(content[:cut].decode(errors="replace"), newline="")
        return "".join(as_delimited(line, dialect.gaps, dialect.delimiter) for line in lines).encode()

    return convert


def _single_delimiters(dialect: Dialect) -> Any:
    """A function that makes one delimiter of blanks in a row, and none of those at the ends of lines."""
    quote = re.escape(dialect.quote.encode())
    quoted = quote + b"[^" + quote + b"]*" + quote + b"|" if quote else b""
    blanks = re.compile(b"(" + quoted + rb"[ \t]*[\r\n][ \t\r\n]*)|[ \t]+")
    delimiter = dialect.delimiter.encode()
    held, fresh = b"", True

    def replaced(found: re.Match[bytes]) -> bytes:
        kept = found[1]
        if kept is None:
            return delimiter
        return kept if quote and kept.startswith(dialect.quote.encode()) else re.sub(rb"[ \t]+", b"", kept)

    def convert(piece: bytes, ended: bool) -> bytes:
        nonlocal held, fresh
        content = held + piece
        # Up to the last line end: what follows it may go on.
        cut = len(content) if ended else max(content.rfind(b"\n"), content.rfind(b"\r"), 0)
        held = content[cut:]
        if not cut:
            return b""
        content, fresh = content[:cut].lstrip(b" \t") if fresh else content[:cut], False
        return blanks.sub(replaced, content.rstrip(b" \t") if ended else content)

    return convert
