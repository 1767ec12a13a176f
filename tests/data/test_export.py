"""Tables leave as frames, Arrow streams and arrays, and come back the same."""

from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from learnt import Table

PEOPLE = Table(
    {
        "age": [31.0, None, 45.0],
        "town": ["Bern", "Basel", None],
        "size": ["M", "S", None],
        "member": [True, None, False],
        "sure": [True, True, False],
        "floor": [2, 1, 2],
    },
    ordinal={"size": ["S", "M", "L"]},
    kinds={"floor": "nominal"},
)
EMPTY = PEOPLE[:0]
NUMBERS = Table(np.array([[1.0, 2.0], [np.nan, 4.0]], dtype=np.float32))
SPARSE = Table(csr_matrix([[0.0, 2.0], [3.0, 0.0]]))


@pytest.mark.parametrize("table", [PEOPLE, EMPTY, NUMBERS, SPARSE], ids=["people", "empty", "numbers", "sparse"])
@pytest.mark.parametrize("way", ["to_pandas", "to_polars", "to_arrow"])
def test_a_frame_read_again_is_the_same_table(table, way):
    again = Table(getattr(table, way)())
    assert again.to_dict() == table.to_dict()
    numbered = {"floor": "numeric"} if way == "to_polars" and "floor" in table else {}  # polars has labels of text only
    assert dict(again.kinds) == {**table.kinds, **numbered}


def test_order_and_categories_without_rows_survive():
    for frame in (PEOPLE.to_pandas(), PEOPLE.to_arrow()):
        size = Table(frame)["size"]
        assert (size.kind, size.categories) == ("ordinal", ("S", "M", "L"))
    assert PEOPLE.to_polars()["size"].dtype == pl.Enum(["S", "M", "L"])


def test_missing_cells_are_null():
    assert [PEOPLE.to_arrow().column(name).null_count for name in PEOPLE.names] == [1, 1, 1, 1, 0, 0]
    assert [PEOPLE.to_polars()[name].null_count() for name in PEOPLE.names] == [1, 1, 1, 1, 0, 0]
    assert PEOPLE.to_pandas().isna().sum().tolist() == [1, 1, 1, 1, 0, 0]


def test_other_libraries_read_the_arrow_stream():
    assert pl.DataFrame(PEOPLE)["age"].to_list() == [31.0, None, 45.0]
    assert pa.table(PEOPLE).column_names == list(PEOPLE.names)
    assert pa.RecordBatchReader.from_stream(PEOPLE).read_all().num_rows == 3
    assert pl.DataFrame(PEOPLE)["sure"].dtype == pl.Boolean


def test_a_frame_does_not_share_memory_with_the_table():
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    frame = Table(numbers).to_pandas()
    frame.iloc[0, 0] = 99.0
    assert numbers[0, 0] == 1.0


def test_pandas_index_can_be_given():
    assert PEOPLE.to_pandas(index=["a", "b", "c"]).index.tolist() == ["a", "b", "c"]


def test_head_gives_the_first_rows():
    assert PEOPLE.head(2).to_dict() == PEOPLE[:2].to_dict()
    assert PEOPLE.head().n_rows == 3
    assert PEOPLE.head(-1).n_rows == 2
    assert pd.DataFrame(PEOPLE.to_dict()).head(-1).shape[0] == 2


def test_columns_are_arrays():
    np.testing.assert_array_equal(np.asarray(PEOPLE["age"]), [31.0, np.nan, 45.0])
    assert np.asarray(PEOPLE["town"]).tolist() == ["Bern", "Basel", None]
    assert np.asarray(PEOPLE["sure"]).dtype == bool
    assert np.asarray(PEOPLE["member"]).tolist() == [True, None, False]
    assert np.asarray(PEOPLE["floor"], dtype=float).tolist() == [2.0, 1.0, 2.0]
    assert np.asarray(EMPTY["town"]).shape == (0,)


def test_iterating_gives_the_names_as_frames_do():
    assert list(PEOPLE) == list(PEOPLE.to_pandas()) == list(PEOPLE.names)
    assert [c.name for c in PEOPLE.columns] == list(PEOPLE)


MOMENTS = {
    "date": [date(2024, 5, 1), None],
    "stamp": [datetime(2024, 5, 1, 12, 30), datetime(2024, 5, 2)],
    "zoned": [datetime(2024, 5, 1, 12, 30, tzinfo=UTC), None],
    "time": [time(12, 30), time(7, 45)],
    "length": [timedelta(hours=30), timedelta(minutes=5)],
}


def test_dates_leave_as_dates_of_arrow_and_through_its_stream():
    table = Table(MOMENTS)
    for found in (table.to_arrow(), pa.table(table), pl.from_arrow(table.to_arrow()).to_arrow()):
        again = Table(found)
        assert again.to_dict() == table.to_dict() == MOMENTS
        assert again.schema == table.schema
    assert table.to_arrow().column("stamp").to_pylist() == MOMENTS["stamp"]
    assert pa.types.is_date32(table.to_arrow().schema.field("date").type)
