"""Texts of frames and of files with types are read as the numbers and dates that a model or the user says they are."""

from __future__ import annotations

import io
import json
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import learnt
from learnt.data import Table, read, scan
from learnt.errors import KindError

CSV = "price;share;since;y\n" + "".join(
    f"€{1000 + 13 * i:,};{i % 40} %;{1 + i % 28:02}.{1 + i % 12:02}.2024;{13 * i + 7 * (i % 12)}\n" for i in range(60)
)
NEW = {"price": ["€1,200", "€900", None, "n/a"], "share": ["12 %", "3 %", "0 %", "7 %"],
       "since": ["31.12.2024", "01.02.2024", "05.06.2024", ""]}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return learnt.DecisionTreeRegressor().fit(read(io.BytesIO(CSV.encode()), "y"))


@pytest.fixture(scope="module")
def expected(model):
    lines = [";".join(cell or "" for cell in row) for row in zip(*NEW.values(), strict=True)]
    text = "price;share;since\n" + "\n".join(lines) + "\n"
    kinds = {"price": "numeric", "share": "numeric", "since": "date"}
    return model.predict(read(io.BytesIO(text.encode()), kinds=kinds))


def parquet_of(columns):
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content)
    content.seek(0)
    return content


def json_of(columns):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return io.BytesIO(json.dumps(rows).encode())


SHAPES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "dict": dict,
    "parquet": lambda columns: read(parquet_of(columns)),
    "json": lambda columns: read(json_of(columns)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_model_reads_texts_as_the_numbers_and_dates_it_learnt_from(model, expected, shape):
    np.testing.assert_allclose(model.predict(SHAPES[shape](NEW)), expected)


def test_a_scan_reads_them_too_and_orders_of_dates_hold_for_all_its_batches(tmp_path):
    old = "since,y\n" + "".join(f"{1 + i % 12}/{1 + i % 28}/2024,{i % 12}\n" for i in range(100))
    model = learnt.LinearRegression().fit(read(io.BytesIO(old.encode()), "y"))
    new = {"since": ["4/3/2024", "6/5/2024", "7/25/2024"]}
    pq.write_table(pa.table(new), tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"since": text}) + "\n" for text in new["since"]))
    whole = model.predict(pd.DataFrame(new))
    days = [date(2024, 4, 3), date(2024, 6, 5), date(2024, 7, 25)]
    np.testing.assert_allclose(whole, model.predict(pd.DataFrame({"since": pd.to_datetime(days)})))
    for name in ("t.parquet", "t.jsonl"):
        batches = scan(tmp_path / name, batch_rows=1).with_schema(model._fitted_schema())
        np.testing.assert_allclose(np.concatenate([model.predict(batch) for batch in batches]), whole)


def test_words_that_are_no_numbers_are_named(model):
    with pytest.raises(KindError, match=r"'price' is nominal, but it was numeric .* It holds 'cheap' in row 1"):
        model.predict(pd.DataFrame(NEW | {"price": ["€1,200", "cheap", "dear", "€5"]}))


def test_the_user_says_that_texts_of_a_frame_are_amounts():
    frame = pd.DataFrame({"price": ["€1,200.50", "€900.00", None], "n": ["1 234", "5", "7"]})
    table = Table(frame, kinds={"price": "numeric", "n": "numeric"})
    np.testing.assert_array_equal(table["price"].values, [1200.5, 900, np.nan])
    np.testing.assert_array_equal(table["n"].values, [1234, 5, 7])
    assert "€1,200.50" in repr(table)
    assert dict(Table(frame).kinds) == {"price": "nominal", "n": "nominal"}


def test_a_model_knows_whether_a_point_sets_thousands_apart(tmp_path):
    old = "paid;y\n" + "".join(f"{f'{1000 + 37 * i:,}'.replace(',', '.')},50 €;{i}\n" for i in range(60))
    model = learnt.DecisionTreeRegressor().fit(read(io.BytesIO(old.encode()), "y"))
    expected = model.predict(pd.DataFrame({"paid": [2000.0, 3100.0]}))
    new = {"paid": ["2.000 €", "3.100 €"]}
    np.testing.assert_array_equal(model.predict(pd.DataFrame(new)), expected)
    (tmp_path / "new.csv").write_text("paid,n\n2.000 €,1\n3.100 €,2\n")
    (batch,) = scan(tmp_path / "new.csv").with_schema(model._fitted_schema())
    np.testing.assert_array_equal(model.predict(batch), expected)


def test_prices_of_three_decimals_stay_what_they_are():
    old = "litre;y\n" + "".join(f"1,{400 + i}5 €;{i}\n" for i in range(60))
    model = learnt.DecisionTreeRegressor().fit(read(io.BytesIO(old.encode()), "y"))
    assert model.predict(pd.DataFrame({"litre": ["1.459 €"]})) == model.predict(pd.DataFrame({"litre": [1.459]}))
