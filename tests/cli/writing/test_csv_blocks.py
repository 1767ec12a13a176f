"""Blocks of a CSV file: whole rows wherever they are cut, and the same cells as when all is read at once."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import learnt
from learnt.cli.writing import csv_blocks
from learnt.cli.writing.csv_blocks import Block, CsvBlocks
from learnt.cli.writing.predictions import csv_bytes, in_order, safe_texts
from learnt.errors import FileError


def blocks_of(content: bytes, size: int) -> tuple[CsvBlocks, list[Block]]:
    cut = CsvBlocks(io.BytesIO(content), "table.csv")
    return cut, list(cut.blocks(size))


def rows_of(content: bytes, size: int) -> list[list[str]]:
    cut, blocks = blocks_of(content, size)
    return [list(row) for block in blocks for row in zip(*cut.texts(block).to_pydict().values(), strict=True)]


CELL = st.text(alphabet='ab1 ,"\n;', max_size=6)


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=12), size=st.integers(1, 40))
def test_any_cells_come_back_however_small_the_blocks(rows, size):
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["first name", "second name"])
    writer.writerows([["a1", "b1"], *rows])
    content = out.getvalue().encode()
    cut = CsvBlocks(io.BytesIO(content), "table.csv")
    assume(cut.names == ("first name", "second name"))  # the first rows can make it look like another kind of file
    found = [row for block in cut.blocks(size) for row in zip(*cut.texts(block).to_pydict().values(), strict=True)]
    assert found == [("a1", "b1"), *rows]


@pytest.mark.parametrize("size", [1, 7, 30, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_quotes_inside_a_cell_open_nothing_and_line_ends_are_of_any_kind(size, end):
    lines = ["what,number", '5" nail,1', '6" nail,2', '"7, long",3', "8,4", ""]
    assert rows_of(end.join(lines).encode(), size) == [['5" nail', "1"], ['6" nail', "2"], ["7, long", "3"], ["8", "4"]]


def test_blocks_are_about_as_large_as_asked_and_know_their_line():
    content = b"x,y\n" + b"".join(b"%d,%d\n" % (i, i) for i in range(10_000))
    _, blocks = blocks_of(content, 5000)
    assert b"".join(block.content for block in blocks) == content[4:]
    assert max(len(block.content) for block in blocks) <= 5000
    line = 1
    for block in blocks:
        assert block.lines_before == line
        line += block.content.count(b"\n")


@pytest.mark.parametrize("content", [b"x,y\n", b"x,y", b"x,y\n\n\n"])
def test_a_header_alone_has_no_blocks(content):
    cut = CsvBlocks(io.BytesIO(content), "table.csv")
    assert cut.names == ("x", "y")
    assert list(cut.blocks()) == []


def test_utf_16_and_western_windows_are_read():
    text = "name;größe\r\nÄnne;1,5\r\nBob;2,5\r\n"
    assert rows_of(text.encode("utf-16"), 9) == [["Änne", "1,5"], ["Bob", "2,5"]]
    assert rows_of(text.encode("cp1252"), 9) == [["Änne", "1,5"], ["Bob", "2,5"]]


def test_a_row_without_end_is_refused_before_memory_is_full(monkeypatch):
    monkeypatch.setattr(csv_blocks, "LONGEST_ROW", 1000)
    content = b'x,y\n1,2\n3,"4\n' + b"5,6\n" * 1000
    with pytest.raises(FileError, match=r"quote not closed.*line 3"):
        blocks_of(content, 10)


def test_tables_of_blocks_are_the_table_of_the_file(tmp_path):
    lines = [f"{i / 8},{'abc'[i % 3]},{'' if i % 5 == 0 else i}" for i in range(500)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["u,v,w", *lines]))
    whole = learnt.read(path)
    cut, blocks = blocks_of(path.read_bytes(), 900)
    assert len(blocks) > 3
    readings = cut.readings(whole.schema.columns)
    parts = [t.to_dict() for block in blocks for t in cut.tables(block, whole.names, readings)]
    for name in whole.names:
        assert [cell for part in parts for cell in part[name]] == whole[name].labels()


def test_an_error_names_the_line_of_the_file_not_of_the_block():
    content = b"x,y\n" + b"1,2\n" * 500 + b"1,oops\n" + b"1,2\n" * 500
    cut, blocks = blocks_of(content, 300)
    readings = {"x": "number", "y": "number"}
    with pytest.raises(FileError, match="oops") as caught:
        list(in_order(lambda block: cut.tables(block, ("x", "y"), readings), blocks, 2))
    assert caught.value.line == 502


def test_results_come_in_order_and_an_error_stops_the_reading():
    taken = []

    def items():
        for i in range(100):
            taken.append(i)
            yield i

    assert list(in_order(lambda i: i * i, range(20), 3)) == [i * i for i in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda i: 1 // (i - 2), items(), 2))
    assert len(taken) < 10


def test_lines_are_made_of_columns_with_gaps_where_cells_are_missing():
    import pyarrow as pa

    columns = [pa.array(["a", None, "c"]), pa.array([1.0, 2.5, None]), pa.array([1, 2, 3])]
    assert csv_bytes(columns) == b"a,1,1\n,2.5,2\nc,,3\n"
    assert csv_bytes([column.slice(1, 1) for column in columns]) == b",2.5,2\n"
    assert csv_bytes([pa.array([], pa.string())]) == b""


def test_texts_that_are_numbers_pass_as_they_are_written():
    import pyarrow as pa

    numbers = pa.array(["-3", "+4.50", "007"])
    assert safe_texts(numbers).to_pylist() == ["-3", "+4.50", "007"]
    mixed = pa.array(["-3", "=A1", None, "-x"])
    assert safe_texts(mixed).to_pylist() == ["-3", "'=A1", None, "'-x"]
