"""The table on a sheet. A sheet is a page: titles stand above, empty columns beside, remarks below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from learnt.data.files.python_cells import cell_text
from learnt.data.files.text.footer import Below, claimed_places, confirmed, footer_note, rows_below
from learnt.data.files.text.heading import distinct_names, heading_of, is_row_counter
from learnt.data.kinds import ReadOptions
from learnt.data.notes import Note

_HEAD_ROWS = 200
_FOOT_ROWS = 200


@dataclass(frozen=True)
class SheetRow:
    """The cells of a row, None where empty, and its number on the sheet, from 1."""

    line: int
    cells: Sequence[Any]

    @property
    def n_filled(self) -> int:
        return sum(cell is not None for cell in self.cells)

    def __getitem__(self, j: int) -> Any:
        return self.cells[j]


@dataclass(frozen=True)
class Sheet:
    """A table: its names, the places of its columns in the rows, and the rows of data."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    rows: Sequence[SheetRow]
    notes: tuple[Note, ...] = ()

    def with_note(self, note: Note) -> Sheet:
        return replace(self, notes=(note, *self.notes))


def sheet_of(
    cells: Sequence[Sequence[Any]], header: bool | None, first_line: int = 1, *, footer: bool = True
) -> Sheet | None:
    """The table among the cells of a sheet, or None if there is at most one row on it."""
    rows = [SheetRow(first_line + i, [_bare(cell) for cell in row]) for i, row in enumerate(cells)]
    filled = [row for row in rows if row.n_filled]
    if not filled or (len(filled) == 1 and header is not False):
        return None
    below = _footer_of(rows) if footer else None
    end = len(filled) - (0 if below is None else sum(row.n_filled > 0 for row in rows[below.start :]))
    wide = [j for j in range(len(filled[0].cells)) if any(row[j] is not None for row in filled[:end])]
    heading = heading_of([_texts(row, wide) for row in filled[:end][:_HEAD_ROWS]], header, None)
    if below is not None:
        end = _confirmed_end(below, rows, filled[:end][heading.above :], len(filled))
    data, notes, remarks = filled[heading.above : end], list(heading.notes), filled[end:]
    if remarks:
        lines = range(remarks[0].line, remarks[-1].line + 1)
        notes.append(footer_note(lines, _texts(remarks[0])))
    if heading.names is None:
        return Sheet(tuple(f"x{j}" for j in range(len(wide))), tuple(wide), data, tuple(notes))
    # A column that has neither a name nor cells is a gap; titles may have reached over it.
    given = [(name, j) for name, j in zip(heading.names, wide, strict=True) if name or _is_filled(data, j)]
    first, place = given[0]
    if len(given) > 1 and is_row_counter(first, [cell_text(row[place]) or "" for row in data]):
        given = given[1:]
        notes.append(Note(None, "The first column has no name and only numbers the rows; it was left out."))
    names, renamed = distinct_names([name.strip() for name, _ in given])
    return Sheet(names, tuple(j for _, j in given), data, (*notes, *renamed))


def _bare(cell: Any) -> Any:
    """None for cells without anything to see in them; errors such as #DIV/0! come as those."""
    return None if isinstance(cell, str) and not cell.strip() else cell


def _is_filled(rows: Sequence[SheetRow], j: int) -> bool:
    return any(row[j] is not None for row in rows)


def _texts(row: SheetRow, places: Sequence[int] | None = None) -> list[str]:
    return [cell_text(row[j]) or "" for j in (range(len(row.cells)) if places is None else places)]


def _footer_of(rows: Sequence[SheetRow]) -> Below | None:
    """Totals, and lines after an empty one with a single cell: sources and remarks."""
    last = rows[-_FOOT_ROWS:]
    below = rows_below([_texts(row) for row in last], len(rows[0].cells))
    shift = len(rows) - len(last)
    return below and Below(below.start + shift, tuple(i + shift for i in below.totals))


def _confirmed_end(below: Below, rows: Sequence[SheetRow], data: Sequence[SheetRow], n_filled: int) -> int:
    """How many of the filled rows stand above the footer, once totals have been added up."""
    start = below.start
    if below.totals:
        texts = {i: _texts(rows[i]) for i in range(below.start, len(rows))}
        wanted = {j for i in below.totals for j in claimed_places(texts[i])}
        columns = {j: [cell_text(row[j]) or "" for row in data] for j in wanted}
        start = confirmed(below, texts, len(rows), columns, ReadOptions())
    return n_filled - sum(row.n_filled > 0 for row in rows[start:])
