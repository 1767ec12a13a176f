"""What stands below the data of a text file or on a sheet: totals, sources, remarks.

A true row is never taken for one: remarks come after a blank line, and totals are totals only if they add up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from learnt.data.files.python_cells import raw_column
from learnt.data.files.text.heading import is_data
from learnt.data.kinds import ReadOptions, decide, finish
from learnt.data.notes import Note
from learnt.data.table import Array
from learnt.show.words import spell

Row = Sequence[str]

_SUMS = (
    *("total", "totals", "grand total", "sum", "sums", "overall total", "total general", "totale", "totaal"),
    *("summe", "summen", "gesamt", "gesamtsumme", "insgesamt", "zusammen", "somme", "suma", "soma", "razem"),
)
_MEANS = ("mean", "average", "avg", "avg.", "durchschnitt", "mittelwert", "moyenne", "media", "promedio")
_REMARK = re.compile(
    r"(sources?|data sources?|notes?|remarks?|footnotes?|comments?|legend|quellen?|anmerkung(en)?|hinweise?|legende"
    r"|bemerkung(en)?|stand|fuentes?|notas?|remarques?|fonte|generated|exported|created|printed|retrieved)\b[^:]{0,20}:"
    r"|\*+\s*[^\W\d]|[†‡©]",
    re.IGNORECASE,
)
_SENTENCE = 3  # words of a cell that is no label


@dataclass(frozen=True)
class Below:
    """Where the rows below a table begin, and which of them only sums can tell from rows of the table."""

    start: int
    totals: tuple[int, ...] = ()


def rows_below(rows: Sequence[Row], width: int) -> Below | None:
    """The footer of a table with so many columns, among its last rows; a blank line is a row without cells.

    >>> rows_below([["a", "1"], ["b", "2"], [], ["Source: us"]], 2)
    Below(start=3, totals=())
    >>> rows_below([["a", "1"], ["b", "2"], ["Total", "3"]], 2)
    Below(start=2, totals=(2,))
    """
    end = len(rows)
    while end and not any(rows[end - 1]):
        end -= 1
    if width < 2:
        return None
    spaced = _blank_lines_part_rows(rows[:end], width)
    first = end
    while first and (not any(rows[first - 1]) or _is_below(rows[first - 1], width, spaced)):
        first -= 1
    if first in (0, end):
        return None
    blank = next((i for i in range(first, end) if not any(rows[i])), end)
    totals = blank
    while totals > first and _statistic(rows[totals - 1]):
        totals -= 1
    start = totals if totals < blank else next((i for i in range(blank, end) if any(rows[i])), end)
    doubtful = range(start, end if spaced else blank)
    return Below(start, tuple(i for i in doubtful if any(rows[i]) and _statistic(rows[i]))) if start < end else None


def can_be_below(row: Row, width: int) -> bool:
    """Whether a last row may be one of a footer."""
    return width > 1 and (not any(row) or _is_below(row, width, spaced=False))


def _is_below(row: Row, width: int, spaced: bool) -> bool:
    return _is_remark(row, width, spaced) or bool(_statistic(row))


def _is_remark(row: Row, width: int, spaced: bool) -> bool:
    filled = [cell for cell in row if cell]
    if is_data(filled[0]):
        return False
    if _REMARK.match(filled[0]):
        return True
    if len(filled) == 1:
        return len(row) < width or (len(row) > 2 and not spaced)
    return len(row) != width and len(filled[0].split()) >= _SENTENCE


def _blank_lines_part_rows(rows: Sequence[Row], width: int) -> bool:
    """Whether blank lines stand between rows of the table too, and so mean nothing."""
    full = [i for i, row in enumerate(rows) if len(row) == width and sum(map(bool, row)) > 1 and not _statistic(row)]
    return any(not any(row) for row in rows[full[0] : full[-1]]) if full else False


def _statistic(row: Row) -> str:
    """What a row says it holds of the rows above it: "sum", "mean", or ""."""
    said = next((cell for cell in row if cell), "").rstrip(" :").lower()
    return "sum" if said in _SUMS else "mean" if said in _MEANS else ""


def adds_up(total: Row, columns: Mapping[int, Sequence[str]], reading: ReadOptions) -> bool:
    """Whether a row is what it says: all its cells are empty or the sum, or mean, of the column above.

    `columns` holds the cells above by the place of their column, of those at least where the row has a cell.
    """
    statistic = _statistic(total)
    places = claimed_places(total)
    return all(_holds(statistic, [*columns.get(j, ()), total[j]], reading) for j in places)


def claimed_places(total: Row) -> list[int]:
    """The places of the cells behind the word."""
    filled = [j for j, cell in enumerate(total) if cell]
    return filled[1:]


def _holds(statistic: str, cells: Sequence[str], reading: ReadOptions) -> bool:
    """Whether the last of the cells is a statistic of the others."""
    numbers = _numbers(cells, reading)
    if numbers is None or math.isnan(numbers[-1]) or np.isnan(numbers[:-1]).all():
        return False
    given = float(numbers[-1])
    expected = float(np.nansum(numbers[:-1]) if statistic == "sum" else np.nanmean(numbers[:-1]))
    decimals = len(tail[1]) if (tail := re.search(r"[.,](\d+)\D*$", cells[-1])) else 0
    return abs(given - expected) <= 0.5000001 * 10.0**-decimals + 1e-9 * abs(expected)


def _numbers(cells: Sequence[str], reading: ReadOptions) -> Array | None:
    """The cells of a column as the numbers it is read as; None if it is not."""
    raw = raw_column("", cells, [0] * len(cells), as_words=True)
    decision = decide("", raw.words, 0, len(cells) - int(raw.words.counts.sum()), reading)
    if decision.kind != "numeric" or (decision.form is not None and decision.form.temporal):
        return None
    return finish(raw, decision).values


def confirmed(
    below: Below, rows: Mapping[int, Row], end: int, columns: Mapping[int, Sequence[str]], reading: ReadOptions
) -> int:
    """Where the footer begins once totals that do not add up are rows. `rows` are those below the table, by place."""
    start = below.start
    for i in reversed(below.totals):
        if not adds_up(rows[i], columns, reading):
            return next((k for k in range(i + 1, end) if any(rows[k])), end)
        start = i
    return min(start, below.start)


def footer_note(lines: Sequence[int], first: Iterable[str]) -> Note:
    """What was left out below the table, by its lines in the file."""
    said = next((cell for cell in first if cell), "")
    which = f"Line {lines[0]:,}" if len(lines) == 1 else f"Lines {lines[0]:,} to {lines[-1]:,}"
    verb = "was" if len(lines) == 1 else "were"
    text = f"{which} below the table, from {spell(said[:60])}, {verb} left out."
    return Note(None, text, "--no-footer", "footer=False")
