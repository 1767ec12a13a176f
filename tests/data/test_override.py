"""The user's word on kinds: `kinds` and `ordinal`."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from learnt.data.table import Table
from learnt.errors import InputError, KindError, ParameterError

CELLS = {
    "zip": [8001, 3000, None, 8001],
    "code": ["10", " 2.5", None, "-1e3"],
    "flag": ["yes", "No", None, "yes"],
    "bit": [0, 1, None, 1],
    "member": [True, False, None, True],
    "size": ["S", "L", None, "M"],
}


@pytest.mark.parametrize(
    ("name", "kind", "cells", "categories"),
    [
        ("zip", "nominal", [8001, 3000, None, 8001], (3000, 8001)),
        ("zip", "ordinal", [8001, 3000, None, 8001], (3000, 8001)),
        ("zip", "numeric", [8001, 3000, None, 8001], ()),
        ("code", "numeric", [10, 2.5, None, -1000], ()),
        ("flag", "boolean", [True, False, None, True], (False, True)),
        ("bit", "boolean", [False, True, None, True], (False, True)),
        ("bit", "nominal", [0, 1, None, 1], (0, 1)),
        ("member", "numeric", [1, 0, None, 1], ()),
        ("member", "nominal", [True, False, None, True], (False, True)),
        ("member", "boolean", [True, False, None, True], (False, True)),
        ("size", "ordinal", ["S", "L", None, "M"], ("L", "M", "S")),
    ],
)
def test_kinds_override_what_the_types_say(name, kind, cells, categories):
    table = Table(CELLS, kinds={name: kind})
    assert table.kinds[name] == kind
    assert table[name].labels() == cells
    assert table[name].categories == categories
    assert table.drop(name).to_dict() == Table(CELLS).drop(name).to_dict()


def test_whole_numbers_become_integer_labels_and_others_stay_floats():
    assert [type(label) for label in Table(CELLS, kinds={"zip": "nominal"})["zip"].categories] == [int, int]
    halves = Table({"x": [0.5, 1.0, np.inf, np.nan]}, kinds={"x": "nominal"})["x"]
    assert halves.categories == (0.5, 1.0, np.inf)
    assert halves.labels() == [0.5, 1.0, np.inf, None]


@pytest.mark.parametrize(
    ("cells", "kind", "message"),
    [
        (["1", None, "x"], "numeric", "Column 'c' holds 'x' in row 2, so it cannot be numeric"),
        (["1_000"], "numeric", "Column 'c' holds '1_000' in row 0"),
        (["€5", "€6", "5 kg"], "numeric", "Column 'c' holds '5 kg' in row 2"),
        (["yes", "maybe"], "boolean", "Column 'c' holds 'maybe' in row 1, so it cannot be boolean"),
        ([0, 1, 2], "boolean", "Column 'c' holds 2 in row 2"),
        ([0.5], "boolean", "Column 'c' holds 0.5 in row 0"),
        ([np.inf], "boolean", "Column 'c' holds inf in row 0"),
    ],
)
def test_a_cell_that_does_not_fit_its_kind_is_named(cells, kind, message):
    with pytest.raises(KindError, match=message):
        Table({"c": cells}, kinds={"c": kind})


def test_levels_without_rows_need_not_fit():
    column = pd.Categorical(["1", "2"], categories=["1", "2", "none"])
    assert Table({"c": pd.Series(column)}, kinds={"c": "numeric"})["c"].labels() == [1, 2]


def test_ordinal_gives_labels_their_order():
    table = Table(CELLS, ordinal={"size": ["S", "M", "L", "XL"], "zip": np.array([8001, 3000])})
    assert table.kinds["size"] == table.kinds["zip"] == "ordinal"
    assert table["size"].values.tolist() == [0, 2, -1, 1]
    assert table["size"].categories == ("S", "M", "L", "XL")
    assert table["zip"].values.tolist() == [0, 1, -1, 0]


def test_a_cell_outside_the_ordinal_labels_is_named():
    with pytest.raises(KindError, match=r"Column 'size' holds 'M' in row 3. ordinal\['size'\] has only"):
        Table(CELLS, ordinal={"size": ["S", "L"]})


def test_unknown_columns_are_named_with_the_nearest_one():
    with pytest.raises(InputError, match=r"no column 'sise'. Did you mean 'size'\?.*kinds"):
        Table(CELLS, kinds={"sise": "nominal"})
    with pytest.raises(InputError, match=r"no column 'sise'. Did you mean 'size'\?.*ordinal"):
        Table(CELLS, ordinal={"sise": ["S"]})
    with pytest.raises(InputError, match="no column '3'"):
        Table(CELLS, kinds={3: "nominal"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kinds": {"zip": "number"}}, "Expected one of 'numeric', 'nominal', 'ordinal', 'boolean'"),
        ({"kinds": {"zip": ["nominal"]}}, "Expected one of 'numeric'"),
        ({"kinds": ["zip"]}, "Expected a dict by column name"),
        ({"ordinal": ["zip"]}, "Expected a dict by column name"),
        ({"ordinal": {"size": "SML"}}, "different labels"),
        ({"ordinal": {"size": ["S", "M", "S"]}}, "different labels"),
        ({"ordinal": {"size": {"S", "M", "L"}}}, "different labels"),
        ({"ordinal": {"size": 3}}, "different labels"),
        ({"kinds": {"size": "nominal"}, "ordinal": {"size": ["S", "M", "L"]}}, "listed in ordinal"),
    ],
)
def test_bad_settings_are_parameter_errors(settings, message):
    with pytest.raises(ParameterError, match=message):
        Table(CELLS, **settings)


def test_arrays_take_overrides_by_made_up_name_and_stay_unnamed():
    table = Table(np.array([[1.0, 2.0], [3.0, 4.0]]), kinds={"x1": "nominal"})
    assert table.to_dict() == {"x0": [1, 3], "x1": [2, 4]}
    assert list(table.kinds.values()) == ["numeric", "nominal"]
    assert not table.schema.named


def test_an_override_that_changes_nothing_keeps_the_matrix():
    array = np.eye(2)
    assert Table(array, kinds={"x0": "numeric"}).matrix is array


def test_sparse_columns_stay_numeric():
    with pytest.raises(InputError, match="Column 'x1' cannot become nominal"):
        Table(sp.csr_matrix(np.eye(2)), kinds={"x1": "nominal"})


def test_overrides_apply_to_tables_and_keep_the_target():
    table = Table(Table(CELLS, target="size"), kinds={"zip": "nominal"})
    assert table.kinds["zip"] == "nominal"
    assert table.target == "size"


def test_overrides_of_all_missing_columns_hold():
    table = Table({"a": [None, None], "b": [None, None], "c": [None, None]}, kinds={"a": "nominal", "b": "boolean"})
    assert list(table.kinds.values()) == ["nominal", "boolean", "numeric"]
    assert table.to_dict() == {"a": [None, None], "b": [None, None], "c": [None, None]}
