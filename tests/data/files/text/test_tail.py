"""The end of a stream and of a file."""

from __future__ import annotations

import io

import pytest

from learnt.data.files.source import Source
from learnt.data.files.text.cutting import Cutting
from learnt.data.files.text.tail import Until, tail_of


@pytest.mark.parametrize("size", [1, 3, 100, -1])
def test_a_stream_is_read_up_to_so_many_bytes(size):
    content = bytes(range(50))
    for stop in (0, 1, 20, 50, 80, None):
        stream = Until(io.BytesIO(content), stop)
        assert b"".join(iter(lambda stream=stream: stream.read(size), b"")) == content[:stop]


def test_lines_of_text_end_where_the_table_does():
    text = io.TextIOWrapper(Until(io.BytesIO("é\nö\nü\n".encode()), 6), encoding="utf-8")
    assert text.read() == "é\nö\n"


@pytest.mark.parametrize("whole", [True, False])
def test_the_table_stops_where_its_last_row_ends(whole):
    rows, footer = "a,b\n" + "1,2\n" * 9000, "\n\nSource: üs\n"
    source = Source("t.csv", None, (rows + footer).encode(), None)
    tail = tail_of(source, rows + footer if whole else None, "utf-8", Cutting(",", '"'), 2)
    assert tail.stop == len(rows)
    assert tail.note(source).text.startswith("Line 9,004 below the table, from 'Source: üs'")
