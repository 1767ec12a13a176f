"""Sheets of Excel: the table on them is found, whatever stands around it."""

from __future__ import annotations

import io
from datetime import date, datetime

import openpyxl
import pandas as pd
import pytest

from learnt.data import read, scan
from learnt.errors import FileError, MissingPackageError


def workbook(path, /, **sheets):
    """A file with these sheets, each a dict of cells by their place or a list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in sheets.items():
        sheet = book.create_sheet(name)
        if isinstance(cells, dict):
            for place, cell in cells.items():
                sheet[place] = cell
        else:
            for row in cells:
                sheet.append(row)
    book.save(path)
    return path


PEOPLE = [["name", "age", "member", "since"], ["Ann", 31, True, date(2024, 5, 1)], ["Bob", None, False, None]]


def test_a_sheet_is_read_as_pandas_reads_it(tmp_path):
    frame = pd.DataFrame({"x": [1.5, None, 3.0], "s": ["u", "v", None], "ok": [True, False, True], "n": [1, 2, 3]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    table = read(tmp_path / "t.xlsx")
    assert dict(table.kinds) == {"x": "numeric", "s": "nominal", "ok": "boolean", "n": "numeric"}
    assert table["x"].labels() == [1.5, None, 3.0]
    assert table["s"].labels() == ["u", "v", None]
    assert table["ok"].labels() == [True, False, True]
    with open(tmp_path / "t.xlsx", "rb") as stream:
        assert read(stream).to_dict() == table.to_dict()
    assert [b.to_dict() for b in scan(tmp_path / "t.xlsx", batch_rows=2)][1]["n"] == [3.0]


def test_the_index_of_pandas_is_left_out(tmp_path):
    pd.DataFrame({"a": [4, 5]}, index=[7, 3]).to_excel(tmp_path / "t.xlsx")
    table = read(tmp_path / "t.xlsx")
    assert table.names == ("a",)
    assert "left out" in table.notes[0].text


def test_titles_gaps_and_remarks_around_the_table_are_skipped(tmp_path):
    cells = {"C2": "Members of the club", "C3": "as of May"}
    cells |= {f"{'CDEF'[j]}{5 + i}": cell for i, row in enumerate(PEOPLE) for j, cell in enumerate(row)}
    cells |= {"C9": "Source: the club"}
    table = read(workbook(tmp_path / "t.xlsx", Sheet1=cells))
    assert table.names == ("name", "age", "member", "since")
    assert table["name"].labels() == ["Ann", "Bob"]
    assert table["age"].labels() == [31, None]
    assert table["since"].values[0] == (date(2024, 5, 1) - date(1970, 1, 1)).days
    said = " ".join(note.text for note in table.notes)
    assert "2 lines from 'Members of the club'" in said
    assert "'Source: the club'" in said


def test_blank_and_equal_names_are_mended(tmp_path):
    rows = [["region", "sales", None, "sales"], ["n", 1, 2, 3], ["s", 4, 5, 6]]
    table = read(workbook(tmp_path / "t.xlsx", Sheet1=rows))
    assert table.names == ("region", "sales", "x2", "sales_2")


def test_the_first_sheet_with_a_table_is_read_and_the_others_are_named(tmp_path):
    path = workbook(
        tmp_path / "t.xlsx", Empty=[], Cover=[["Club 2024"]], People=PEOPLE, Towns=[["town"], ["Bern"], ["Ulm"]]
    )
    table = read(path)
    assert table.names == ("name", "age", "member", "since")
    note = table.notes[0]
    assert "4 sheets; 'People' was read. The others: 'Empty', 'Cover', 'Towns'" in note.text
    assert note.flag == "--sheet NAME"
    for asked in ("Towns", "towns", 3):
        other = read(path, sheet=asked)
        assert other.to_dict() == {"town": ["Bern", "Ulm"]}
        assert other.notes == ()
    assert read(f"{path}::Towns").names == ("town",)
    with pytest.raises(FileError, match=r"no sheet 'Tons'.*'Empty', 'Cover', 'People', 'Towns'"):
        read(path, sheet="Tons")
    with pytest.raises(FileError, match="'Empty' is empty"):
        read(path, sheet="Empty")


def test_errors_of_formulas_are_missing_cells(tmp_path):
    path = workbook(tmp_path / "t.xlsx", Sheet1=[["a", "b"], [1, "u"], ["#DIV/0!", "v"], [3, "#N/A"]])
    table = read(path)
    assert table["a"].labels() == [1, None, 3]
    assert table["b"].labels() == ["u", "v", None]


def test_numbers_stored_as_text_are_numbers_and_times_are_kept(tmp_path):
    rows = [["n", "zip", "at"], ["1.5", "x1", datetime(2024, 5, 1, 12)], ["2", "x2", datetime(2024, 5, 2)]]
    table = read(workbook(tmp_path / "t.xlsx", Sheet1=rows))
    assert dict(table.kinds)["n"] == "numeric"
    assert table["at"].values[0] == (date(2024, 5, 1) - date(1970, 1, 1)).days + 0.5


def test_years_over_numbers_are_names(tmp_path):
    table = read(workbook(tmp_path / "t.xlsx", Sheet1=[["land", 2022, 2023], ["A", 1, 2], ["B", 3, 4]]))
    assert table.names == ("land", "2022", "2023")


def test_what_is_no_workbook_is_told(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"name,age\nAnn,31\n")
    with pytest.raises(FileError, match="excel was expected from its name"):
        read(tmp_path / "t.xlsx")
    whole = workbook(tmp_path / "w.xlsx", Sheet1=PEOPLE).read_bytes()
    for cut in (30, len(whole) // 2, len(whole) - 10):
        with pytest.raises(FileError):
            read(io.BytesIO(whole[:cut]), format="excel")
    with pytest.raises(FileError, match="No sheet"):
        read(workbook(tmp_path / "e.xlsx", Sheet1=[]))


def test_without_the_package_it_is_said_what_to_install(tmp_path, monkeypatch):
    path = workbook(tmp_path / "t.xlsx", Sheet1=PEOPLE)
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'learnt\[excel\]'"):
        read(path)
