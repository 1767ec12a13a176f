"""How a delimited text file is written: encoding, delimiter, header and decimal sign, found from its start."""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from learnt.data.files.source import Source
from learnt.data.files.text.cutting import LONGEST_CELL, Cutting
from learnt.data.files.text.fixed_width import Gap, column_gaps
from learnt.data.files.text.heading import (
    are_amounts,
    distinct_names,
    heading_of,
    is_data,
    is_row_counter,
    preamble_of,
    skipped_titles,
)
from learnt.data.files.text.tail import Tail, confirmed_tail, tail_of
from learnt.data.kinds import ReadOptions
from learnt.data.notes import Note
from learnt.data.schema import KindName, Label
from learnt.errors import FileError
from learnt.show.words import count_of

SAMPLE_BYTES = 1 << 17
LARGEST_SAMPLE = 1 << 23
_DELIMITER_SAMPLE = 1 << 15  # characters that tell the delimiter
_COUNTS_ROWS = "The first column has no name and only numbers the rows; it was left out. Name it to keep it."
_FIXED_WIDTH = "The cells stand below each other in {} columns of fixed width; they are cut where all lines are blank."
_DELIMITERS = ("\t", ";", ",", "|")  # where several fit equally well, the first does
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_GROUPED_COMMA = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}[.,]\d{3}")
_POINT_NUMBER = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Options:
    """What the user says about a text file; None is found out."""

    delimiter: str | None = None
    header: bool | None = None
    footer: bool | None = None  # False: all lines below the header are rows
    quote: str = '"'
    encoding: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] | None = None  # texts that mean a missing cell; None: the usual ones
    sheet: str | int | None = None  # of a workbook, by name or place
    date_order: str | None = None  # "day" or "month" first
    skip_bad: int = 0  # rows with too few or too many cells that may be left out
    kinds: Mapping[str, KindName] = field(default_factory=dict)
    ordinal: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    missing_in: Mapping[str, Collection[str]] = field(default_factory=dict)  # as settled when a model learnt
    date_orders: Mapping[str, str] = field(default_factory=dict)

    def reading(self, decimal: str) -> ReadOptions:
        """What decides what texts mean."""
        return ReadOptions(
            self.missing, decimal, self.date_order, self.kinds, self.ordinal, self.missing_in, self.date_orders
        )


@dataclass(frozen=True)
class Dialect:
    """All that is needed to cut a file into cells. `names` has one entry per cell of a line."""

    delimiter: str
    quote: str
    encoding: str
    decimal: str
    names: tuple[str, ...]
    skip_lines: int  # all lines above the data: blank ones, titles, comments, the header
    sample: tuple[tuple[str, ...], ...]  # the first data rows
    row_bytes: float
    complete: bool  # whether the sample is the whole file
    trailing: bool  # every line ends in a delimiter: the last column is not a column
    notes: tuple[Note, ...] = ()
    runs: bool = False  # several delimiters in a row count as one, those at the ends of a line not at all
    left_out: tuple[int, ...] = ()  # the places of names that are not columns
    gaps: tuple[Gap, ...] = ()  # between columns of fixed width
    stop: int | None = None  # the bytes before a footer, where there is one

    @property
    def cutting(self) -> Cutting:
        return Cutting(self.delimiter, self.quote, self.runs, self.gaps)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the table."""
        if not self.left_out:
            return self.names
        return tuple(name for j, name in enumerate(self.names) if j not in self.left_out)


#: A first line of names that all stand in single quotes.
_QUOTED_SINGLY = re.compile(r"\s*'[^'\r\n]*'(?:[ \t]*[,;|\t ][ \t]*'[^'\r\n]*')+[ \t]*[\r\n]")


def sniff(source: Source, options: Options, *, to_the_end: bool = True) -> Dialect:
    """The dialect of a file, as far as the options leave it open. Not `to_the_end`: more follows what is here."""
    start = source.head(SAMPLE_BYTES)
    if not start.strip():
        raise FileError("The file is empty. A table was expected.", source.name)
    size = SAMPLE_BYTES
    while True:
        complete = len(start) < size
        text, encoding = _decoded_start(start, options.encoding or encoding_of(start, complete), source.name)
        if options.quote == '"' and '"' not in text and _QUOTED_SINGLY.match(text):
            options = replace(options, quote="'")
        cut = _cut_sample(text, options, complete, source.extension)
        if complete or len(cut.rows) > 1 or size >= LARGEST_SAMPLE:
            break
        size *= 8  # the header alone is longer
        start = source.head(size)
    if not text.strip():
        raise FileError("The file is empty. A table was expected.", source.name)
    if not cut.rows:
        raise FileError(_no_first_row(text, options.quote), source.name, 1)
    quote = cut.cutting.quote
    tail = None
    if to_the_end and options.footer is not False:
        widths = Counter(len(row) for _, row in cut.rows)
        tail = tail_of(source, text if complete else None, encoding, cut.cutting, widths.most_common(1)[0][0])
    rows = _rows_above(cut, tail, complete)
    if not rows:
        tail, rows = None, _rows_above(cut, None, complete)
    heading = heading_of(rows, options.header, cut.header_in_comment)
    if tail is not None:
        reading = options.reading(options.decimal or _decimal(rows[heading.above :], cut.cutting.delimiter))
        all_rows = rows[heading.above :] if complete else None
        tail = confirmed_tail(tail, source, all_rows, heading.above, cut.cutting, reading)
        rows = _rows_above(cut, tail, complete)
    data = rows[heading.above :]
    notes = [*cut.notes, *heading.notes]
    if tail is not None:
        notes.append(tail.note(source))
    first = list(heading.names) if heading.names is not None else rows[heading.above]
    if heading.names is not None and _lacks_row_names(first, data, cut):
        first = ["", *first]
    width, trailing = _width(first, data, heading.names is not None)
    left_out = [width - 1] if trailing else []
    if heading.names is None:
        names = tuple(f"x{j}" for j in range(width))
    else:
        names, renamed = distinct_names([*first, ""][:width] if trailing else first)
        notes += renamed
        if width > 1 and is_row_counter(first[0], [row[0] for row in data]):
            left_out.insert(0, 0)
            notes.append(Note(None, _COUNTS_ROWS, None, None))
    return Dialect(
        delimiter=cut.cutting.delimiter,
        quote=quote,
        encoding=encoding,
        decimal=options.decimal or _decimal(data, cut.cutting.delimiter),
        names=names,
        skip_lines=cut.rows[heading.above - 1][0] if heading.above else cut.lines_above,
        sample=tuple(tuple(row) for row in data),
        row_bytes=len(start) / len(rows),
        complete=complete,
        trailing=trailing,
        notes=tuple(notes),
        runs=cut.cutting.runs,
        left_out=tuple(left_out),
        gaps=cut.cutting.gaps,
        stop=None if tail is None else tail.stop,
    )


def _rows_above(cut: _CutSample, tail: Tail | None, complete: bool) -> list[list[str]]:
    """The rows of the sample, without those of a footer."""
    if tail is None or not complete:
        return [row for _, row in cut.rows]
    return [row for line, row in cut.rows if line <= tail.last_line]


@dataclass(frozen=True)
class _CutSample:
    """The start of a file, cut into rows, each with the number of its last line."""

    cutting: Cutting
    rows: list[tuple[int, list[str]]]
    lines_above: int
    header_in_comment: list[str] | None
    notes: tuple[Note, ...]


def _cut_sample(text: str, options: Options, complete: bool, extension: str) -> _CutSample:
    above = preamble_of(text)
    body, quote = text[above.characters :], options.quote
    notes: list[Note] = []
    n_above = above.lines
    delimiter = options.delimiter or above.delimiter
    if delimiter is not None:
        cutting = Cutting(delimiter, quote)
    else:
        start = body[:_DELIMITER_SAMPLE]
        cutting, titles = _cutting(start, quote, complete and len(start) == len(body), extension)
        if cutting.delimiter not in start and not cutting.gaps:  # long lines: look at more of them
            cutting, titles = _cutting(body, quote, complete, extension)
        if titles:
            lines = list(io.StringIO(body, newline=""))
            notes.append(skipped_titles([line.strip() for line in lines[:titles] if line.strip()]))
            body, n_above = "".join(lines[titles:]), n_above + titles
    rows = cutting.rows(body, complete)
    in_comment = None
    if above.comments:
        last = above.comments[-1]
        signs = "" if cutting.runs or last[1:2] != cutting.delimiter else last[0]  # the first column may be called #
        told = cutting.rows(signs + last[1:])
        in_comment = told[0][1] if told else None
        if above.comments[:-1] or (rows and len(in_comment or ()) != len(rows[0][1])):
            lines_said = count_of(len(above.comments), "line")
            notes.append(
                Note(None, f"{lines_said} of comment above the table, from {above.comments[0]!r:.60}, skipped.")
            )
    if cutting.gaps:
        notes.append(Note(None, _FIXED_WIDTH.format(len(cutting.gaps) + 1), "--delimiter space", "delimiter=' '"))
    counted_rows = [(line + n_above, row) for line, row in rows]
    return _CutSample(cutting, counted_rows, n_above, in_comment, tuple(notes))


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


def _no_first_row(text: str, quote: str) -> str:
    """Why the first line could not be cut into cells."""
    if quote and quote in text.partition("\n")[0]:
        return (
            f"The first line holds a quote that is not closed within {LONGEST_CELL:,} characters. Close it, "
            "or double it if it is part of the text."
        )
    return "The first line, or a cell of it, is longer than any header is. Is this a table?"


def _cutting(text: str, quote: str, complete: bool, extension: str) -> tuple[Cutting, int]:
    """What cuts most rows into the same number of cells, at least two, and how many lines of titles stand above."""
    if extension in (".tsv", ".tab"):
        return Cutting("\t", quote), 0
    some = text.splitlines()[:1000]
    if are_amounts(some if complete or len(some) == 1000 else some[:-1], _DELIMITERS):
        return Cutting(";", quote), 0
    best, best_share = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for _, row in Cutting(delimiter, quote).rows(text, complete)[:1000])
        width, rows = widths.most_common(1)[0] if widths else (1, 0)
        share = rows / widths.total() if width > 1 else 0.0
        if share > best_share:
            best, best_share = delimiter, share
    if best_share < 0.9:
        blanks = Cutting(" ", quote, runs=True)
        lines = list(io.StringIO(text, newline=""))
        gaps, titles = column_gaps(lines if complete else lines[:-1])
        fixed = Cutting("\t", "", gaps=gaps)
        body = "".join(lines[titles:])
        if gaps and any(" " in cell for _, row in fixed.rows(body, complete) for cell in row):
            return fixed, titles
        if _is_aligned([row for _, row in blanks.rows(text, complete)[:1000]]):
            return blanks, 0
    return Cutting(best, quote), 0


def _is_aligned(rows: list[list[str]]) -> bool:
    """Whether blanks cut the rows, but for a heading, into equally many cells, some column of them numbers.

    Texts of one column have blanks too, hence the number.
    """
    width = len(rows[-1]) if rows else 0
    narrow = next((i for i, row in enumerate(reversed(rows)) if len(row) != width), len(rows))
    table = rows[len(rows) - narrow :]
    if width < 2 or len(table) < 2 or len(rows) - narrow > 5:
        return False
    below = table[1:] if len(table) > 2 else table
    return any(all(is_data(row[j]) for row in below) for j in range(width))


def _lacks_row_names(first: list[str], data: list[list[str]], cut: _CutSample) -> bool:
    """Whether the rows begin with a name that the header does not count, as R's write.table has it."""
    if not (cut.cutting.runs or cut.cutting.delimiter in " \t") or len(data) < 2:
        return False
    names = [row[0] for row in data]
    return all(len(row) == len(first) + 1 and row[-1] for row in data) and len(set(names)) == len(names)


def _width(first: list[str], data: list[list[str]], header: bool) -> tuple[int, bool]:
    """How many cells a line has, and whether the last is only what follows a closing delimiter."""
    if header and data and all(len(row) == len(first) + 1 and row[-1] == "" for row in data):
        return len(first) + 1, True
    rows = [first, *data]
    trailing = len(first) > 1 and all(len(row) == len(first) and row[-1] == "" for row in rows)
    return len(first), trailing


def _decimal(data: list[list[str]], delimiter: str) -> str:
    """A comma where numbers have one and none has a point; 1.234 and 1,234 may be thousands and prove nothing."""
    if delimiter == ",":
        return "."
    sample = [cell for row in data[:1000] for cell in row]
    commas, points = ([cell for cell in sample if form.fullmatch(cell)] for form in (_COMMA_NUMBER, _POINT_NUMBER))
    if any(_GROUPED_COMMA.fullmatch(cell) for cell in sample) or not all(map(_THOUSANDS.fullmatch, commas)):
        points = [cell for cell in points if not _THOUSANDS.fullmatch(cell)]
        commas = commas or [","]
    return "," if commas and not points else "."
