"""Tables of SQLite and DuckDB databases."""

from __future__ import annotations

import gzip
import sqlite3

import duckdb
import numpy as np
import pytest

from learnt.data import read, scan
from learnt.errors import FileError, KindError, MissingPackageError

ODD = 'or"der; drop table x --'
ROWS = [(i, i / 4 if i % 3 else None, f"s{i % 3}", i % 2, f"2024-01-{1 + i % 28:02}") for i in range(100)]


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as database:
        name = '"' + ODD.replace('"', '""') + '"'
        database.execute(f"CREATE TABLE {name} (id INTEGER, x REAL, s TEXT, ok BOOLEAN, d DATE)")
        database.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)", ROWS)
        database.execute(f"CREATE VIEW few AS SELECT id, s FROM {name} WHERE id < 10")
    database.close()
    return path


def test_a_table_is_read_with_its_kinds(shop):
    table = read(f"{shop}::{ODD}")
    assert [table.schema[n].kind for n in table.names] == ["numeric", "numeric", "nominal", "boolean", "numeric"]
    assert table["x"].labels() == [x for _, x, *_ in ROWS]
    assert table["s"].labels() == [s for _, _, s, *_ in ROWS]
    assert table["ok"].labels() == [bool(ok) for _, _, _, ok, _ in ROWS]
    assert table["d"].values[0] == np.datetime64("2024-01-01").astype(int)


def test_views_columns_and_batches(shop):
    assert read(f"{shop}::few").n_rows == 10
    assert read(f"{shop}::few", columns=["s"]).names == ("s",)
    whole = read(f"{shop}::{ODD}")
    batches = list(scan(f"{shop}::{ODD}", batch_rows=7))
    assert [b.n_rows for b in batches] == [7] * 14 + [2]
    for name in whole.names:
        assert [cell for b in batches for cell in b[name].labels()] == whole[name].labels()


def test_which_table_is_meant_must_be_clear(shop, tmp_path):
    with pytest.raises(FileError, match=r"2 tables: .*'few'. Name one: .*::"):
        read(shop)
    with pytest.raises(FileError, match=r"no table 'fe'. Did you mean 'few'"):
        read(f"{shop}::fe")
    assert read(f"{shop}::FEW").n_rows == 10
    one = tmp_path / "one.db"  # known by its content
    with sqlite3.connect(one) as database:
        database.execute("CREATE TABLE only_one (a)")
    database.close()
    assert read(one).names == ("a",)
    assert read(one).n_rows == 0


def test_cells_of_any_type_may_stand_in_one_column(tmp_path):
    with sqlite3.connect(tmp_path / "t.db") as database:
        database.execute("CREATE TABLE t (mixed, numbers TEXT, late TEXT, bytes BLOB)")
        cells = [(i, str(i), str(i) if i < 50_000 else "x", b"\0") for i in range(50_001)]
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [("word", None, None, b""), *cells])
    database.close()
    columns = ["mixed", "numbers", "late"]
    table = read(tmp_path / "t.db", columns=columns)
    assert table["numbers"].kind == "numeric"
    with pytest.raises(KindError, match="'bytes' holds bytes"):
        read(tmp_path / "t.db")


def test_a_database_is_never_written_to_and_may_be_packed(shop):
    before = shop.read_bytes()
    packed = shop.with_name("shop.sqlite.gz")
    packed.write_bytes(gzip.compress(before))
    assert read(f"{packed}::few").to_dict() == read(f"{shop}::few").to_dict()
    assert shop.read_bytes() == before
    assert sorted(p.name for p in shop.parent.iterdir()) == ["shop.sqlite", "shop.sqlite.gz"]


def test_a_damaged_database_is_told(shop, tmp_path):
    whole = bytearray(shop.read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)
    (tmp_path / "bad.sqlite").write_bytes(whole)
    with pytest.raises(FileError, match="cannot be read"):
        read(f"{tmp_path / 'bad.sqlite'}::few")
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(FileError, match="holds one table"):
        read(f"{tmp_path / 't.csv'}::few")


@pytest.fixture
def duck(tmp_path):
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(
            "CREATE TABLE t AS SELECT i AS id, i / 4 AS x, 's' || (i % 3) AS s, i % 2 = 0 AS ok, "
            "DATE '2024-01-01' + i::INTEGER AS d FROM range(100) r(i)"
        )
        database.execute('CREATE VIEW "a ""view" AS SELECT id FROM t WHERE id < 10')
        database.execute("CREATE SCHEMA other")
        database.execute("CREATE TABLE other.t AS SELECT [1, 2] AS list, 1 AS n")
    return path


def test_tables_of_duckdb(duck):
    table = read(f"{duck}::t")
    assert [table.schema[n].kind for n in table.names] == ["numeric", "numeric", "nominal", "boolean", "numeric"]
    assert table["x"].labels() == [i / 4 for i in range(100)]
    assert table["d"].values[3] == np.datetime64("2024-01-04").astype(int)
    assert read(f'{duck}::a "view').n_rows == 10
    assert read(f"{duck}::other.t", columns=["n"]).n_rows == 1
    batches = list(scan(f"{duck}::t", batch_rows=30))
    assert sum(b.n_rows for b in batches) == 100
    assert [c for b in batches for c in b["s"].labels()] == table["s"].labels()
    with pytest.raises(KindError, match="nested"):
        read(f"{duck}::other.t")
    with pytest.raises(FileError, match="3 tables"):
        read(duck)


def test_without_duckdb_it_is_said_what_to_install(duck, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'learnt\[duckdb\]'"):
        read(f"{duck}::t")
