"""Columns that name rows, and columns that name things of several rows each."""

from __future__ import annotations

import numpy as np
import pytest

import learnt
from learnt import Table
from learnt.describe.identifiers import is_identifier, rows_of_each

N = 200


def column(name, values):
    return Table({name: values})[name]


@pytest.mark.parametrize(
    ("name", "values", "each"),
    [
        ("individual", [f"p{i // 4}" for i in range(N)], 4),
        ("whatever", [f"p{i // 4}" for i in range(N)], 4),
        ("whatever", [f"name{'abcdefghijklmnopqrstuvwxy'[i // 8]}" for i in range(N)], 8),
        ("patient_id", [float(1000 + i // 2) for i in range(N)], 2),
        ("CustomerId", np.random.default_rng(0).integers(0, 50, N).astype(float).tolist(), 4),
    ],
)
def test_things_of_several_rows_are_found(name, values, each):
    assert rows_of_each(column(name, values)) == pytest.approx(each, rel=0.1)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("colour", np.random.default_rng(0).choice(["red", "green", "blue"], N).tolist()),
        ("town", np.random.default_rng(0).choice([f"{a}{b}ville" for a in "BCDFG" for b in "aeiouy"], N).tolist()),
        ("age", np.random.default_rng(0).integers(20, 80, N).astype(float).tolist()),
        ("row", list(range(N))),
        ("x", np.random.default_rng(0).normal(size=N).tolist()),
        ("customer_kind", ["old", "new"] * (N // 2)),
        ("gone", [None] * N),
    ],
)
def test_other_columns_are_not(name, values):
    assert rows_of_each(column(name, values)) is None


@pytest.mark.parametrize("name", learnt.datasets.names())
def test_no_bundled_table_names_things(name):
    table = learnt.datasets.load(name)
    if table.sparse is None:
        assert [c.name for c in table.columns if rows_of_each(c) is not None] == []


def test_describing_and_comparing_go_by_the_same_rule():
    rng = np.random.default_rng(0)
    table = Table(
        {
            "year": list(range(1800, 1800 + N)),
            "key": rng.permutation(10 * N)[:N].tolist(),
            "code": [f"C-{i}" for i in range(N)],
            "x": rng.normal(size=N).tolist(),
        }
    )
    by_rule = {c.name for c in table.columns if is_identifier(c)}
    described = learnt.describe(table)
    assert by_rule == {"key", "code"}
    assert {name for name in table.names if described[name].identifier_like} == by_rule
