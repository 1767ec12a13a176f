"""Arrow files with a flipped bit are a table or an error: Arrow itself trusts offsets and codes, and dies of them."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from learnt.data import read, scan
from learnt.errors import FileError, LearntError

TOWNS = ["Bern", "Basel", "Chur"]
TABLE = pa.table({"town": TOWNS, "again": pa.array(TOWNS).dictionary_encode()})


def feather() -> bytes:
    file = io.BytesIO()
    pyarrow.feather.write_feather(TABLE, file, compression="uncompressed")
    return file.getvalue()


def stream(table: pa.Table = TABLE) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
        writer.write_table(table)
    return file.getvalue()


@pytest.mark.costly
@pytest.mark.parametrize("bit", [0, 5])
@pytest.mark.parametrize("written", [feather, stream])
def test_no_flipped_bit_kills_the_process(written, bit):
    content, refused = written(), 0
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << bit
        try:
            read(io.BytesIO(bytes(damaged)), format="arrow")
        except LearntError:
            refused += 1
    assert 0 < refused < len(content)


@pytest.mark.costly
@pytest.mark.parametrize("written", [feather, stream])
def test_no_flipped_bit_kills_a_scan(written, tmp_path):
    content, path, refused = written(), tmp_path / "damaged.arrow", 0
    for place in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 4
        path.write_bytes(damaged)
        try:
            for batch in scan(path).batches():
                [column.labels() for column in batch.columns]
        except LearntError:
            refused += 1
    assert 0 < refused < len(content)


@pytest.mark.parametrize("name", ["t.arrows", "t.arrow", "t.feather", "t.ipc", "t.unknown"])
def test_streams_are_read_whatever_they_are_called(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(stream())
    expected = {"town": TOWNS * 2, "again": TOWNS * 2}
    assert read(path).to_dict() == expected
    assert read(path, columns=["again"]).to_dict() == {"again": TOWNS * 2}
    assert scan(path).whole().to_dict() == expected
    assert read(io.BytesIO(gzip.compress(path.read_bytes()))).to_dict() == expected


def test_streams_cut_off_or_empty_are_told(tmp_path):
    content = stream()
    assert read(io.BytesIO(stream(TABLE.slice(0, 0)))).shape == (0, 2)
    for end in range(5, len(content) - 8, 7):
        try:
            found = read(io.BytesIO(content[:end]), format="arrow")
        except FileError:
            continue
        assert found.n_rows in (0, 3, 6)  # cut between two messages


def test_feather_of_version_one_is_named():
    with pytest.raises(FileError, match="Feather file of version 1"):
        read(io.BytesIO(b"FEA1" + bytes(40)))


def test_parquet_text_that_is_not_utf8_is_an_error_in_every_reader(tmp_path):
    text = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 3], np.int32).tobytes()), pa.py_buffer(b"a\xff\xfe")]
    )
    for path, write in (
        (tmp_path / "t.parquet", pq.write_table),
        (tmp_path / "t.feather", pyarrow.feather.write_feather),
    ):
        write(pa.table({"a": text, "b": [1, 2]}), str(path))
        with pytest.raises(FileError, match="UTF8"):
            read(path)
        with pytest.raises(FileError, match="UTF8"):
            list(scan(path).batches())
        assert read(path, columns=["b"]).to_dict() == {"b": [1, 2]}


def test_offsets_and_codes_out_of_range_are_named_as_damage():
    offsets = pa.py_buffer(np.array([0, 2**30, 4], np.int32).tobytes())
    beyond = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"Bern")])
    codes = pa.DictionaryArray.from_arrays(pa.array([7], pa.int32()), pa.array(["Bern"]), safe=False)
    for column in (beyond, codes):
        file = io.BytesIO()
        with pa.ipc.new_file(file, pa.schema([("town", column.type)])) as writer:
            writer.write_batch(pa.record_batch([column], names=["town"]))
        with pytest.raises(FileError, match="cannot be read"):
            read(io.BytesIO(file.getvalue()), format="arrow")
