"""Workbooks: Excel's .xlsx, .xlsm, .xlsb and .xls, and OpenDocument's .ods, by python-calamine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from learnt.data.files.optional import needed_package
from learnt.data.files.rows import RowBlock, RowsPart
from learnt.data.files.source import Source, clear_errors
from learnt.data.files.text.dialect import Options
from learnt.data.files.workbooks.extents import check_extents
from learnt.data.files.workbooks.sheets import Sheet, sheet_of
from learnt.data.notes import Note
from learnt.errors import FileError
from learnt.lazy import cached_property
from learnt.show.words import count_of, printable


class ExcelPart(RowsPart):
    """One sheet of a workbook."""

    def __init__(self, source: Source, options: Options):
        super().__init__(source, options.reading(options.decimal or "."))
        self._asked = source.inner if options.sheet is None else options.sheet
        self._header, self._footer = options.header, options.footer is not False

    @property
    def names(self) -> tuple[str, ...]:
        return self._sheet.names

    @property
    def notes(self) -> tuple[Note, ...]:
        return self._sheet.notes

    def _blocks(self, columns: Sequence[str], batch_rows: int) -> Iterator[RowBlock]:
        places = [self._sheet.places[self.names.index(name)] for name in columns]
        rows = self._sheet.rows
        for start in range(0, len(rows), batch_rows) or (0,):
            block = rows[start : start + batch_rows]
            yield RowBlock([[row.cells[j] for row in block] for j in places], [row.line for row in block])

    @property
    def held_tables(self) -> tuple[str, ...]:
        with self._opened() as book:
            return tuple(book.sheet_names)

    @cached_property
    def _sheet(self) -> Sheet:
        with self._opened() as book:
            return self._chosen(book)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        calamine: Any = needed_package("python_calamine", "excel", "Workbooks", self.source.name)
        with clear_errors(self.source.name):
            try:
                with self.source.open() as stream:
                    check_extents(stream, self.source.name)
                    with calamine.CalamineWorkbook.from_filelike(stream) as book:
                        yield book
            except calamine.PasswordError:
                raise FileError(
                    "The workbook is locked by a password. Save it without one.", self.source.name
                ) from None
            except calamine.CalamineError as error:
                raise FileError(
                    f"The workbook cannot be read: {printable(str(error))}. It may be damaged or of another format.",
                    self.source.name,
                ) from error

    def _chosen(self, book: Any) -> Sheet:
        """The sheet asked for, or the first that holds a table; what else there is, is said."""
        seen = [sheet.name for sheet in book.sheets_metadata if str(sheet.visible).endswith(".Visible")]
        names = book.sheet_names
        if self._asked is not None:
            name = self._named_sheet(names)
            found = _table_on(book.get_sheet_by_name(name), self._header, self._footer)
            if found is None:
                raise FileError(f"The sheet {name!r} is empty. A table was expected.", self.source.name)
            return found
        for name in [*seen, *(name for name in names if name not in seen)]:
            found = _table_on(book.get_sheet_by_name(name), self._header, self._footer)
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
    others = [other for i, other in enumerate(names) if i != names.index(name)]  # two may have the same name
    also = ", ".join(map(repr, others[:6])) + (f" and {len(others) - 6} more" if len(others) > 6 else "")
    return Note(
        None,
        f"The workbook has {count_of(len(names), 'sheet')}; {name!r} was read. The others: {also}.",
        "--sheet NAME",
        f"sheet={others[0]!r}",
    )


def _table_on(sheet: Any, header: bool | None, footer: bool) -> Sheet | None:
    top = 0 if sheet.start is None else sheet.start[0]
    return sheet_of(sheet.to_python(), header, top + 1, footer=footer)
