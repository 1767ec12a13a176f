"""A text file as a model wants its rows: by name, or by place."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from learnt.cli.arguments.reading import Reading
from learnt.cli.writing.model_rows import csv_blocks, wanted_columns
from learnt.data import Table
from learnt.errors import InputError


@pytest.fixture
def file(tmp_path):
    (tmp_path / "t.csv").write_text("b,a\n1,2\n3,4\n")
    return str(tmp_path / "t.csv")


def cells(blocks, schema):
    columns = wanted_columns(schema, blocks, "Model")
    readings = blocks.readings(columns.columns)
    tables = [t for block in blocks.blocks() for t in blocks.tables(block, columns.names, readings)]
    return {name: [cell for table in tables for cell in table[name].labels()] for name in columns.names}


def test_columns_are_found_by_name_in_the_order_of_the_model(file):
    with csv_blocks(file) as blocks:
        assert cells(blocks, Table({"a": [0.0], "b": [0.0]}).schema) == {"a": [2, 4], "b": [1, 3]}


def test_without_names_by_place_and_only_as_many_as_there_are(file):
    with csv_blocks(file) as blocks:
        assert cells(blocks, Table(np.zeros((1, 2))).schema) == {"b": [1, 3], "a": [2, 4]}
    with csv_blocks(file) as blocks, pytest.raises(InputError, match="3 columns without names, and the file has 2"):
        wanted_columns(Table(np.zeros((1, 3))).schema, blocks, "Model")


def test_an_absent_column_is_named_with_the_file(file):
    with csv_blocks(file) as blocks, pytest.raises(InputError, match=r"'c'.*t\.csv"):
        wanted_columns(Table({"a": [0.0], "c": [0.0]}).schema, blocks, "Model")


def test_standard_input_is_read_and_all_that_is_no_text_is_left_to_others(file, tmp_path, monkeypatch):
    feed = io.TextIOWrapper(io.BytesIO(b"a;b\n1,5;2\n"))
    monkeypatch.setattr(sys, "stdin", feed)
    with csv_blocks("-", Reading(decimal=",")) as blocks:
        assert cells(blocks, Table({"a": [0.0]}).schema) == {"a": [1.5]}
    Table({"a": [1.0]}).to_pandas().to_parquet(tmp_path / "t.parquet")
    for other in (str(tmp_path / "t.parquet"), str(tmp_path), "dataset:iris"):
        with csv_blocks(other) as blocks:
            assert blocks is None
