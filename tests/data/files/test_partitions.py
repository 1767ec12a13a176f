"""Names of folders as cells, compared with what pyarrow's dataset reads."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from learnt.data import read
from learnt.data.files.partitions import partition_of

ROWS = {"year": [2023, 2023, 2024, 2024], "shop": ["a b", "c/d", "a b", "é"], "sales": [1.0, 2.0, 3.0, 4.0]}


@pytest.fixture
def folder(tmp_path):
    scheme = ds.partitioning(pa.schema([("year", pa.int64()), ("shop", pa.string())]), flavor="hive")
    ds.write_dataset(pa.table(ROWS), tmp_path / "sales", format="parquet", partitioning=scheme)
    return tmp_path / "sales"


def test_a_dataset_of_pyarrow_is_read_as_pyarrow_reads_it(folder):
    found = read(folder)
    other = ds.dataset(folder, partitioning="hive").to_table().to_pydict()
    by_sales = lambda columns: sorted(zip(columns["sales"], map(int, columns["year"]), columns["shop"], strict=True))  # noqa: E731
    assert by_sales({name: found[name].labels() for name in ROWS}) == by_sales(other)
    assert dict(found.kinds) == {"sales": "numeric", "year": "numeric", "shop": "nominal"}


def test_names_are_decoded_and_others_passed_over():
    file = os.path.join("top", "x", "year=2024", "shop=a%20b", "none=__HIVE_DEFAULT_PARTITION__", "part.csv")
    assert partition_of(file, "top") == {"year": "2024", "shop": "a b", "none": None}
    assert partition_of("part.csv", "") == {}


def test_a_column_of_the_file_goes_before_one_of_the_folder(tmp_path):
    (tmp_path / "year=1999").mkdir()
    (tmp_path / "year=1999" / "t.csv").write_text("year,x\n2024,1\n2025,2\n")
    assert read(tmp_path)["year"].labels() == [2024.0, 2025.0]
