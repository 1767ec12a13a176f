"""Columns that a model knows, in new files: its labels, behind them unseen ones, numbers as they are written."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing

import openpyxl
import pytest

from learnt.data import Table, scan

SCHEMA = Table({"town": ["Bern", "Ulm"], "paid": [1.0, 2.0]}).schema
ROWS = [("Ulm", "€1,200"), ("Genf", "€5"), (None, "€7"), ("Bern", "n/a")]


def csv_file(place):
    place.write_text("town;paid\n" + "".join(f"{a or ''};{b or ''}\n" for a, b in ROWS))


def workbook(place):
    book = openpyxl.Workbook()
    for row in [("town", "paid"), *ROWS]:
        book.active.append(row)
    book.save(place)


def database(place):
    with closing(sqlite3.connect(place)) as made:
        made.execute("CREATE TABLE t (town, paid)")
        made.executemany("INSERT INTO t VALUES (?, ?)", ROWS)
        made.commit()


@pytest.mark.parametrize(("name", "write"), [("t.csv", csv_file), ("t.xlsx", workbook), ("t.sqlite", database)])
def test_all_sorts_of_files_give_the_model_the_same_cells(tmp_path, name, write):
    write(tmp_path / name)
    looked = []
    (batch,) = scan(tmp_path / name).with_schema(SCHEMA, looked.append).batches()
    assert batch["town"].labels() == ["Ulm", None, None, "Bern"]
    assert batch["town"].categories == ("Bern", "Ulm")
    assert batch["paid"].labels() == [1200, 5, 7, None]
    assert looked[0]["town"].categories == ("Bern", "Ulm", "Genf")


def test_a_text_that_means_missing_is_no_new_label():
    file = io.BytesIO(b"town,paid\nUlm,1\nNA,2\n-,3\n")
    file.name = "t.csv"
    from learnt.data.files.formats import part_of
    from learnt.data.files.source import source_of
    from learnt.data.files.text.dialect import Options

    part = part_of(source_of(file), "csv", Options())
    (table,) = part.tables(["town"], {"town": SCHEMA["town"]}, 10)
    assert table["town"].categories == ("Bern", "Ulm")
