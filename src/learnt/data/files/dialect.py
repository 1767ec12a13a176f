"""How a delimited text file is written: encoding, delimiter, header and decimal sign, found from its start."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

from learnt.data import cells
from learnt.data.files.source import Source
from learnt.errors import FileError

SAMPLE_BYTES = 1 << 17
_DELIMITERS = ("\t", ";", ",", "|")  # where several fit equally well, the first does
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_POINT_NUMBER = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?")


@dataclass(frozen=True)
class Options:
    """What the user says about a text file; None is found out."""

    delimiter: str | None = None
    header: bool | None = None
    quote: str = '"'
    encoding: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] | None = None  # None: the usual texts
    date_order: str | None = None  # "day" or "month"
    sheet: str | None = None
    skip_bad: int = 0

    @property
    def markers(self) -> tuple[str, ...]:
        """All texts that stand for a missing cell."""
        return cells.MISSING if self.missing is None else ("", *self.missing)


@dataclass(frozen=True)
class Dialect:
    """All that is needed to cut a file into cells. `names` has one entry per column of the file."""

    delimiter: str
    quote: str
    encoding: str
    decimal: str
    names: tuple[str, ...]
    skip_lines: int  # blank lines at the top and the header
    sample: tuple[tuple[str, ...], ...]  # the first data rows
    row_bytes: float
    complete: bool  # whether the sample is the whole file
    trailing: bool  # every line ends in a delimiter: the last column is not a column


def sniff(source: Source, options: Options) -> Dialect:
    """The dialect of a file, as far as the options leave it open."""
    start = source.head(SAMPLE_BYTES)
    if not start.strip():
        raise FileError("The file is empty. A table was expected.", source.name)
    complete = len(start) < SAMPLE_BYTES
    text, encoding = _decoded_start(start, options.encoding or encoding_of(start, complete), source.name)
    delimiter = options.delimiter or _delimiter(text, options.quote, complete, source.extension)
    rows = _rows(text, delimiter, options.quote, complete)
    if not rows:
        raise FileError("The first line is longer than 128 KB. Is this a table?", source.name, 1)
    first, data = rows[0][1], [row for _, row in rows[1:]]
    header = _has_header(first, data) if options.header is None else options.header
    if not header:
        data.insert(0, first)
    width, trailing = _width(first, data, header)
    names = _names(first, width, trailing) if header else [f"x{j}" for j in range(width)]
    blank_lines = len(text[: len(text) - len(text.lstrip("\r\n"))].splitlines())
    dialect = Dialect(
        delimiter=delimiter,
        quote=options.quote,
        encoding=encoding,
        decimal=options.decimal or _decimal(data, delimiter),
        names=tuple(names),
        skip_lines=rows[0][0] if header else blank_lines,
        sample=tuple(tuple(row) for row in data),
        row_bytes=len(start) / len(rows),
        complete=complete,
        trailing=trailing,
    )
    if header:
        _refuse_twins(dialect, source.name)
    return dialect


def encoding_of(start: bytes, whole: bool) -> str:
    """UTF-8 or UTF-16 by mark or by content, else the encoding of Western Windows, else Latin-1."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding in ("utf-8", "cp1252"):
        try:
            codecs.getincrementaldecoder(encoding)().decode(start, final=whole)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def _decoded_start(start: bytes, encoding: str, name: str) -> tuple[str, str]:
    """The text and the usual name of its encoding."""
    try:
        codec = codecs.lookup(encoding)
        text = codecs.getincrementaldecoder(encoding)().decode(start)
    except LookupError as error:
        raise FileError(f"There is no encoding {encoding!r}. Name one that Python knows.", name) from error
    except UnicodeDecodeError as error:
        line = start[: error.start].count(b"\n") + 1
        raise FileError(f"The text is not written in {encoding}. Give its encoding.", name, line) from error
    return text.removeprefix("\ufeff"), codec.name


def _rows(text: str, delimiter: str, quote: str, complete: bool) -> list[tuple[int, list[str]]]:
    """The rows of the sample that are whole, each with the number of its last line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote or None,
                        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE)  # fmt: skip
    rows = []
    try:
        for row in reader:
            rows.append((reader.line_num, row))
        if not complete:
            rows = rows[:-1]  # cut off by the end of the sample
    except csv.Error:  # a cell beyond the csv module's limit: the rows before it must do
        pass
    return [(line, [cell.strip() for cell in row]) for line, row in rows if row and row != [""]]


def _delimiter(text: str, quote: str, complete: bool, extension: str) -> str:
    """The delimiter that cuts most rows into the same number of cells, at least two."""
    if extension in (".tsv", ".tab"):
        return "\t"
    best, best_share = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for _, row in _rows(text, delimiter, quote, complete)[:1000])
        width, rows = widths.most_common(1)[0] if widths else (1, 0)
        share = rows / widths.total() if width > 1 else 0.0
        if share > best_share:
            best, best_share = delimiter, share
    return best


def _has_header(first: list[str], data: list[list[str]]) -> bool:
    """Whether the first row names the columns: all words, above a column of numbers or unlike the rows below."""
    given = [cell for cell in first if cell]
    if not given or any(_is_data(cell) for cell in given):
        return False
    columns = [[row[j] for row in data[:1000] if j < len(row) and row[j]] for j in range(len(first))]
    if any(cells_below and all(map(_is_data, cells_below)) for cells_below in columns):
        return True
    # All is text: labels come again in their column, names seldom do.
    recurring = sum(name in below for name, below in zip(first, columns, strict=True) if name)
    return len(set(given)) == len(given) and 2 * recurring < len(given)


def _is_data(cell: str) -> bool:
    return (
        cell in cells.TRUE
        or cell in cells.FALSE
        or cell == "?"
        or any(form.fullmatch(cell) for form in (_NUMBER, _DATE))
    )


def _width(first: list[str], data: list[list[str]], header: bool) -> tuple[int, bool]:
    """How many cells a line has, and whether the last is only what follows a closing delimiter."""
    if header and data and all(len(row) == len(first) + 1 and row[-1] == "" for row in data):
        return len(first) + 1, True
    rows = [first, *data]
    trailing = len(first) > 1 and all(len(row) == len(first) and row[-1] == "" for row in rows)
    return len(first), trailing


def _names(first: list[str], width: int, trailing: bool) -> list[str]:
    padded = [*first, ""][:width] if trailing else first
    return [name or f"x{j}" for j, name in enumerate(padded)]


def _refuse_twins(dialect: Dialect, name: str) -> None:
    seen: dict[str, int] = {}
    for j, column in enumerate(dialect.names):
        if column in seen:
            raise FileError(
                f"Two columns are called {column!r}: the {seen[column] + 1}. and the {j + 1}. of the header. "
                "Column names must differ. Rename one, or give header=False if the first row is data.",
                name,
                dialect.skip_lines,
            )
        seen[column] = j


def _decimal(data: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    sample = [cell for row in data[:1000] for cell in row]
    commas = any(_COMMA_NUMBER.fullmatch(cell) for cell in sample)
    return "," if commas and not any(_POINT_NUMBER.fullmatch(cell) for cell in sample) else "."
