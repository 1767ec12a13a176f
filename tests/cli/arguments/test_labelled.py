"""A labelled file as a model wants its rows."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt.cli.arguments.labelled import labelled, read_like, target_of
from learnt.cli.arguments.reading import AS_FOUND, Reading
from learnt.errors import InputError, ParameterError


@pytest.fixture
def table():
    return learnt.Table(
        {"b": [4.0, 5.0, 6.0], "w": [1.0, 2.0, 3.0], "a": ["p", "q", "p"], "y": ["no", None, "yes"]}, target="y"
    )


@pytest.fixture
def schema():
    return learnt.Table({"a": ["p", "q"], "b": [1.0, 2.0]}).schema


def test_columns_come_in_the_order_of_the_model_and_rows_without_a_truth_are_counted(table, schema):
    rows, truth, weights, left_out = labelled(table, table["y"], "w", schema, "C45Classifier")
    assert rows.to_dict() == {"a": ["p", "p"], "b": [4.0, 6.0]}
    assert list(truth.labels()) == ["no", "yes"]
    assert weights.tolist() == [1.0, 3.0]
    assert left_out == 1


def test_without_weights_there_are_none(table, schema):
    assert labelled(table, table["y"], None, schema, "C45Classifier")[2] is None


def test_an_absent_column_and_a_file_without_answers_are_told(table, schema):
    with pytest.raises(InputError, match=r"There is no column 'a'.* The model needs it"):
        labelled(table.drop("a"), table["y"], None, schema, "C45Classifier")
    nothing = learnt.Table({"a": ["p"], "b": [1.0], "y": [np.nan]})
    with pytest.raises(InputError, match="'y' holds no values"):
        labelled(nothing, nothing["y"], None, schema, "C45Classifier")


def test_columns_without_names_are_counted(table):
    schema = learnt.Table(np.zeros((2, 3))).schema
    numbers = learnt.Table({"p": [1.0], "q": [2.0], "y": [3.0]})
    with pytest.raises(InputError, match="fitted on 3 columns without names, and the file has 2 besides 'y'"):
        labelled(numbers, numbers["y"], None, schema, "Ridge")
    enough = learnt.Table({"p": [1.0], "q": [2.0], "r": [0.0], "y": [3.0]})
    assert labelled(enough, enough["y"], None, schema, "Ridge")[0].names == ("p", "q", "r")


def test_the_target_is_the_one_named_else_the_one_the_file_declares(table):
    assert target_of(table, "a", "m.learnt").name == "a"
    assert target_of(table, None, "m.learnt").name == "y"
    with pytest.raises(ParameterError, match=r"'m.learnt' does not say which column it predicts. .*--target"):
        target_of(table.drop("y"), None, "m.learnt")
    with pytest.raises(InputError, match=r"There is no column 'z'.*learnt predict"):
        target_of(table, "z", "m.learnt")


def test_a_file_is_read_by_the_kinds_the_model_knows(tmp_path):
    """A postcode that was nominal when it was learnt is no number in a file where all look like one."""
    path = tmp_path / "new.csv"
    path.write_text("zip,size,x\n8001,2,1.5\n3000,1,2.5\n")
    learnt_from = learnt.read(path, kinds={"zip": "nominal"}, ordinal={"size": ["1", "2", "3"]})
    assert learnt.read(path).kinds == {"zip": "numeric", "size": "numeric", "x": "numeric"}
    found = read_like(learnt_from.schema, str(path), AS_FOUND, AS_FOUND)
    assert found.kinds == {"zip": "nominal", "size": "ordinal", "x": "numeric"}
    assert found["zip"].labels() == ["8001", "3000"]
    asked = read_like(
        learnt_from.schema, str(path), Reading({"zip": "numeric"}), AS_FOUND
    )  # what is asked for comes first
    assert asked.kinds["zip"] == "numeric"
