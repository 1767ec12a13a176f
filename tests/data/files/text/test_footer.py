"""Totals, sources and remarks below a table are left out and said; true rows never are."""

from __future__ import annotations

import gzip
import io

import numpy as np
import openpyxl
import pytest

from learnt.data import read, scan
from learnt.data.files.text.footer import rows_below
from learnt.errors import FileError

HEAD, ROWS = "region,people,sales\n", "n,10,1.5\ns,20,2.5\no,5,1\n"
FOOTERS = {
    "total": ("Total,35,5.0\n", "Line 5 "),
    "rounded total": ("Grand total:,35,\n", "Line 5 "),
    "total and mean": ("Sum,35,5\nAverage,11.7,1.67\n", "Lines 5 to 6 "),
    "source": ("\nSource: the office, 2024\n", "Line 6 "),
    "several": ("\nTotal,35,5\n\n\nNote: without lakes\n* estimated, not counted\n\n", "Lines 6 to 10 "),
    "padded by a spreadsheet": (",,\nfrom the registry,,\n", "Line 6 "),
}


def table_of(text: str, **settings):
    return read(io.BytesIO(text.encode()), **settings)


@pytest.mark.parametrize("name", FOOTERS)
def test_a_footer_is_left_out_and_its_lines_are_said(name):
    footer, lines = FOOTERS[name]
    table = table_of(HEAD + ROWS + footer)
    assert table.to_dict() == table_of(HEAD + ROWS).to_dict()
    (note,) = [note for note in table.notes if "below the table" in note.text]
    assert note.text.startswith(lines)
    assert note.flag == "--no-footer"


TRUE_ROWS = [
    "Total,36,5.0\n",  # not the sum
    "Total,35,x\n",
    "\nw,7,8\n",
    "Totality,35,5\n",
    "\nx,,9\n",
    '"a\n\nSource: inside of a cell",1,2\n',
]


@pytest.mark.parametrize("last", TRUE_ROWS)
def test_a_true_row_is_never_dropped(last):
    assert table_of(HEAD + ROWS + last).n_rows == 4


def test_a_label_alone_after_a_blank_line_is_a_row_where_blank_lines_part_rows():
    assert table_of("a,b,c\n1,x,2\n\n2,y,3\n\nlast,,\n").n_rows == 3


def test_footer_false_keeps_all_lines():
    assert table_of(HEAD + ROWS + "Total,35,5\n", footer=False).n_rows == 4
    with pytest.raises(FileError):
        table_of(HEAD + ROWS + "\nSource: the office\n", footer=False)


@pytest.mark.parametrize("footer", ["Total,{people},\n", "\nSource: the office\n"])
def test_the_end_of_a_large_file_is_looked_at_too(tmp_path, footer):
    people = np.random.default_rng(0).integers(0, 1000, 30_000)
    rows = "".join(f"r{i % 7},{n},{i}\n" for i, n in enumerate(people))
    (tmp_path / "t.csv").write_text(HEAD + rows + footer.format(people=people.sum()))
    table, scanned = read(tmp_path / "t.csv"), scan(tmp_path / "t.csv")
    assert table.n_rows == 30_000 == sum(batch.n_rows for batch in scanned)
    assert any("30,002" in note.text or "30,003" in note.text for note in table.notes)
    assert float(table["people"].values.sum()) == float(people.sum())


def test_a_wrong_total_of_a_large_file_is_a_row(tmp_path):
    rows = "".join(f"r,{i},{i}\n" for i in range(30_000))
    (tmp_path / "t.csv").write_text(HEAD + rows + "Total,1,2\n")
    assert read(tmp_path / "t.csv").n_rows == 30_001


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig"])
def test_footers_in_other_encodings(tmp_path, encoding):
    text = (HEAD + ROWS).replace("\nn,", "\nnö,") + "\nSource: the öffice\n"
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode(encoding)))
    for name in ("t.csv", "t.csv.gz"):
        assert read(tmp_path / name)["region"].labels() == ["nö", "s", "o"]


def test_an_error_above_a_footer_names_its_line():
    with pytest.raises(FileError, match="line 3"):
        table_of("a,b,c\n1,2,3\n4,5\n6,7,8\n9,1,2\n\nSource: us\n")


def test_totals_on_a_sheet(tmp_path):
    book = openpyxl.Workbook()
    for row in (["region", "people"], ["n", 10], ["s", 20], ["Total", 30]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    table = read(tmp_path / "t.xlsx")
    assert table["region"].labels() == ["n", "s"]
    assert any("Line 4 below the table, from 'Total'" in note.text for note in table.notes)
    assert read(tmp_path / "t.xlsx", footer=False).n_rows == 3


def test_money_adds_up_too():
    text = "item;price\na;€1,200.50\nb;€300.25\nc;€10.00\nTotal;€1,510.75\n"
    assert table_of(text).n_rows == 3


def test_a_column_alone_has_no_footer():
    assert rows_below([["a"], ["b"], [], ["Source: us"]], 1) is None


@pytest.mark.parametrize("text", ['region,"ales,cost\nn,10,1\n\nSource: us\n', 'a,b,"c\n1,2,3\nTotal,2,3\n'])
def test_in_a_cell_that_is_never_closed_there_is_no_footer(text):
    assert table_of(text).to_dict() == table_of(text, footer=False).to_dict()
