"""The kind of a column follows from the type of its cells."""

import datetime as dt
import decimal
import enum
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from learnt.data.convert import to_vector
from learnt.data.table import Table
from learnt.errors import InputError, KindError


class Colour(enum.Enum):
    RED = 1


class Town(enum.StrEnum):
    BERN = "Bern"


@pytest.mark.parametrize(
    ("cells", "kind", "labels"),
    [
        ([1, 2.5, decimal.Decimal("0.25"), np.int8(3), np.float32(0.5)], "numeric", [1, 2.5, 0.25, 3, 0.5]),
        ([1, float("nan"), None, pd.NA, pd.NaT], "numeric", [1, None, None, None, None]),
        ([True, np.bool_(False), None, float("nan")], "boolean", [True, False, None, None]),
        (["a", float("nan"), None, pd.NA], "nominal", ["a", None, None, None]),
        (["", "nan", np.str_("x")], "nominal", ["", "nan", "x"]),
        ([b"caf\xc3\xa9", b"\xff"], "nominal", ["café", "\\xff"]),
        ([1, "1", "a"], "nominal", ["1", "1", "a"]),
        ([True, 1], "nominal", ["True", "1"]),
        ([Town.BERN, "Basel"], "nominal", ["Bern", "Basel"]),
        ([Colour.RED, Colour.RED], "nominal", ["Colour.RED", "Colour.RED"]),
        (
            [dt.date(1970, 1, 2), dt.datetime(1970, 1, 1, 12), np.datetime64("NaT")],
            "numeric",
            [dt.datetime(1970, 1, 2), dt.datetime(1970, 1, 1, 12), None],
        ),
        ([uuid.UUID(int=0), None], "nominal", ["00000000-0000-0000-0000-000000000000", None]),
        ([None, None], "numeric", [None, None]),
        ([], "numeric", []),
        (range(3), "numeric", [0, 1, 2]),
    ],
)
def test_objects_have_the_kind_of_their_types(cells, kind, labels):
    column = to_vector(cells)
    assert column.kind == kind
    assert column.labels() == labels
    if not isinstance(cells, range) and len(cells):
        array = np.empty(len(cells), dtype=object)
        array[:] = cells
        assert to_vector(array).labels() == labels


@pytest.mark.parametrize("cell", [[1], (1, 2), {"a": 1}, {1}, np.array([1.0]), bytearray(b"x")])
def test_nested_cells_are_refused_by_column_row_and_type(cell):
    with pytest.raises(KindError, match=rf"Column 'box' holds a {type(cell).__name__} in row 2"):
        Table({"box": ["a", None, cell]})
    with pytest.raises(KindError, match=r"argument must be .* string.* number"):
        Table({"box": [cell]})


@pytest.mark.parametrize("cells", [pa.array([None, [1]]), pa.array([None, {"a": 1}]), pl.Series([None, [1]])])
def test_nested_arrow_types_are_refused(cells):
    with pytest.raises(KindError, match=r"Column 'box' holds nested values of Arrow type .*first in row 1"):
        Table({"box": cells})


def test_integers_are_exact_up_to_53_bits_and_too_large_ones_are_refused():
    assert to_vector([2**53, -(2**53)]).labels() == [2**53, -(2**53)]
    assert to_vector([2**70]).labels() == [float(2**70)]
    with pytest.raises(InputError, match="too large for a float in row 1"):
        to_vector([None, 10**400])


def test_an_object_that_cannot_be_compared_is_a_label():
    class Prickly:
        __hash__ = object.__hash__

        def __eq__(self, other):
            raise RuntimeError

        __ne__ = __eq__

        def __str__(self):
            return "prickly"

    assert to_vector([Prickly(), "b"]).labels() == ["prickly", "b"]


@pytest.mark.parametrize(
    ("cells", "kind", "labels"),
    [
        (pa.nulls(2), "numeric", [None, None]),
        (pa.array([1, None], pa.uint8()), "numeric", [1, None]),
        (pa.array([1.5, None], pa.float16()), "numeric", [1.5, None]),
        (pa.array([decimal.Decimal("1.25"), None], pa.decimal256(40, 2)), "numeric", [1.25, None]),
        (pa.array(["b", None, "a"], pa.string_view()), "nominal", ["b", None, "a"]),
        (pa.array([b"b", None], pa.binary()), "nominal", ["b", None]),
        (pa.array([dt.datetime(1970, 1, 3), None], pa.date64()), "numeric", [dt.date(1970, 1, 3), None]),
        (pa.array([1, 1, None]).dictionary_encode(), "nominal", [1, 1, None]),
        (pa.DictionaryArray.from_arrays([0, 1, 2, None], ["a", None, "a"]), "nominal", ["a", None, "a", None]),
        (pa.chunked_array([], pa.string()), "nominal", []),
        (pa.chunked_array([["a"], ["b", None]]).dictionary_encode(), "nominal", ["a", "b", None]),
        (pa.chunked_array([["b"], ["a"]], pa.string_view()), "nominal", ["b", "a"]),
        (pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]), "nominal", ["a", "a", "b"]),
        (pa.array([uuid.UUID(int=0).bytes], pa.uuid()), "nominal", [str(uuid.UUID(int=0))]),
        (pl.Series([None, None]), "numeric", [None, None]),
        (pl.Series([1, None], dtype=pl.Int128), "numeric", [1, None]),
        (pl.Series([decimal.Decimal("1.25"), None]), "numeric", [1.25, None]),
        (pl.Series(["b", None, "a"], dtype=pl.Categorical), "nominal", ["b", None, "a"]),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"])), "ordinal", ["b", None, "a"]),
        (pl.Series([uuid.UUID(int=0), None], dtype=pl.Object), "nominal", [str(uuid.UUID(int=0)), None]),
    ],
    ids=lambda value: str(getattr(value, "type", getattr(value, "dtype", ""))),
)
def test_arrow_and_polars_types_have_kinds(cells, kind, labels):
    column = to_vector(cells)
    assert column.kind == kind
    assert column.labels() == labels


def test_only_types_that_declare_an_order_keep_it():
    assert to_vector(pl.Series(["b", "a"], dtype=pl.Categorical)).categories == ("a", "b")
    assert to_vector(pl.Series(["b"], dtype=pl.Enum(["c", "b", "a"]))).categories == ("c", "b", "a")
    assert to_vector(pa.array(["b", "a"])).categories == ("a", "b")


def test_float_columns_of_arrow_and_polars_are_not_copied():
    values = np.arange(4.0)
    arrow = pa.array(values)
    assert np.shares_memory(to_vector(arrow).values, arrow.to_numpy())
    series = pl.Series(values)
    assert np.shares_memory(to_vector(series).values, series.to_numpy())
