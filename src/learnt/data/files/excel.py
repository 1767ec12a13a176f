"""Workbooks: Excel's .xlsx, .xlsm, .xlsb and .xls, and OpenDocument's .ods, by python-calamine.

A sheet is a page, not a table: the table on it may stand below titles, right of empty columns and above remarks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from learnt.data.files.heading import distinct_names, heading_of, is_row_counter
from learnt.data.files.optional import needed_package
from learnt.data.files.rows import Cells, RowsPart, cell_text
from learnt.data.files.source import Source, clear_errors
from learnt.data.notes import Note
from learnt.errors import FileError
from learnt.lazy import cached_property
from learnt.show.words import counted

_HEAD_ROWS = 200
Row = list[Any]


class ExcelPart(RowsPart):
    """One sheet of a workbook."""

    def __init__(self, source: Source, sheet: str | int | None, header: bool | None):
        super().__init__(source)
        self._asked = source.inner if sheet is None else sheet
        self._header = header

    @property
    def names(self) -> tuple[str, ...]:
        return self._sheet.names

    @property
    def notes(self) -> tuple[Note, ...]:
        return self._sheet.notes

    def _blocks(self, columns: Sequence[str], batch_rows: int) -> Iterator[list[Cells]]:
        places = [self._sheet.places[self.names.index(name)] for name in columns]
        rows = self._sheet.rows
        for start in range(0, len(rows), batch_rows) or (0,):
            block = rows[start : start + batch_rows]
            yield [[row[j] for row in block] for j in places]

    @cached_property
    def _sheet(self) -> _Sheet:
        calamine: Any = needed_package("python_calamine", "excel", "Workbooks", self.source.name)
        with clear_errors(self.source.name):
            try:
                with self.source.open() as stream, calamine.CalamineWorkbook.from_filelike(stream) as book:
                    return self._chosen(book)
            except calamine.PasswordError:
                raise FileError(
                    "The workbook is locked by a password. Save it without one.", self.source.name
                ) from None
            except calamine.CalamineError as error:
                raise FileError(
                    f"The workbook cannot be read: {error}. It may be damaged or of another format.", self.source.name
                ) from error

    def _chosen(self, book: Any) -> _Sheet:
        """The sheet asked for, or the first that holds a table; what else there is, is said."""
        seen = [sheet.name for sheet in book.sheets_metadata if str(sheet.visible).endswith(".Visible")]
        names = book.sheet_names
        if self._asked is not None:
            name = self._named_sheet(names)
            found = sheet_of(_rows(book.get_sheet_by_name(name)), self._header)
            if found is None:
                raise FileError(f"The sheet {name!r} is empty. A table was expected.", self.source.name)
            return found
        for name in [*seen, *(name for name in names if name not in seen)]:
            found = sheet_of(_rows(book.get_sheet_by_name(name)), self._header)
            if found is not None:
                return found if len(names) == 1 else found.with_note(_other_sheets(name, names))
        raise FileError("No sheet of the workbook holds a table.", self.source.name)

    def _named_sheet(self, names: Sequence[str]) -> str:
        asked = self._asked
        if isinstance(asked, int) and 0 <= asked < len(names):
            return names[asked]
        by_case = {name.casefold(): name for name in names}
        if isinstance(asked, str) and asked.casefold() in by_case:
            return asked if asked in names else by_case[asked.casefold()]
        shown = ", ".join(map(repr, names))
        raise FileError(f"There is no sheet {asked!r}. The workbook has {shown}.", self.source.name)


def _other_sheets(name: str, names: Sequence[str]) -> Note:
    others = [other for other in names if other != name]
    also = ", ".join(map(repr, others[:6])) + (f" and {len(others) - 6} more" if len(others) > 6 else "")
    return Note(
        None,
        f"The workbook has {counted(len(names), 'sheet')}; {name!r} was read. The others: {also}.",
        "--sheet NAME",
        f"sheet={others[0]!r}",
    )


def _rows(sheet: Any) -> list[Row]:
    """The cells of a sheet, None where empty; errors such as #DIV/0! come as empty cells."""
    return [
        [None if c == "" or (isinstance(c, str) and not c.strip()) else c for c in row] for row in sheet.to_python()
    ]


class _Sheet:
    """The table on a sheet: its names, the places of its columns in the rows, and the rows of data."""

    def __init__(self, names: Sequence[str], places: Sequence[int], rows: list[Row], notes: Sequence[Note]):
        self.names, self.places, self.rows, self.notes = tuple(names), tuple(places), rows, tuple(notes)

    def with_note(self, note: Note) -> _Sheet:
        return _Sheet(self.names, self.places, self.rows, (note, *self.notes))


def sheet_of(rows: list[Row], header: bool | None) -> _Sheet | None:
    """The table among the cells of a sheet, or None."""
    filled = [row for row in rows if any(cell is not None for cell in row)]
    if not filled or (len(filled) == 1 and header is not False):
        return None
    footer = _remarks_below(rows)
    filled, remarks = filled[: len(filled) - footer], filled[len(filled) - footer :]
    wide = [j for j in range(max(map(len, filled))) if _is_wide(filled, j)]
    texts = [[cell_text(row[j]) or "" for j in wide] for row in filled[:_HEAD_ROWS]]
    heading = heading_of(texts, header, None)
    notes = list(heading.notes)
    data = filled[heading.above :]
    if heading.names is None:
        names: tuple[str, ...] = tuple(f"x{j}" for j in range(len(wide)))
        there = list(range(len(wide)))
    else:
        # A column that has neither a name nor cells is a gap; titles may have reached over it.
        there = [i for i, j in enumerate(wide) if heading.names[i] or any(row[j] is not None for row in data)]
        first = [row[wide[there[0]]] for row in data]
        if len(there) > 1 and is_row_counter(heading.names[there[0]], [cell_text(cell) or "" for cell in first]):
            there = there[1:]
            notes.append(Note(None, "The first column has no name and only numbers the rows; it was left out."))
        names, renamed = distinct_names([heading.names[i].strip() for i in there])
        notes += renamed
    if footer:
        notes.append(_skipped_below(remarks))
    return _Sheet(names, [wide[i] for i in there], data, notes)


def _is_wide(rows: list[Row], j: int) -> bool:
    return any(row[j] is not None for row in rows)


def _skipped_below(remarks: list[Row]) -> Note:
    said = next(cell for cell in remarks[0] if cell is not None)
    verb = "was" if len(remarks) == 1 else "were"
    lines = counted(len(remarks), "line")
    return Note(None, f"{lines} below the table, from {str(said)!r:.60}, {verb} skipped.")


def _remarks_below(rows: list[Row]) -> int:
    """How many lines at the end, after an empty one, hold a single cell: sources and remarks."""
    found = 0
    for row in reversed(rows):
        cells = sum(cell is not None for cell in row)
        if cells == 1 and len(row) > 2:
            found += 1
        elif cells == 0 and found:
            return found
        elif cells:
            return 0
    return 0
