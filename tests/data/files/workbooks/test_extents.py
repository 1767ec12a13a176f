"""Cells far outside of a table, which a reader would make room for."""

import io
import zipfile

import pytest

import learnt
from learnt.data.files.workbooks.extents import check_extents
from learnt.errors import FileError

pytest.importorskip("python_calamine", reason="workbooks need the extra 'excel'")
openpyxl = pytest.importorskip("openpyxl", reason="makes the workbooks of this test")


def workbook(cells: dict[str, object]) -> bytes:
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_cell_at_the_end_of_the_world_is_an_error_and_no_400_gigabytes():
    content = workbook({"A1": "a", "B1": "b", "A2": 1, "B2": 2, "XFD1048576": 3})
    with pytest.raises(FileError, match="reach to row 1,048,576 and column 16,384"):
        learnt.read(io.BytesIO(content))


@pytest.mark.parametrize("place", [b"A3000000000", b"B" * 51 + b"3", b"ABCDEFGH3"])
def test_a_place_that_was_damaged_is_an_error(place):
    """With fifty letters a reader's number of the column overflowed, and it made room until it died."""
    content = workbook({"A1": "a", "A2": 1, "A3": 2})
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, text.replace(b'r="A3"', b'r="' + place + b'"') if "sheet1" in name else text)
    with pytest.raises(FileError, match="reach to row"):
        learnt.read(io.BytesIO(packed.getvalue()))


def test_two_sheets_of_one_name_are_told_apart():
    content, packed = workbook({"A1": "a", "A2": 1}), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "xl/workbook.xml":
                start = text.index(b"<sheet ")
                sheet = text[start : text.index(b"/>", start) + 2]
                text = text.replace(sheet, sheet + sheet.replace(b'sheetId="1"', b'sheetId="2"'))
            new.writestr(name, text)
    table = learnt.read(io.BytesIO(packed.getvalue()))
    assert table.names == ("a",)
    assert "The workbook has 2 sheets; 'Sheet' was read. The others: 'Sheet'." in str(table.notes[-1])


def test_a_sheet_with_few_cells_far_apart_is_read():
    table = learnt.read(io.BytesIO(workbook({"A1": "a", "B1": "b", "A2": 1, "B2": 2, "A900": 3, "B900": 4})))
    assert table.names == ("a", "b")


def test_what_is_no_archive_is_left_to_the_reader():
    stream = io.BytesIO(b"no archive")
    check_extents(stream, "x.xlsx")
    assert stream.tell() == 0
