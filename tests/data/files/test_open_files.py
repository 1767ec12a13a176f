"""Readers close what they open: whole or in parts, compressed or not, also where a file is wrong."""

from __future__ import annotations

import contextlib
import gc
import gzip
import io
import lzma
import sys
import warnings
import zipfile

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from learnt.cli.writing.model_rows import csv_blocks
from learnt.data import read, scan
from learnt.errors import LearntError


def _written(write, *names):
    out = io.BytesIO()
    write(pa.table({name: [1, 2] for name in names}), out)
    return out.getvalue()


FILES = {
    "good.csv": b"a,b\n1,x\n2,y\n",
    "latin.csv": b"a,b\n\xe9,1\nx,2\n",
    "short.csv": b"a,b\n1,2\n3\n",
    "quote.csv": b'a,b\n1,"x\n2,z\n',
    "good.arff": b"@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n1,x\n2,y\n",
    "weights.arff": b"@relation r\n@attribute a real\n@data\n1,{2}\n2,{3}\n",
    "latin.arff": b"@relation r\n@attribute a {\xe9,b}\n@data\n\xe9\nb\n",
    "label.arff": b"@relation r\n@attribute a {x,y}\n@data\nx\nz\n",
    "header.arff": b"@relation r\nattribute a real\n@data\n1\n",
    "cut.arff": b"@relation r\n@attribute a real\n",
    "good.jsonl": b'{"a": 1}\n{"a": 2}\n',
    "wrong.jsonl": b'{"a": 1}\n{"a": }\n',
    "good.libsvm": b"1 1:2\n-1 2:3\n",
    "wrong.libsvm": b"1 1:2\n-1 2:x\n",
    "good.parquet": _written(pq.write_table, "a", "b"),
    "cut.parquet": _written(pq.write_table, "a", "b")[:-9],
    "good.arrow": _written(feather.write_feather, "a", "b"),
    "cut.arrow": _written(feather.write_feather, "a", "b")[:-9],
}


def _zipped(*contents):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for i, content in enumerate(contents):
            archive.writestr(f"file{i}", content)
    return out.getvalue()


PACKED = {
    "": lambda content: content,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zip": _zipped,
    ".cut.gz": lambda content: gzip.compress(content)[:-6],
    ".cut.xz": lambda content: lzma.compress(content)[:-6],
    ".two.zip": lambda content: _zipped(content, content),
    ".broken.zip": lambda content: _zipped(content)[:20],
}


def _first(path):
    for _ in scan(path, batch_rows=1):
        break


def _blocks(path):
    with csv_blocks(str(path)) as blocks:
        for _ in blocks.blocks() if blocks is not None else ():
            break


ATTEMPTS = (
    read,
    _first,
    _blocks,
    lambda p: read(p, columns=["a"]),
    lambda p: read(p, kinds={"a": "numeric"}),
    lambda p: list(scan(p, batch_rows=1)),
)


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FILES)
def test_no_file_is_left_open(tmp_path, monkeypatch, name):
    left = []
    gc.collect()
    monkeypatch.setattr(sys, "unraisablehook", lambda told: left.append(str(told.exc_value)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        for packing, packed in PACKED.items():
            path = tmp_path / f"{name}{packing}"
            path.write_bytes(packed(FILES[name]))
            for attempt in ATTEMPTS:
                with contextlib.suppress(LearntError):
                    attempt(path)
        gc.collect()
    assert left == []
