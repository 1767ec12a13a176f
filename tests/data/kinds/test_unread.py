"""Texts of files with types that could be amounts or dates stay labels, and the flag that reads them is said."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from learnt.data import read

CELLS = {"paid": ["16.001 €", "20.371 €", None], "day": ["31.12.2024", "01.02.2024", "05.06.2024"],
         "share": ["5 %", "7 %", "12 %"], "code": ["123", "456", "789"], "word": ["a", "b", "a"]}  # fmt: skip


def json_file():
    rows = [dict(zip(CELLS, row, strict=True)) for row in zip(*CELLS.values(), strict=True)]
    return io.BytesIO(json.dumps(rows).encode())


def parquet_file():
    content = io.BytesIO()
    pq.write_table(pa.table(CELLS), content)
    return io.BytesIO(content.getvalue())


@pytest.mark.parametrize("file", [json_file, parquet_file])
def test_what_is_said_reads_the_column_if_it_is_done(file):
    table = read(file())
    assert set(table.kinds.values()) == {"nominal"}
    flags = {note.column: note.flag for note in table.notes}
    assert flags == {"paid": "--kind paid=numeric", "day": "--kind day=date", "share": "--kind share=numeric"}
    kinds = {name: flag.rpartition("=")[2] for name, flag in flags.items()}
    done = read(file(), kinds=kinds)
    assert {name: done.kinds[name] for name in kinds} == kinds
    assert str(done["day"].labels()[0]) == "2024-12-31"
    assert done["share"].labels() == [5, 7, 12]
    assert done.notes == ()


def test_text_files_have_nothing_unread_even_where_the_user_said_labels():
    text = b"paid,n\n5 kg,1\n7 kg,2\n"
    assert not any("kept as labels" in note.text for note in read(io.BytesIO(text), kinds={"paid": "nominal"}).notes)
