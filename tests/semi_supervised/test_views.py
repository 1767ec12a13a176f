"""Two views of a table: named, or halves that tell little of each other."""

import numpy as np
import pytest

import learnt
from learnt import Table
from learnt.errors import InputError, ParameterError
from learnt.semi_supervised.views import TwoViews, named_views, parted_views


def test_columns_that_belong_together_stay_together():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=400), rng.integers(0, 4, 400)
    table = {
        "a": a,
        "b": np.array(list("wxyz"))[b],
        "near a": a + rng.normal(size=400) / 9,
        "of b": np.where(rng.random(400) < 0.05, None, np.array(["low", "low", "high", "high"])[b]),
        "minus a": -a,
        "b again": b.astype(float),
    }
    first, second = parted_views(Table(table))
    assert {frozenset(first), frozenset(second)} == {
        frozenset(["a", "near a", "minus a"]),
        frozenset(["b", "of b", "b again"]),
    }


def test_halves_are_of_equal_size_whatever_the_columns():
    for p in (2, 3, 7, 40):
        x = np.random.default_rng(p).normal(size=(30, p))
        first, second = parted_views(Table(x))
        assert sorted([*first, *second]) == sorted(Table(x).names)
        assert abs(len(first) - len(second)) <= 1
    assert len(parted_views(Table({"gaps": [np.nan] * 5, "same": [1.0] * 5}))[0]) == 1


def test_columns_are_named_or_numbered_and_each_once():
    schema = Table({"a": [1.0], "b": [2.0], "c": [3.0]}).schema
    assert named_views([["a", 2], ["b"]], schema) == (("a", "c"), ("b",))
    for wrong in ([["a", "a"], ["b"]], [["a"], ["z"]], [["a"], [7]]):
        with pytest.raises(ParameterError):
            named_views(wrong, schema)
    assert [["a"], ["b"]] in TwoViews()
    for wrong in ([["a"]], [["a"], []], "ab", [[True], ["b"]], None):
        assert wrong not in TwoViews()


def test_one_column_has_no_two_views():
    with pytest.raises(InputError, match="one column"):
        learnt.CoTrainingClassifier().fit({"x": [1.0, 2.0]}, ["a", None])
