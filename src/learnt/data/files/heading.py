"""What stands above the data of a text file: titles, comments, a line that names the delimiter, header, units."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from learnt.data import cells
from learnt.data.notes import Note
from learnt.show.words import counted

Row = list[str]

_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?")
_SEPARATOR = re.compile(r"sep=(.)[ \t]*\r?\Z", re.I)
_UNIT = re.compile(
    r"\[.*\]|\(.*\)|[%‰°€$£¥#–-]|°[CFK]|[munkMG]?(m|g|s|l|L|W|V|A|Hz|Pa|J|mol|eV|Wh|bar)([23²³])?|[munk]?[gm](/[a-zA-Z]+\d?)?|"
    r"cm[23²³]?|km/h|m/s[²2]?|mph|kph|mg/d[lL]|mmHg|mmol/[lL]|in|ft|yd|mi|lbs?|oz|min|sec|hr?|hours?|days?|weeks?|months?|"
    r"years?|yrs?|EUR|USD|GBP|CHF|JPY|kcal|cal|ppm|ppb|dB|rpm|psi|px|pct|percent|count|deg|rad"
)
_COUNTER = re.compile(r"(Unnamed: \d+)?")
_WHOLE = re.compile(r"\d+")


@dataclass(frozen=True)
class Preamble:
    """Lines above the table that are known for what they are without cutting them into cells."""

    lines: int = 0
    characters: int = 0
    delimiter: str | None = None  # what a line `sep=;` says
    comments: tuple[str, ...] = ()


def preamble_of(text: str) -> Preamble:
    """The blank lines, comments and `sep=` line at the top; none of them if nothing follows."""
    lines, characters, delimiter = 0, 0, None
    comments: list[str] = []
    for line in io.StringIO(text, newline=""):
        bare = line.strip()
        told = _SEPARATOR.fullmatch(line.rstrip("\n")) if not comments and delimiter is None else None
        if told:
            delimiter = told[1]
        elif bare[:1] in ("#", "%"):
            comments.append(bare)
        elif bare:
            return Preamble(lines, characters, delimiter, tuple(comments))
        lines, characters = lines + 1, characters + len(line)
    return Preamble()


@dataclass(frozen=True)
class Heading:
    """How many rows stand above the data, what the last of them calls the columns, and what was done about it."""

    above: int
    names: tuple[str, ...] | None
    notes: tuple[Note, ...]


def heading_of(rows: Sequence[Row], header: bool | None, above: Row | None) -> Heading:
    """The heading of a sample's rows; `above` is the comment over them, as cells, that may be the header."""
    titles = title_rows(rows, header)
    first, data = rows[titles], rows[titles + 1 :]
    notes = []
    if titles:
        said = " ".join(cell for cell in rows[0] if cell)
        which = f"The line {said!r:.60}" if titles == 1 else f"{counted(titles, 'line')} from {said!r:.60}"
        verb = "was" if titles == 1 else "were"
        notes.append(Note(None, f"{which} above the header {verb} skipped.", None, None))
    if above is not None and titles == 0 and header is not False and len(above) == len(first) > 1:
        certain = has_header(first, data, by_numbers=True)
        if not certain and not any(map(is_data, above)):
            return Heading(0, tuple(above), ())
    named = has_header(first, data) if header is None else header
    if not named:
        return Heading(titles, None, tuple(notes))
    units = _is_units(first, data)
    if units:
        notes.append(Note(None, f"The line of units {', '.join(filter(None, data[0]))} was skipped.", None, None))
    return Heading(titles + 1 + units, tuple(first), tuple(notes))


def title_rows(rows: Sequence[Row], header: bool | None) -> int:
    """How many rows at the top are narrower than the table that the rows below agree on."""
    widths = Counter(map(len, rows[:1000]))
    width, often = widths.most_common(1)[0]
    if width < 2 or often < 2:
        return 0
    full = [_filled(row) for row in rows[:51]]
    wide = max(2, (width + 1) // 2)
    start = next((i for i, row in enumerate(rows[:51]) if len(row) == width and full[i] >= wide), 0)
    if start == 0 or max(full[:start]) >= full[start]:
        return 0
    if header is not False and has_header(rows[start], rows[start + 1 :]):
        return start
    # Rows that name nothing: only lines that are plainly no part of the table are left out.
    return start if all(len(row) < width and full[i] <= 1 for i, row in enumerate(rows[:start])) else 0


def _filled(row: Row) -> int:
    return sum(map(bool, row))


def has_header(first: Row, data: Sequence[Row], *, by_numbers: bool = False) -> bool:
    """Whether the first row names the columns: all words, above a column of numbers or unlike the rows below."""
    given = [cell for cell in first if cell]
    if not given or any(is_data(cell) for cell in given):
        return False
    columns = [[row[j] for row in data[:1000] if j < len(row) and row[j]] for j in range(len(first))]
    if any(cells_below and all(map(is_data, cells_below)) for cells_below in columns):
        return True
    if by_numbers:
        return False
    # All is text: labels come again in their column, names seldom do.
    recurring = sum(name in below for name, below in zip(first, columns, strict=True) if name)
    return len(set(given)) == len(given) and 2 * recurring < len(given)


def is_data(cell: str) -> bool:
    return (
        cell in cells.TRUE
        or cell in cells.FALSE
        or cell == "?"
        or any(form.fullmatch(cell) for form in (_NUMBER, _DATE))
    )


def _is_units(first: Row, data: Sequence[Row]) -> bool:
    """Whether the row below the header holds units: nothing but those, above numbers."""
    if len(data) < 3 or not any(data[0]) or len(data[0]) > len(first):
        return False
    if not all(_UNIT.fullmatch(cell) for cell in data[0] if cell):
        return False
    measured = [j for j, cell in enumerate(data[0]) if cell and cell not in "-–"]
    below = data[1:200]
    return bool(measured) and all(
        any(j < len(row) and row[j] for row in below) and _mostly_numbers([row[j] for row in below if j < len(row)])
        for j in measured
    )


def _mostly_numbers(column: Sequence[str]) -> bool:
    there = [cell for cell in column if cell and cell not in cells.MISSING]
    return sum(map(is_data, there)) * 20 >= 19 * len(there) > 0


def distinct_names(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    """Names for all columns, no two alike: an empty one becomes x3, a second `region` becomes `region_2`."""
    taken = set(names)
    found: list[str] = []
    notes = []
    for j, given in enumerate(names):
        name = given or f"x{j}"
        number = 2
        while name in found or (name != given and name in taken):
            name, number = f"{given or f'x{j}'}_{number}", number + 1
        if given and name != given:
            notes.append(Note(name, f"Another column is called {given!r} too; this one became {name!r}.", None, None))
        found.append(name)
    return tuple(found), tuple(notes)


def is_row_counter(name: str, column: Sequence[str]) -> bool:
    """Whether the first column is an index that a program wrote: without a name, a different whole number a row."""
    if not _COUNTER.fullmatch(name) or not column:
        return False
    if not all(map(_WHOLE.fullmatch, column)) or len(set(column)) < len(column):
        return False
    return len(column) > 1 or column[0] in ("0", "1")
