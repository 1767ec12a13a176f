"""Answers as a workbook of Excel, by openpyxl: numbers, dates and booleans as such, texts never as formulas."""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from learnt.data.files.optional import needed_package
from learnt.errors import FileError
from learnt.leftovers import ROOM_FOR_TEMPORARY_FILES
from learnt.show.words import plain
from learnt.unwritable import write_errors

MOST_ROWS = 1 << 20  # of a sheet, its header included
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_OTHERS = (".xls", ".xlsm", ".xlsb", ".ods")


def is_workbook(output: Path | None) -> bool:
    """Whether the name asks for a workbook; formats that cannot be written are told."""
    suffix = "" if output is None else output.suffix.lower()
    if suffix in _OTHERS:
        raise FileError(f"Workbooks are written as .xlsx, not as {suffix}. Name it so.", str(output))
    return suffix == ".xlsx"


class Workbook:
    """Rows under a header, on as many sheets as they take; written to a file at the end."""

    def __init__(self, names: Sequence[str], file: str, title: str = "answers"):
        self._openpyxl = needed_package("openpyxl", "excel", "Workbooks", file)
        self._book = self._openpyxl.Workbook(write_only=True)
        self._names, self._title = list(names), title
        self._sheet: Any = None
        self._rows = MOST_ROWS

    def add(self, columns: Sequence[Sequence[Any]]) -> None:
        """More rows, column by column."""
        with _room_for_sheets():
            for row in zip(*columns, strict=True):
                if self._rows >= MOST_ROWS:
                    self._begin_sheet()
                self._sheet.append([self._cell(value) for value in row])
                self._rows += 1

    def _begin_sheet(self) -> None:
        number = len(self._book.worksheets) + 1
        self._sheet = self._book.create_sheet(self._title if number == 1 else f"{self._title} {number}")
        self._sheet.append([self._cell(name) for name in self._names])
        self._rows = 1

    def _cell(self, value: Any) -> Any:
        value = plain(value)
        if isinstance(value, float) and value != value:
            return None
        if value is None or isinstance(value, (bool, int, float, date, time, timedelta)):
            return value.replace(tzinfo=None) if isinstance(value, (datetime, time)) else value
        cell = self._openpyxl.cell.WriteOnlyCell(self._sheet, value=_FORBIDDEN.sub("\ufffd", str(value))[:32_767])
        cell.data_type = "s"  # whatever it begins with, it is no formula
        return cell

    def content(self) -> bytes:
        """All of it as the bytes of a file."""
        out = io.BytesIO()
        with _room_for_sheets():
            if self._sheet is None:
                self._begin_sheet()
            self._book.save(out)
        return out.getvalue()


def _room_for_sheets() -> AbstractContextManager[None]:
    """The package keeps sheets in temporary files until they are whole."""
    return write_errors("Temporary files", tempfile.gettempdir(), advice=ROOM_FOR_TEMPORARY_FILES)
