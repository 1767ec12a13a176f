"""Tables come out as the frames they went in: the index, and the types of columns that pass."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from learnt.data import Table
from learnt.data.convert.alike import frame_of

CELLS = {"age": [31.0, 28.5], "town": ["Bern", "Ulm"], "n": [1, 2]}


def test_pandas_lends_its_index_and_the_types_of_its_texts():
    given = pd.DataFrame(CELLS, index=["a", "b"])
    made = frame_of("pandas", Table(given), given)
    pd.testing.assert_index_equal(made.index, given.index)
    assert made["town"].dtype == given["town"].dtype
    assert made["n"].dtype == float
    passed = frame_of("pandas", Table(given), given, ["n"])
    pd.testing.assert_series_equal(passed["n"], given["n"])


def test_numbered_columns_of_pandas_keep_their_numbers():
    given = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]])
    assert frame_of("pandas", Table(given), given).columns.tolist() == [0, 1]


def test_polars_and_arrow_keep_texts_as_texts():
    for kind, given in (("polars", pl.DataFrame(CELLS)), ("arrow", pa.table(CELLS))):
        made = frame_of(kind, Table(given), given, ["n"])
        text = pl.String if kind == "polars" else pa.string()
        types = dict(zip(CELLS, made.dtypes if kind == "polars" else made.schema.types, strict=True))
        assert types["town"] == text
        assert types["n"] == (pl.Int64 if kind == "polars" else pa.int64())


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_without_a_model_it_is_the_plain_way_out(kind):
    table = Table(CELLS)
    made = frame_of(kind, table)
    assert type(made) is type(getattr(table, f"to_{kind}")())
    assert Table(made).to_dict() == table.to_dict()
