"""The bytes below a heading, as UTF-8, whatever they are in the file, however they are asked for."""

from __future__ import annotations

import io

import numpy as np
import pytest

from learnt.data.files.source import Source
from learnt.data.files.text.csv_text import CsvText
from learnt.data.files.text.dialect import Options, sniff

TEXT = "name,x\r\n" + "".join(f"é{i},{i}\r\n" for i in range(50))


def filled(content: bytes, size: int, path=None) -> bytes:
    """All bytes, taken in pieces."""
    source = Source("t.csv", path, None if path else content, None)
    with source.open() as stream:
        text = CsvText(stream, sniff(source, Options()))
        found, memory = b"", np.empty(size, np.uint8)
        while stop := text.fill(memory, 0):
            found += memory[:stop].tobytes()
    return found


@pytest.mark.parametrize("size", [1, 7, 1 << 12])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_rows_come_as_utf_8_without_the_heading(tmp_path, size, encoding):
    content = TEXT.encode(encoding)
    (tmp_path / "t.csv").write_bytes(content)
    expected = TEXT.split("\r\n", 1)[1].encode()
    assert filled(content, size) == expected
    assert filled(content, size, tmp_path / "t.csv") == expected


def test_runs_of_blanks_are_one_delimiter():
    text = "a   b  c\n 1  2   3 \n4 5      6\n"
    assert filled(text.encode(), 5).split() == b" ".join(text.encode().split()[3:]).split()
    assert filled(text.encode(), 5).count(b" ") == 4


def test_a_footer_is_not_read(tmp_path):
    text = "a,b\n" + "".join(f"{i},x\n" for i in range(40_000)) + "\nSource: us\n"
    (tmp_path / "t.csv").write_text(text)
    rows = text.split("\n", 1)[1].encode().split(b"\n\n")[0]
    for path in (None, tmp_path / "t.csv"):
        assert filled(text.encode(), 1 << 14, path).rstrip() == rows


def test_a_heading_alone_has_no_rows():
    assert filled(b"a,b,c", 10) == b""
    assert io.BytesIO(filled(b"a,b,c\n", 10)).read() == b""
