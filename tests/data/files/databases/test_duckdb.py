"""DuckDB files: the cells that DuckDB itself gives."""

from __future__ import annotations

import pytest

from learnt.data import read, scan
from learnt.errors import FileError

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def file(tmp_path):
    place = tmp_path / "shop.duckdb"
    with duckdb.connect(str(place)) as database:
        database.execute(
            "CREATE TABLE sales AS SELECT i AS n, i / 4 AS half, i % 3 = 0 AS third, 'town ' || (i % 5) AS town, "
            "DATE '2024-01-01' + CAST(i AS INTEGER) AS day, CASE WHEN i % 7 = 0 THEN NULL ELSE i END AS gaps "
            "FROM range(100) t(i)"
        )
        database.execute("CREATE SCHEMA old; CREATE TABLE old.sales AS SELECT 1 AS x")
        database.execute("CREATE VIEW few AS SELECT n FROM sales WHERE n < 3")
    return place


def test_cells_and_kinds_are_those_of_the_database(file):
    with duckdb.connect(str(file), read_only=True) as database:
        rows = database.execute("SELECT * FROM sales ORDER BY n").fetchall()
    table = read(f"{file}::sales")
    assert [list(row) for row in rows] == [list(row) for row in zip(*table.to_dict().values(), strict=True)]
    assert dict(table.kinds) == {
        "n": "numeric", "half": "numeric", "third": "boolean", "town": "nominal", "day": "date", "gaps": "numeric"
    }  # fmt: skip


def test_batches_views_and_other_schemas(file):
    table, scanned = read(f"{file}::sales"), scan(f"{file}::sales", batch_rows=7)
    assert [cell for batch in scanned for cell in batch["day"].labels()] == table["day"].labels()
    assert max(batch.n_rows for batch in scanned) <= 7
    assert read(f"{file}::few")["n"].labels() == [0, 1, 2]
    assert read(f"{file}::old.sales")["x"].labels() == [1]
    assert read(file, sheet="few").n_rows == 3


def test_a_table_must_be_named_among_several_and_be_there(file):
    with pytest.raises(FileError, match="holds 3 tables"):
        read(file)
    with pytest.raises(FileError, match="Did you mean 'sales'"):
        read(f"{file}::sale")
