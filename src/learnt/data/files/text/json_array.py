"""The objects of a JSON array, one at a time: `[{"a": 1}, {"a": 2}]` as the lines that a file of JSON lines has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from learnt.data.files.text.json_bounds import DEEPEST
from learnt.errors import FileError

_CHUNK = 1 << 18
_MARK = b"\xef\xbb\xbf"
_QUOTE, _BRACE, _BRACKET = b'"{['
# A string that may be cut off by the end of the chunk, a bracket, or what stands between rows.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|(?P<cut>\\?\Z))|[][{}]|[^][{}"\s,]+', re.S)


def begins_array(start: bytes) -> bool:
    """Whether a file that starts so is an array of objects."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*\[\s*(?:[{\]]|\Z)", start) is not None


def array_objects(stream: BinaryIO, file: str) -> Iterator[tuple[int, bytes]]:
    """Each object as a line of its own, with the line of the file it begins in."""
    held, depth, begun, closed = b"", 0, -1, False
    place = 0  # where to look on in what is held
    line, counted_to = 1, 0  # the line of a place in it

    while True:
        fresh = stream.read(_CHUNK)
        held = held + fresh
        for found in _TOKEN.finditer(held, place):
            if found["cut"] is not None and fresh:
                break  # the string goes on in the next chunk
            place = found.end()
            sign = held[found.start()]
            if sign == _QUOTE and depth > 1:
                continue
            if sign in b"{[":
                depth += 1
                if depth == 2 and sign == _BRACE:
                    begun = found.start()
            elif sign in b"}]":
                depth -= 1
                closed = depth == 0
                if depth == 1:
                    line, counted_to = line + held.count(b"\n", counted_to, begun), begun
                    yield line, re.sub(rb"[\r\n]+", b" ", held[begun:place]) + b"\n"
                    begun = -1
                continue
            inside = begun >= 0 or (depth == 1 and sign == _BRACKET) or found[0] == _MARK
            if closed or not inside or depth > DEEPEST:
                here = line + held.count(b"\n", counted_to, found.start())
                raise _misplaced(found[0], closed, depth, file, here)
        kept = begun if begun >= 0 else place
        line, held, place = line + held.count(b"\n", counted_to, kept), held[kept:], place - kept
        begun, counted_to = min(begun, 0), 0
        if not fresh:
            break
    if not closed:
        raise FileError("The array is not closed. The file may be cut off.", file, line + held.count(b"\n"))


def _misplaced(token: bytes, closed: bool, depth: int, file: str, line: int) -> FileError:
    if closed:
        return FileError("The file goes on after the end of the array.", file, line)
    if depth > DEEPEST:
        return FileError(f"Values are nested deeper than {DEEPEST} levels.", file, line)
    shown = token[:30].decode("utf-8", "replace")
    return FileError(f"The array holds {shown!r}. Objects, in braces, were expected: one per row.", file, line)
