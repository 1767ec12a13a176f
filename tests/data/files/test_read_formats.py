"""Typed files, compressed files, and where they may come from."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import io
import lzma
import pathlib
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from learnt.data import Table, read


@pytest.fixture
def mixed():
    return pa.table(
        {
            "n": pa.array([1, None, 3], pa.int32()),
            "x": [0.5, 1.5, None],
            "s": ["b", None, "a"],
            "c": pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), ["z", "y"]),
            "b": [True, None, False],
            "d": pa.array([0, 18262, None], pa.date32()),
        }
    )


WANTED = {
    "n": [1, None, 3],
    "x": [0.5, 1.5, None],
    "s": ["b", None, "a"],
    "c": ["y", "z", None],
    "b": [True, None, False],
    "d": [dt.date(1970, 1, 1), dt.date(2020, 1, 1), None],
}


def test_parquet_and_feather_give_the_table_that_arrow_gives(tmp_path, mixed):
    pq.write_table(mixed, tmp_path / "t.parquet")
    feather.write_feather(mixed, str(tmp_path / "t.feather"))
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as out, pa.ipc.new_file(out, mixed.schema) as writer:
        writer.write_table(mixed, max_chunksize=2)
    for name in ("t.parquet", "t.feather", "t.arrow"):
        table = read(tmp_path / name, target="b")
        assert table.to_dict() == WANTED
        assert table.schema == Table(mixed).schema
        assert table.schema["c"].categories == ("z", "y")  # declared order
        assert table.target == "b"
        assert read(tmp_path / name, columns=["s", "n"]).names == ("s", "n")


def test_the_row_labels_of_pandas_are_no_column(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "k": pd.Categorical(["u", "v"], ["v", "u"], ordered=True)}, index=[7, 9])
    frame.to_parquet(tmp_path / "t.parquet")
    table = read(tmp_path / "t.parquet")
    assert table.names == ("a", "k")
    assert table["k"].kind == "ordinal"
    assert table["k"].categories == ("v", "u")


def test_json_lines_hold_numbers_text_booleans_dates_and_gaps():
    lines = (
        '{"n": 1, "s": "5", "b": true, "d": "2020-01-01"}\n\n'
        '{"n": 2.5, "s": null, "d": "2020-01-01T12:00:00.5", "late": 1e3}\n'
    )
    table = read(io.BytesIO(lines.encode()), format="jsonl")
    assert table.to_dict() == {
        "n": [1.0, 2.5],
        "s": ["5", None],  # text stays text: JSON has types
        "b": [True, None],
        "d": [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 12, 0, 0, 500_000)],
        "late": [None, 1000.0],
    }


def test_json_dates_with_one_other_word_are_text_wherever_it_stands():
    dates = '{"d": "2020-01-01"}\n' * 40_000
    for text in (dates + '{"d": "soon"}\n', '{"d": "soon"}\n' + dates):
        assert read(io.BytesIO(text.encode()))["d"].categories == ("2020-01-01", "soon")


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
for name, codec in (("zst", "zstd"), ("lz4", "lz4")):
    PACKERS[name] = lambda raw, codec=codec: _arrow_packed(raw, codec)


def _arrow_packed(raw: bytes, codec: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as out:
        out.write(raw)
    return sink.getvalue().to_pybytes()


def _zipped(raw: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside.csv", raw)
    return packed.getvalue()


PACKERS["zip"] = _zipped
CONTENTS = {
    "csv": b"a,b\n1,x\n2,y\n",
    "jsonl": b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n',
    "arff": b"@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n1,x\n2,y\n",
}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("format", CONTENTS)
def test_compressed_files_are_read_as_what_they_hold(tmp_path, packer, format):
    path = tmp_path / f"t.{format}.{packer}"
    path.write_bytes(PACKERS[packer](CONTENTS[format]))
    assert read(path).to_dict() == {"a": [1.0, 2.0], "b": ["x", "y"]}


def test_compressed_parquet_and_parts_packed_one_by_one(tmp_path, mixed):
    pq.write_table(mixed, tmp_path / "t.parquet")
    (tmp_path / "u.parquet.gz").write_bytes(gzip.compress((tmp_path / "t.parquet").read_bytes()))
    assert read(tmp_path / "u.parquet.gz").to_dict() == WANTED
    (tmp_path / "two.csv.gz").write_bytes(gzip.compress(b"a\n1\n") + gzip.compress(b"2\n"))
    assert read(tmp_path / "two.csv.gz")["a"].values.tolist() == [1.0, 2.0]


def test_an_archive_of_two_files_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", "a\n1\n")
        archive.writestr("b.csv", "a\n1\n")
    with pytest.raises(ValueError, match="holds 2 files"):
        read(io.BytesIO(packed.getvalue()))


def test_the_format_is_known_by_content_where_the_name_is_silent(tmp_path, mixed):
    contents = {**CONTENTS, "libsvm": b"# c\n+1 qid:1 1:0.5 3:2\n-1 2:1\n"}
    sink = io.BytesIO()
    pq.write_table(mixed, sink)
    for name, content in contents.items():
        (tmp_path / f"{name}.data").write_bytes(content)
    assert read(tmp_path / "csv.data").n_rows == read(tmp_path / "jsonl.data").n_rows == 2
    assert read(tmp_path / "arff.data").schema["b"].categories == ("x", "y")
    assert read(tmp_path / "libsvm.data").names == ("target", "x1", "x2", "x3")
    assert read(io.BytesIO(sink.getvalue())).to_dict() == WANTED


def test_paths_addresses_and_open_files_are_the_same(tmp_path):
    path = tmp_path / "my table.csv"
    path.write_bytes(CONTENTS["csv"])
    with path.open("rb") as binary, path.open() as text:
        for data in (str(path), pathlib.Path(path), path.as_uri(), binary, text, io.BytesIO(CONTENTS["csv"])):
            assert read(data).to_dict() == {"a": [1.0, 2.0], "b": ["x", "y"]}


def test_numbers_without_gaps_are_not_copied_from_arrow(tmp_path):
    pq.write_table(pa.table({"x": np.arange(5.0)}), tmp_path / "t.parquet")
    values = read(tmp_path / "t.parquet")["x"].values
    assert values.tolist() == [0, 1, 2, 3, 4]
    assert values.base is not None


def test_importing_the_readers_does_not_import_arrow():
    code = (
        "import sys, learnt.data; learnt.data.read; assert 'pyarrow' not in sys.modules and 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
