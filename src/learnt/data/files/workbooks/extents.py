"""How far the cells of a workbook reach, found before its sheets are read: the reader makes room for all cells between
the first and the last, and one in row 1,048,576 of column XFD would take 400 GB."""

from __future__ import annotations

import re
import zipfile
import zlib
from typing import IO

from learnt.errors import FileError

#: So many cells, or so many for each one that is there, are no sheet that somebody filled.
_MANY, _PER_CELL = 2_000_000, 100
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_ROW = re.compile(rb"<(?:\w+:)?row\b[^>]*?\br\s*=\s*[\"'](\d{1,20})")
_CELL = re.compile(rb"<(?:\w+:)?c\b[^>]*?\br\s*=\s*[\"']([A-Za-z]+)(\d{1,20})")
_TWICE = re.compile(rb"<(?:\w+:)?(?:c|row)\b[^>]*?\br\s*=[^>]*?\br\s*=")
_CHUNK, _LONGEST_TAG = 1 << 24, 1 << 10


def check_extents(stream: IO[bytes], name: str) -> None:
    """Raise if a sheet of an .xlsx workbook reaches far beyond its cells; other formats end by themselves."""
    try:
        with zipfile.ZipFile(stream) as book:
            for part in book.namelist():
                if _SHEET.fullmatch(part):
                    with book.open(part) as sheet:
                        _check_sheet(sheet, part, name)
    except FileError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError):
        pass  # the reader says what is wrong with it
    finally:
        stream.seek(0)


def _check_sheet(sheet: IO[bytes], part: str, name: str) -> None:
    first = last = widest = cells = 0
    rest = b""
    while chunk := sheet.read(_CHUNK):
        text = rest + chunk
        if _TWICE.search(text):  # then readers go by the last
            raise FileError(f"A cell in {part} has two places. The workbook is damaged.", name)
        for found in _ROW.finditer(text):
            last = max(last, int(found[1]))
        for found in _CELL.finditer(text):
            cells += 1
            last, widest = max(last, int(found[2])), max(widest, _column(found[1]))
            first = min(first, int(found[2])) if first else int(found[2])
        rest = text[-_LONGEST_TAG:]
    room = (last - first + 1) * widest
    if room > _MANY and room > _PER_CELL * max(cells, 1):
        raise FileError(
            f"The sheet in {part} has {cells:,} cells, but they reach to row {last:,} and column {widest:,}. "
            "Delete what stands far outside of the table.",
            name,
        )


def _column(letters: bytes) -> int:
    """1 for A; of a name with very many letters, which a reader's 32 bits do not hold, a billion."""
    if len(letters) > 6:
        return 10**9
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number
