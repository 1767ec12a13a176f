"""What stands above the data of a text file: titles, comments, a line that names the delimiter, header, units."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from learnt.data import cells
from learnt.data.form import CURRENCIES
from learnt.data.kinds.numbers import MEASURES
from learnt.data.notes import Note
from learnt.show.words import count_of

Row = list[str]

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?")
_OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d\d){1,2}([ T].*)?|\d{1,2}:\d\d(:\d\d.*)?")
_MONEY = r"(?:[€$£¥]|EUR|USD|GBP|CHF|%)"
_AMOUNT = re.compile(
    rf"\(?[+\-−]?{_MONEY}?\s?[+\-−]?\d{{1,3}}(?:[.,' \u00a0\u202f’]?\d{{3}})*(?:[.,]\d+)?\s?{_MONEY}?\)?"
)
_DIGITS = r"[+\-−]?\d{1,3}(?:[.,' \u00a0\u202f’]?\d{3})*(?:[.,]\d+)?"
_SIGNS, _ALL_UNITS = ("|".join(map(re.escape, units)) for units in (CURRENCIES, CURRENCIES + MEASURES))
_UNITED = re.compile(rf"({_SIGNS})\s?{_DIGITS}|{_DIGITS}\s?({_ALL_UNITS})")
_SEPARATOR = re.compile(r"sep=(.)[ \t]*\r?\Z", re.I)
_UNITS = """
    % ‰ ° °C °F K € $ £ ¥ # - – m mm cm km µm um nm m2 m3 m² m³ cm2 cm3 cm² cm³ km2 km² ha ft in yd mi
    kg g mg µg ug t lb lbs oz l L ml mL dl cl s ms µs us ns sec min
    h hr hrs hour hours d day days week weeks month months year years yr yrs a
    km/h m/s m/s² m/s2 mph kph kg/m² kg/m2 g/l g/L mg/dl mg/dL mg/l mg/L mmol/l mmol/L ng/ml ng/mL g/dl g/dL U/l U/L
    mmHg bpm W kW MW kWh MWh V mV kV A mA Hz kHz MHz GHz Pa hPa kPa MPa bar mbar psi N J kJ kcal cal eV mol dB rpm
    ppm ppb px EUR USD GBP CHF JPY CNY pct percent count number deg rad lux lm cd
"""
_UNIT = re.compile(r"\[.*\]|\(.*\)|" + "|".join(map(re.escape, _UNITS.split())))
_RULE = re.compile(r":?(-{2,}|={2,}):?")
_COUNTER = re.compile(r"(Unnamed: \d+)?")
_YEAR = re.compile(r"(19|20)\d\d")
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
        notes.append(skipped_titles([" ".join(filter(None, row)) for row in rows[:titles]]))
    if above is not None and titles == 0 and header is not False and len(above) == len(first) > 1:
        certain = has_header(first, data, by_numbers=True)
        if not certain and not any(map(is_data, above)):
            return Heading(0, tuple(above), ())
    named = has_header(first, data) if header is None else header
    if not named:
        return Heading(titles, None, tuple(notes))
    ruled = bool(data) and is_rule(data[0])
    if ruled:
        data = data[1:]
        notes.append(Note(None, "The line of dashes below the header was skipped."))
    units = _is_units(first, data)
    if units:
        notes.append(Note(None, f"The line of units {', '.join(filter(None, data[0]))} was skipped.", None, None))
    return Heading(titles + 1 + ruled + units, tuple(first), tuple(notes))


def skipped_titles(titles: Sequence[str]) -> Note:
    """What is said of lines above the header."""
    which = (
        f"The line {titles[0]!r:.60}" if len(titles) == 1 else f"{count_of(len(titles), 'line')} from {titles[0]!r:.60}"
    )
    return Note(None, f"{which} above the header {'was' if len(titles) == 1 else 'were'} skipped.")


def is_rule(row: Row) -> bool:
    """Whether a row only underlines the header, as databases print it."""
    return len(row) > 1 and all(map(_RULE.fullmatch, row))


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
    if not given or (any(is_data(cell) for cell in given) and not _names_years(first, data)):
        return False

    def column(j: int) -> list[str]:
        return [row[j] for row in data[:1000] if j < len(row) and row[j]]

    if any(_mostly_numbers(column(j)) for j in range(len(first))):
        return True
    if by_numbers:
        return False
    # All is text: labels come again in their column, names seldom do.
    recurring = sum(name in column(j) for j, name in enumerate(first) if name)
    return len(set(given)) == len(given) and 2 * recurring < len(given)


def _names_years(first: Row, data: Sequence[Row]) -> bool:
    """Whether the numbers of a header are years in order, above cells that are none: country, 2022, 2023, 2024."""
    places = [j for j, cell in enumerate(first) if is_data(cell)]
    years = [int(first[j]) for j in places if _YEAR.fullmatch(first[j])]
    if len(years) < max(2, len(places)) or len(places) == len(first) or not data:
        return False
    steps = {later - earlier for earlier, later in pairwise(years)}
    below = [row[j] for row in data[:1000] for j in places if j < len(row) and row[j]]
    return len(steps) == 1 and 0 not in steps and sum(map(bool, map(_YEAR.fullmatch, below))) * 2 < len(below)


def is_data(cell: str) -> bool:
    return (
        cell in cells.TRUE
        or cell in cells.FALSE
        or cell == "?"
        or any(form.fullmatch(cell) for form in (_NUMBER, _DATE, _OTHER_DATE, _AMOUNT))
    )


def are_amounts(lines: Sequence[str], delimiters: Sequence[str]) -> bool:
    """Whether each line is one number with always the same unit, such as 2.000,00 €: what parts its digits, no cells.

    The first may be a heading. One with a delimiter, or a blank above a unit of letters, speaks of more columns.
    """
    first, *below = [line.strip() for line in lines if line.strip()] or [""]
    found = [_UNITED.fullmatch(line) for line in (first, *below)]
    units = {match[1] or match[2] for match in found[1:] if match}
    if not below or not all(found[1:]) or len(units) != 1:
        return False
    if found[0]:
        return True
    unit = units.pop()
    return not any(sign in first for sign in delimiters) and not (" " in first and unit.isalpha())


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
    found: dict[str, None] = {}
    next_number: dict[str, int] = {}  # of a name that stands there several times: those below are taken
    notes = []
    for j, given in enumerate(names):
        name = first = given or f"x{j}"
        while name in found or (name != given and name in taken):
            number = next_number.get(first, 2)
            name, next_number[first] = f"{first}_{number}", number + 1
        if given and name != given:
            notes.append(Note(name, f"Another column is called {given!r} too; this one became {name!r}.", None, None))
        found[name] = None
    return tuple(found), tuple(notes)


def is_row_counter(name: str, column: Sequence[str]) -> bool:
    """Whether the first column is an index that a program wrote: without a name, a different whole number a row."""
    if not _COUNTER.fullmatch(name) or not column:
        return False
    if not all(map(_WHOLE.fullmatch, column)) or len(set(column)) < len(column):
        return False
    return len(column) > 1 or column[0] in ("0", "1")
