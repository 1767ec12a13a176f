"""Every source gives the same table for the same data."""

import datetime as dt
import math
import multiprocessing

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from learnt.data.convert import to_table, to_vector
from learnt.data.table import Table
from learnt.errors import InputError, KindError, LearntError

PEOPLE = {
    "age": [31, None, 45, 7],
    "height": [1.5, 1.75, None, 0.5],
    "town": ["Zürich", None, "Bern", ""],
    "member": [True, False, None, True],
    "born": [dt.date(1970, 1, 2), None, dt.date(1969, 12, 31), dt.date(2000, 2, 29)],
}
KINDS = {"age": "numeric", "height": "numeric", "town": "nominal", "member": "boolean", "born": "date"}
CELLS = PEOPLE


class ArrowStream:
    """Nothing but Arrow's C stream, as other libraries' frames offer it."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class ArrowArray:
    def __init__(self, batch):
        self._batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self._batch.__arrow_c_array__(requested_schema)


class Interchange:
    """Nothing but the older dataframe protocol."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self._frame.__dataframe__(nan_as_null, allow_copy)


def narwhals_frame(data):
    import narwhals as nw

    return nw.from_native(pl.DataFrame(data))


SOURCES = {
    "dict": dict,
    "dict of tuples": lambda d: {name: tuple(cells) for name, cells in d.items()},
    "dict of object arrays": lambda d: {name: np.array(cells, dtype=object) for name, cells in d.items()},
    "dict of series": lambda d: {name: pd.Series(cells) for name, cells in d.items()},
    "dict of Arrow arrays": lambda d: {name: pa.array(cells) for name, cells in d.items()},
    "list of dicts": lambda d: [dict(zip(d, row, strict=True)) for row in zip(*d.values(), strict=True)],
    "pandas": pd.DataFrame,
    "pandas objects": lambda d: pd.DataFrame(d, dtype=object),
    "pandas nullable": lambda d: pd.DataFrame(d).convert_dtypes(),
    "pandas Arrow": lambda d: pa.table(d).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "narwhals": narwhals_frame,
    "Arrow": pa.table,
    "Arrow chunks": lambda d: pa.concat_tables([pa.table(d).slice(0, 1), pa.table(d).slice(1)]),
    "Arrow batch": lambda d: pa.table(d).to_batches()[0],
    "Arrow reader": lambda d: pa.table(d).to_reader(),
    "Arrow stream": lambda d: ArrowStream(pa.table(d)),
    "Arrow array": lambda d: ArrowArray(pa.table(d).to_batches()[0]),
    "interchange": lambda d: Interchange(pa.table(d).drop("born")),
    "Table": lambda d: Table(d),
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_table(source):
    table = to_table(SOURCES[source](PEOPLE))
    names = [name for name in PEOPLE if source != "interchange" or name != "born"]  # pyarrow cannot take dates
    assert table.to_dict() == {name: CELLS[name] for name in names}
    assert table.kinds == {name: KINDS[name] for name in names}
    assert table["town"].categories == ("", "Bern", "Zürich")
    assert table.schema.named
    for column in table.columns:
        assert column.values.dtype == (np.float64 if column.kind == "numeric" else np.int32)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(-(2**53), 2**53),
            st.none() | st.floats(allow_nan=False),
            st.none() | st.text(st.characters(exclude_categories=["Cs"])),
            st.none() | st.booleans(),
            st.none() | st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
        ),
        min_size=1,
    )
)
def test_frames_agree_on_any_cells(rows):
    types = {"i": pl.Int64, "f": pl.Float64, "s": pl.String, "b": pl.Boolean, "d": pl.Datetime("us")}
    polars = pl.DataFrame(rows, schema=types, orient="row")
    arrow = polars.to_arrow()
    pandas = polars.to_arrow().to_pandas(types_mapper=pd.ArrowDtype)
    expected = to_table(polars)
    for other in (arrow, pandas, arrow.to_pandas()):
        table = to_table(other)
        for name in ("f", "s", "d"):
            assert table[name].labels() == expected[name].labels()
            assert table[name].categories == expected[name].categories
        assert table["i"].labels() == [row[0] for row in rows]
    objects = to_table({name: [row[j] for row in rows] for j, name in enumerate(types)})
    assert objects.to_dict() == expected.to_dict()


def test_one_block_of_floats_is_kept_without_a_copy():
    array = np.random.default_rng(0).normal(size=(5, 3))
    frame = pd.DataFrame(array, columns=list("abc"), copy=False)
    table = Table(frame)
    assert np.shares_memory(table.matrix, array)
    assert table.names == ("a", "b", "c")


def test_frames_of_one_other_number_type_become_one_matrix():
    for dtype, kept in (("int16", np.float64), ("float16", np.float32), ("float32", np.float32)):
        matrix = Table(pd.DataFrame({"a": [1, 2], "b": [3, 4]}, dtype=dtype)).matrix
        assert matrix.dtype == kept
        assert matrix.tolist() == [[1, 3], [2, 4]]
    assert Table(pd.DataFrame({"a": [1.5, None], "b": ["x", "y"]}).astype({"a": "Float32"}))["a"].values.dtype == "f4"


def test_frames_without_names_are_like_arrays():
    assert not Table(pd.DataFrame(np.eye(2))).schema.named
    assert not Table(pd.DataFrame({0: ["a"], 1: [1]})).schema.named
    assert Table(pd.DataFrame({0: ["a"], 1: [1]})).to_dict() == {"x0": ["a"], "x1": [1]}
    assert Table(pd.DataFrame({"a": [1.5], 7: ["x"]})).names == ("a", "7")


def test_duplicate_names_are_refused():
    for frame in (
        pd.DataFrame(np.eye(2), columns=["a", "a"]),
        pd.DataFrame([[1, "x"]], columns=["a", "a"]),
        pd.DataFrame([[1, "x"]], columns=["1", 1]),
        pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ):
        with pytest.raises(InputError, match="Two columns are called"):
            Table(frame)


def test_categories_keep_their_declared_order_and_unused_levels():
    sizes = pd.Categorical(["S", "L", None], categories=["S", "M", "L"], ordered=True)
    towns = pd.Categorical(["b", "a", None], categories=["c", "b", "a"])
    for frame in (
        pd.DataFrame({"size": sizes, "town": towns}),
        pa.Table.from_pandas(pd.DataFrame({"size": sizes, "town": towns})),
    ):
        table = Table(frame)
        assert table.kinds == {"size": "ordinal", "town": "nominal"}
        assert table["size"].categories == ("S", "M", "L")
        assert table["town"].categories == ("c", "b", "a")
        assert table["size"].values.tolist() == [0, 2, -1]
        assert table["town"].values.tolist() == [1, 2, -1]


def test_categories_may_be_any_scalars_and_come_out_as_python_ones():
    day = pd.Timestamp("2020-01-01")
    column = to_vector(pd.Series(pd.Categorical([3, 1, None])))
    assert column.kind == "nominal"
    assert [(type(label), label) for label in column.categories] == [(int, 1), (int, 3)]
    assert to_vector(pd.Series(pd.Categorical([True, False]))).categories == (False, True)
    assert to_vector(pd.Series(pd.Categorical([day]))).categories == ("2020-01-01 00:00:00",)
    bins = to_vector(pd.cut(pd.Series([1, 9]), [0, 5, 10]))
    assert (bins.kind, bins.categories) == ("ordinal", ("(0, 5]", "(5, 10]"))


def days_of(column):
    """The numbers inside."""
    return [None if math.isnan(v) else v for v in column.values.tolist()]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_are_days_since_1970_in_utc(unit):
    moments = pd.Series(pd.to_datetime(["1970-01-02 06:00", None, "1969-12-31 12:00"])).dt.as_unit(unit)
    expected = [1.25, None, -0.5]
    assert days_of(to_vector(moments)) == expected
    zoned = moments.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    assert days_of(to_vector(zoned)) == expected
    assert days_of(to_vector(pa.array(zoned))) == expected
    assert days_of(to_vector(zoned.astype(object))) == expected
    assert days_of(to_vector(moments.to_numpy())) == expected
    assert days_of(to_vector(pl.Series(moments))) == expected


def test_durations_and_times_of_day_are_days():
    spans = [dt.timedelta(hours=36), None, dt.timedelta(seconds=-43200)]
    for source in (spans, pd.Series(spans), pl.Series(spans), pa.array(spans), np.array(spans, "m8[s]")):
        assert days_of(to_vector(source)) == [1.5, None, -0.5]
    times = [dt.time(6), None, dt.time(23, 59, 59, 999999)]
    for source in (times, pl.Series(times), pa.array(times), pa.array(times, pa.time64("ns"))):
        assert days_of(to_vector(source)) == [0.25, None, 1 - 1e-6 / 86400]


def test_calendar_units_of_numpy_are_days_or_refused():
    assert days_of(to_vector(np.array(["1971", "NaT"], "M8[Y]"))) == [365, None]
    assert days_of(to_vector(np.array([2], "m8[W]"))) == [14]
    assert days_of(to_vector(pd.Series(pd.period_range("1970-02", periods=2, freq="M")))) == [31, 59]
    for unit in ("m8[Y]", "m8"):
        with pytest.raises(KindError, match="not a fixed number of days"):
            to_vector(np.array([1], unit))


def test_vectors_of_floats_are_not_copied():
    y = np.arange(10.0)[::3]
    assert to_vector(y).values is y
    assert to_vector(y, "weight").name == "weight"


@pytest.mark.parametrize("data", ["abc", 7, {1, 2}, {"a": [1]}, None, pd.DataFrame({"a": [1]}), iter([1])])
def test_what_is_no_vector_is_refused_by_type(data):
    with pytest.raises(LearntError, match=rf"'y' is a .*{type(data).__name__}"):
        to_vector(data)


def test_two_dimensional_vectors_are_refused():
    with pytest.raises(InputError, match=r"Column 'y' is an array of shape \(2, 1\)"):
        to_vector(np.zeros((2, 1)))


@pytest.mark.parametrize("data", ["abc", 7, None, {1, 2}, object(), iter([[1]])])
def test_what_is_no_table_is_refused_by_type(data):
    with pytest.raises(KindError, match=rf"A .*{type(data).__name__} is not a table. Expected a pandas"):
        Table(data)


def test_series_are_tables_of_one_column():
    assert Table(pd.Series([1, 2], name="a")).to_dict() == {"a": [1, 2]}
    assert Table(pl.Series("a", ["x"])).to_dict() == {"a": ["x"]}
    assert not Table(pd.Series([1, 2])).schema.named


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(InputError, match="Column 'b' has 1 cells, but 'a' has 2"):
        Table({"a": [1, 2], "b": [1]})


@pytest.mark.parametrize(
    ("empty", "shape"),
    [
        ({}, (0, 0)),
        ({"a": []}, (0, 1)),
        ([{}, {}], (2, 0)),
        ([[], []], (2, 0)),
        (pd.DataFrame(index=range(3)), (3, 0)),
        (pd.DataFrame({"a": pd.Series([], dtype="str"), "b": pd.Series([], dtype=float)}), (0, 2)),
        (pl.DataFrame({"a": []}), (0, 1)),
        (pa.table({"a": pa.array([], pa.string())}), (0, 1)),
        (pa.schema([("a", pa.string()), ("b", pa.date32())]).empty_table(), (0, 2)),
        (sp.csr_matrix((0, 3)), (0, 3)),
        (np.empty((0, 2), dtype=object), (0, 2)),
        (np.empty((3, 0), dtype=bool), (3, 0)),
    ],
)
def test_tables_without_rows_or_columns_are_tables(empty, shape):
    assert Table(empty).shape == shape


def test_a_broken_arrow_stream_is_a_kind_error():
    with pytest.raises(KindError, match="is not a table"):
        Table(ArrowArray(pa.array([1, 2])))


def test_a_frame_with_a_column_called_target_declares_no_target():
    assert Table(pd.DataFrame({"target": ["a"]})).target is None


def _shape_in_child(frame, queue):
    queue.put(Table(frame).to_dict())


@pytest.mark.parametrize("source", ["pandas", "polars", "Arrow"])
def test_frames_convert_in_a_forked_child(source):
    frame = SOURCES[source](PEOPLE)
    Table(frame)  # starts whatever threads the library keeps
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_shape_in_child, args=(frame, queue))
    child.start()
    assert queue.get(timeout=600) == CELLS
    child.join(600)
    assert child.exitcode == 0
