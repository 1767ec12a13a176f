"""Where in a delimited file a mistake is: read slowly, once, after the fast reader has failed."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from learnt.data.files.source import Source, clear_errors
from learnt.data.files.text.dialect import Dialect
from learnt.data.files.text.tail import Until
from learnt.errors import FileError
from learnt.show.words import count_of


def misfit(source: Source, dialect: Dialect, allowed: int, lines: Sequence[int]) -> FileError:
    """The error for the first row that has more or fewer cells than the table has columns, the allowed ones aside.

    `lines` are those of such rows.
    """
    width = len(dialect.names)
    for line, row, text in _records(source, dialect):
        if len(row) != width:
            if allowed:
                allowed -= 1
                continue
            places = _places(text, dialect)
            extra = len(row) > width and len(places) > width
            down, column = places[width] if extra else (0, len(text.splitlines()[0] if text.strip() else "") + 1)
            if not extra and _is_open(text, dialect):
                return _open_quote(source, line, text, dialect)
            return FileError(
                f"The row has {count_of(len(row), 'cell')}. Expected {width}, one per column. "
                f"Check for a missing or surplus {dialect.delimiter!r}, or quote the cell that holds it.",
                source.name,
                line + down,
                column,
            )
    line_of_row = lines[allowed] if allowed < len(lines) else None
    return FileError(f"The row has not {width} cells, one per column.", source.name, line_of_row)


def bad_cell(source: Source, dialect: Dialect, name: str, is_bad: Callable[[str], bool], message: str) -> FileError:
    """The error for the first cell of a column that `is_bad`; `message` may have {value!r} and {row} in it."""
    j = dialect.names.index(name)
    for row_number, (line, row, text) in enumerate(_records(source, dialect)):
        if j < len(row) and is_bad(row[j]):
            down, column = _place(text, dialect, j)
            return FileError(_filled_message(message, row[j], row_number), source.name, line + down, column)
    return FileError(_filled_message(message, "?", "?"), source.name)


def _filled_message(message: str, value: str, row: object) -> str:
    # Not str.format: names of columns may hold braces.
    return message.replace("{value!r}", repr(value)).replace("{row}", str(row))


def zero_byte(source: Source, dialect: Dialect, name: str) -> FileError:
    message = f"Column {name!r} holds a zero byte. Text was expected. Check the encoding, or if this is text at all."
    return bad_cell(source, dialect, name, lambda cell: "\0" in cell, message)


def surplus_cell(source: Source, dialect: Dialect) -> FileError:
    """The error for a cell after the delimiter that closes every line."""
    message = (
        "The row goes on after the last column with {value!r}. All rows before end in a delimiter. "
        "Remove the cell or name its column."
    )
    return bad_cell(source, dialect, dialect.names[-1], lambda cell: bool(cell.strip()), message)


def place_of_cell(source: Source, dialect: Dialect, name: str, line: int) -> tuple[int, int | None]:
    """Line and column of the cell that the row from this line on has in the column `name`."""
    j = dialect.names.index(name)
    for start, row, text in _records(source, dialect):
        if start == line and j < len(row):
            down, column = _place(text, dialect, j)
            return line + down, column
        if start > line:
            break
    return line, None


def unclosed_quote(source: Source, dialect: Dialect) -> FileError:
    """The error for a quote that the end of the file finds open."""
    last = None
    for last in _records(source, dialect):  # noqa: B007
        pass
    if last is None or not _is_open(last[2], dialect):
        return FileError("A quote is never closed. Close it, or double it if it is part of the text.", source.name)
    return _open_quote(source, last[0], last[2], dialect)


def _open_quote(source: Source, line: int, text: str, dialect: Dialect) -> FileError:
    down, column = _places(text, dialect)[-1]
    return FileError(
        f"A quote {dialect.quote} opens a cell and is never closed. Close it, or double it if it is part of the text.",
        source.name,
        line + down,
        column,
    )


def _records(source: Source, dialect: Dialect) -> Iterator[tuple[int, list[str], str]]:
    """The data rows: number of the first line, cells, and the text they were cut from."""
    with (
        clear_errors(source.name),
        _cells_of_any_length(),
        _lines_of(Until(source.open(), dialect.stop), dialect.encoding) as lines,
    ):
        taken: list[str] = []

        def remembered() -> Iterator[str]:
            for line in lines:
                taken.append(line)
                yield line

        for _ in range(dialect.skip_lines):
            next(lines, "")
        rows: Any = dialect.cutting.reader(remembered())
        start = dialect.skip_lines + 1
        for row in rows:
            text = "".join(taken)
            if row and (len(dialect.names) == 1 or text.strip()):  # blank lines are not rows
                yield start, row, text.removeprefix("\ufeff")
            start = dialect.skip_lines + rows.line_num + 1
            taken.clear()


def _lines_of(stream: Any, encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline="")


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """The csv module gives up beyond 128 KB unless told otherwise, which can only be told for the whole process."""
    usual = csv.field_size_limit((1 << 31) - 1)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _place(text: str, dialect: Dialect, j: int) -> tuple[int, int]:
    """The place of cell j; of the last known one where blanks of any number and sort cut the row."""
    places = _places(text, dialect)
    return places[min(j, len(places) - 1)]


def _places(text: str, dialect: Dialect) -> list[tuple[int, int]]:
    """For each cell of one row: lines below its first, and the place in that line, from 1."""
    places = [(0, 1)]
    down, column, quoted, at_start = 0, 0, False, True
    for sign in text:
        column += 1
        if sign == dialect.quote and (quoted or at_start):
            quoted = not quoted  # a doubled quote closes and opens again
        elif not quoted and not dialect.gaps and (sign == dialect.delimiter or (dialect.runs and sign == "\t")):
            places.append((down, column + 1))
        elif sign == "\n":
            down, column = down + 1, 0
        at_start = sign == dialect.delimiter and not quoted
    return places


def _is_open(text: str, dialect: Dialect) -> bool:
    """Whether the row ends inside a quoted cell."""
    if not dialect.quote:
        return False
    try:
        list(
            csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter, quotechar=dialect.quote, strict=True)
        )
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False
