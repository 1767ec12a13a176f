"""The table on a sheet. A sheet is a page: titles stand above, empty columns beside, remarks below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from learnt.data.files.python_cells import cell_text
from learnt.data.files.text.heading import distinct_names, heading_of, is_row_counter
from learnt.data.notes import Note
from learnt.show.words import counted

_HEAD_ROWS = 200


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


def sheet_of(cells: Sequence[Sequence[Any]], header: bool | None, first_line: int = 1) -> Sheet | None:
    """The table among the cells of a sheet, or None if there is at most one row on it."""
    rows = [SheetRow(first_line + i, [_bare(cell) for cell in row]) for i, row in enumerate(cells)]
    filled = [row for row in rows if row.n_filled]
    if not filled or (len(filled) == 1 and header is not False):
        return None
    end = len(filled) - _remarks_below(rows)
    filled, remarks = filled[:end], filled[end:]
    wide = [j for j in range(len(filled[0].cells)) if any(row[j] is not None for row in filled)]
    heading = heading_of([[cell_text(row[j]) or "" for j in wide] for row in filled[:_HEAD_ROWS]], header, None)
    data, notes = filled[heading.above :], list(heading.notes)
    if remarks:
        notes.append(_skipped_below(remarks))
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


def _remarks_below(rows: Sequence[SheetRow]) -> int:
    """How many lines at the end, after an empty one, hold a single cell: sources and remarks."""
    found = 0
    for row in reversed(rows):
        filled = row.n_filled
        if filled == 1 and len(row.cells) > 2:
            found += 1
        elif filled == 0 and found:
            return found
        elif filled:
            return 0
    return 0


def _skipped_below(remarks: Sequence[SheetRow]) -> Note:
    said = next(cell for cell in remarks[0].cells if cell is not None)
    verb = "was" if len(remarks) == 1 else "were"
    lines = counted(len(remarks), "line")
    return Note(None, f"{lines} below the table, from {str(said)!r:.60}, {verb} skipped.")
