"""What stands above the rows of a text file, and names that need mending."""

from __future__ import annotations

import contextlib
import io
import time

import pytest

import learnt
from learnt.data import read
from learnt.data.files.source import source_of
from learnt.data.files.text.dialect import Options, sniff
from learnt.data.files.text.heading import are_amounts, distinct_names, is_data
from learnt.errors import FileError


def dialect(text: str):
    return sniff(source_of(io.BytesIO(text.encode())), Options())


TABLE = "region,sales,share\nnorth,12,0.5\nsouth,7,0.25\neast,9,0.25\n"


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("Sales of 2024\n\n", 3),
        ("Sales of 2024,,\nin thousands,,\n", 3),
        ("Report,made by hand\n", 2),
        ("# exported by hand\n# all rights reserved, for ever\n", 3),
        ("% R. A. Fisher\n\n", 3),
        ("sep=,\n", 2),
        ("sep=,\r\nSales of 2024\n", 3),
        ("\n\n", 3),
    ],
)
def test_lines_above_the_header_are_skipped(above, lines):
    found = dialect(above + TABLE)
    assert found.names == ("region", "sales", "share")
    assert found.skip_lines == lines
    assert read(io.BytesIO((above + TABLE).encode())).to_dict() == read(io.BytesIO(TABLE.encode())).to_dict()


def test_what_was_skipped_is_said():
    assert "'Sales of 2024'" in dialect("Sales of 2024\n" + TABLE).notes[0].text
    assert "2 lines of comment" in dialect("# a\n# b\n" + TABLE).notes[0].text
    assert dialect(TABLE).notes == ()


def test_a_narrow_header_over_wide_rows_is_no_title():
    assert dialect("a,b\n1,2,3\n4,5,6\n").skip_lines == 1
    assert dialect("name,,\nAnn,1,2\nBob,3,4\n").names == ("name", "x1", "x2")


def test_a_header_in_a_comment_is_a_header():
    assert dialect("# x y\n1 2\n3 4\n").names == ("x", "y")
    assert dialect("#tag,name\nfoo,bar\nbaz,qux\n").names == ("tag", "name")
    assert dialect("#,name,score\n1,Ann,3\n2,Bob,4\n").names == ("#", "name", "score")


def test_a_line_that_names_the_delimiter_is_obeyed():
    found = dialect("sep=|\na;b|c\n1;2|3\n4;5|6\n")
    assert (found.delimiter, found.names, found.skip_lines) == ("|", ("a;b", "c"), 2)


@pytest.mark.parametrize("blank", [" ", "    "])
def test_runs_of_blanks_separate_cells(blank):
    text = "\n".join("  " + blank.join(row) for row in (["height", "sex"], ["1.80", "m"], ["1.65", "f"], ["1.7", "f"]))
    found = dialect(text + "\n")
    assert found.runs
    assert found.names == ("height", "sex")
    assert found.sample == (("1.80", "m"), ("1.65", "f"), ("1.7", "f"))


def test_sentences_are_one_column():
    assert not dialect("text\ngood morning\nbad evening\nfine noon\n").runs


def test_row_names_of_r_get_a_column():
    assert dialect("mpg cyl\nMazda 21.0 6\nDatsun 22.8 4\nHornet 21.4 6\n").columns == ("x0", "mpg", "cyl")
    assert dialect('"mpg" "cyl"\n"1" 21.0 6\n"2" 22.8 4\n').columns == ("mpg", "cyl")


def test_two_columns_of_one_name_are_told_apart():
    found = dialect("region,region,region_2,,region\n1,2,3,4,5\n")
    assert found.names == ("region", "region_3", "region_2", "x3", "region_4")
    assert [note.column for note in found.notes] == ["region_3", "region_4"]


@pytest.mark.parametrize("first", ["", "Unnamed: 0", '""'])
@pytest.mark.parametrize("cells", [(0, 1, 2), (7, 3, 5), ('"1"', '"2"', '"3"')])
def test_the_index_that_pandas_and_r_write_is_left_out(first, cells):
    rows = "".join(f"{i},{x}\n" for i, x in zip(cells, "uvu", strict=True))
    found = dialect(f"{first},a\n{rows}")
    assert found.columns == ("a",)
    assert "numbers the rows" in found.notes[0].text
    table = read(io.BytesIO(f"{first},a\n{rows}".encode()))
    assert table.to_dict() == {"a": ["u", "v", "u"]}


@pytest.mark.parametrize("text", ["id,a\n0,u\n1,v\n", ",a\n1.5,u\n2.5,v\n", ",a\n1,u\n1,v\n", ",a\nx,u\ny,v\n"])
def test_other_first_columns_stay(text):
    assert len(dialect(text).columns) == 2


def test_a_row_of_units_is_skipped():
    found = dialect("name,height,weight\n,cm,[kg]\nAnn,172,60\nBob,181,80\nCid,169,66\n")
    assert found.skip_lines == 2
    assert found.sample[0] == ("Ann", "172", "60")
    assert "cm, [kg]" in found.notes[0].text
    assert dialect("name,age\nAnn,unknown\nBob,31\nCid,32\nDee,3\n").skip_lines == 1
    assert dialect("size,unit\nm,g\nm,kg\ns,g\nm,l\n").skip_lines == 1


def test_a_header_longer_than_the_first_look_is_read():
    names = [f"a_rather_long_name_of_a_column_{j}" for j in range(8000)]
    text = ",".join(names) + "\n" + ",".join("1" * 8000) + "\n"
    table = read(io.BytesIO(text.encode()))
    assert table.names == tuple(names)
    assert table.n_rows == 1


@pytest.mark.parametrize(
    "cells", [("1.250,50 €", "980,00 €"), ("12 %", "7 %"), ("31.12.2024", "1.2.2024"), ("NA", "3")]
)
def test_amounts_dates_and_missing_cells_make_a_header_too(cells):
    text = "Sales;;\nregion;amount;region\n" + "".join(f"{'ns'[i]};{cell};x\n" for i, cell in enumerate(cells))
    assert dialect(text).names == ("region", "amount", "region_2")


@pytest.mark.costly
@pytest.mark.parametrize("cell", ['"' + "x" * 300_000 + '"', '"open', '"' + "x,y\n" * 60_000])
def test_a_quote_in_the_header_that_does_not_end_is_told_as_that(cell, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"a,{cell}\n" + "1,2\n" * 60_000)
    for reads in (learnt.read, lambda file: list(learnt.scan(file).batches())):
        with pytest.raises(FileError, match=r"quote that is not closed within 131,072 characters.*line 1"):
            reads(path)


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\n\n", b"\xff\xfe", b"\xff\xfe\n\0"])
def test_a_mark_of_the_encoding_alone_is_an_empty_file(content):
    with pytest.raises(FileError, match="empty"):
        learnt.read(io.BytesIO(content))


@pytest.mark.parametrize(
    "content", [b",\n\xef\xbb\xbf", b"\n\xef\xbb\xbf\n", b"a,b\n\xef\xbb\xbf1,2\n", b"\xef\xbb\xbf" * 3 + b"a\n1\n"]
)
def test_a_mark_of_the_encoding_amid_the_text_raises_no_foreign_error(content):
    with contextlib.suppress(FileError):
        learnt.read(io.BytesIO(content))


def test_names_of_many_columns_are_told_apart_in_linear_time():
    many = [f"gene_{j}" for j in range(30_000)] + ["gene_0"] * 30_000 + [""] * 1000
    begun = time.process_time()
    names, notes = distinct_names(many)
    assert time.process_time() - begun < 2
    assert len(set(names)) == len(names) == 61_000
    assert names[30_000] == "gene_0_2"
    assert len(notes) == 30_000


@pytest.mark.parametrize(
    ("lines", "name", "unit", "numbers"),
    [
        (["price", "2.000 €", "3.500 €", "12,50 €"], "price", "€", [2000, 3500, 12.5]),
        (["Preis netto", "2.000,00 €", "12,50 €"], "Preis netto", "€", [2000, 12.5]),
        (["price", "$ 2,000.00", "$ 12.50"], "price", "$", [2000, 12.5]),
        (["amount", "1 234 €", "12 345 €", "7 000 €"], "amount", "€", [1234, 12345, 7000]),
        (["share", "12 %", "3 %", "7 %"], "share", "%", [12, 3, 7]),
        (["12 €", "3 €", "7 €"], "x0", "€", [12, 3, 7]),
    ],
)
def test_amounts_of_one_column_are_not_cut_at_what_parts_their_digits(lines, name, unit, numbers):
    table = learnt.read(io.BytesIO("\n".join(lines).encode()))
    assert table.names == (name,)
    assert table[name].values.tolist() == numbers
    assert table[name].form.unit == unit


def test_a_number_and_its_unit_below_two_names_are_two_columns():
    assert learnt.read(io.BytesIO(b"weight unit\n2 kg\n3 kg\n5 kg\n")).names == ("weight", "unit")
    assert learnt.read(io.BytesIO("a;b\n1;2 €\n3;4 €\n".encode())).names == ("a", "b")


@pytest.mark.parametrize("cell", ["1" * 100_000 + "x", "1." + "1" * 100_000 + "x", "1 111" * 20_000 + "x"])
def test_a_cell_of_many_digits_takes_no_time(cell):
    start = time.process_time()
    assert not is_data(cell)
    assert not are_amounts([cell, cell], ";")
    assert time.process_time() - start < 2  # a pattern that tried all ways to part the digits took minutes
