"""Folders as one table, with the cells that the names of folders are."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from learnt.data import read, scan
from learnt.errors import FileError


@pytest.fixture
def sales(tmp_path):
    years = [2023, 2023, 2024, 2024, 2024]
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "year": years, "shop": ["a b", "c/d", "a b", None, "c/d"]})
    pq.write_to_dataset(table, tmp_path / "sales", partition_cols=["year", "shop"])
    (tmp_path / "sales" / "_SUCCESS").write_text("")
    return tmp_path / "sales"


def rows(table):
    return sorted(zip(*(table[n].labels() for n in ("x", "year", "shop")), strict=True))


def test_names_of_folders_become_columns_as_arrow_has_it(sales):
    expected = ds.dataset(sales, partitioning="hive").to_table().to_pylist()
    table = read(sales)
    assert table.kinds["year"] == "numeric"
    assert rows(table) == sorted((r["x"], float(r["year"]), r["shop"]) for r in expected)
    assert rows(scan(sales, batch_rows=1).whole()) == rows(table)
    assert read(sales, target="shop", columns=["year"]).names == ("year", "shop")
    assert read(sales, columns=["year"]).n_rows == 5


def test_patterns_and_single_files(sales):
    assert scan(f"{sales}/*/*/*.parquet").whole().n_columns == 3
    (file,) = sales.glob("year=2023/shop=a%20b/*.parquet")
    assert read(file).names == ("x",)
    assert scan(sales / "year=2024").whole().names == ("x", "shop")


def test_folders_of_text_files_are_tables_too(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,u\n2,v\n")
    (tmp_path / "b.csv").write_text("y,x\nw,3\n")
    table = read(tmp_path, "y")
    assert table.to_dict() == {"x": [1.0, 2.0, 3.0], "y": ["u", "v", "w"]}
    assert table.target == "y"


def test_an_empty_folder_is_told(tmp_path):
    with pytest.raises(FileError, match="no file here"):
        read(tmp_path)


def test_files_of_the_current_folder_are_found_by_their_bare_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    for name in ("a.csv", "*.csv", ".", "./a.csv"):
        assert scan(name).whole().to_dict() == {"x": [1.0, 2.0]}
