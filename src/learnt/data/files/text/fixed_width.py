"""Text whose columns stand below each other, with blanks between them and, in labels, single blanks within."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from learnt.data.cells import MISSING
from learnt.data.files.text.heading import is_data, is_rule

Gap = tuple[int, int]  # the places between two columns, the end not included
_MOST_TITLES = 5  # lines above the table
_FEWEST_LINES = 3


def column_gaps(lines: Sequence[str]) -> tuple[tuple[Gap, ...], int]:
    """The gaps between columns, blank in all lines, and how many lines, of titles, stand above these.

    A gap is two places wide, or one beside a column of numbers. Some column must be of numbers or dates: prose has
    blanks too. Without gaps this is no such text.

    >>> column_gaps(["As of May", "", "name      age", "Ann Lee    31", "Bob        45"])
    (((7, 10),), 2)
    """
    if any("\t" in line or '"' in line for line in lines):  # cells that need quotes stand at no fixed place
        return (), 0
    filled = [i for i, line in enumerate(lines) if line.strip()]
    for top in filled[: _MOST_TITLES + 1]:
        gaps = _gaps_of([lines[i].rstrip() for i in filled if i >= top])
        if gaps:
            return gaps, top
    return (), 0


def _gaps_of(lines: Sequence[str]) -> tuple[Gap, ...]:
    if len(lines) < _FEWEST_LINES:
        return ()
    width = max(map(len, lines))
    blank = [all(place >= len(line) or line[place] == " " for line in lines) for place in range(width)]
    edges = [place for place in range(1, width) if blank[place] != blank[place - 1]]
    gaps = [gap for gap in pairwise(edges) if blank[gap[0]]]
    while True:  # a narrow gap in the midst of a label joins what it parts
        cells = [cells_of(line, gaps) or [""] * (len(gaps) + 1) for line in lines[1:] if not is_rule(line.split())]
        measured = [_is_measured([row[j] for row in cells]) for j in range(len(gaps) + 1)]
        kept = [g for j, g in enumerate(gaps) if g[1] - g[0] > 1 or measured[j] or measured[j + 1]]
        if kept == gaps:
            return tuple(gaps) if any(measured) and _are_filled([*cells, cells_of(lines[0], gaps) or []]) else ()
        gaps = kept


def _are_filled(rows: Sequence[Sequence[str]]) -> bool:
    """Whether every column has a name and a cell in most lines: what one long line leaves blank is no gap."""
    *below, names = rows
    return all(names) and all(2 * sum(map(bool, column)) > len(below) for column in zip(*below, strict=True))


def _is_measured(cells: Sequence[str]) -> bool:
    there = [cell for cell in cells if cell not in MISSING]
    return bool(there) and all(map(is_data, there))


def cells_of(line: str, gaps: Sequence[Gap]) -> list[str] | None:
    """The cells of a line; None if it goes across a gap.

    A label may reach into the gap behind it, and a number into the one before, if a blank is left.

    >>> [cells_of(line, [(7, 10)]) for line in ("Ann Lee    31", "Zacharias 107", "Zachariasson 7")]
    [['Ann Lee', '31'], ['Zacharias', '107'], None]
    """
    line = line.rstrip("\r\n")
    cuts = [0]
    for start, end in gaps:
        between = line[start:end].ljust(end - start)
        if " " not in between:
            return None
        place = 0 if between[0] == " " else end - start - 1 if between[-1] == " " else between.rfind(" ")
        cuts.append(start + place)
    cuts.append(max(len(line), cuts[-1]))
    return [line[a:b].strip() for a, b in pairwise(cuts)]


def keeps_gaps(line: str, gaps: Sequence[Gap]) -> bool:
    """Whether nothing of the line stands in a gap, as remarks below a table do."""
    return all(not line[start:end].strip() for start, end in gaps)


def as_delimited(line: str, gaps: Sequence[Gap], delimiter: str) -> str:
    """The line with the delimiter between its cells. One that goes across a gap has no delimiter."""
    cells = cells_of(line, gaps)
    return (line.strip() if cells is None else delimiter.join(cells) if any(cells) else "") + "\n"
