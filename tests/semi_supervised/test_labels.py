"""Targets with gaps: what counts as unlabelled, and what is refused."""

import warnings

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt.errors import InputError
from learnt.semi_supervised.labels import partly_labelled

X = {"x": [1.0, 2.0, 3.0, 4.0]}


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b", None],
        np.array(["a", None, "b", None], dtype=object),
        pd.Series(["a", None, "b", np.nan], index=[7, 3, 1, 0]),
        pd.Categorical(["a", None, "b", None]),
    ],
)
def test_missing_cells_are_the_unlabelled_rows(y):
    found = partly_labelled(X, y, None, "it")
    assert found.codes.tolist() == [0, -1, 1, -1]
    assert found.classes.tolist() == ["a", "b"]
    assert found.labelled.tolist() == [0, 2]
    assert found.unlabelled.tolist() == [1, 3]


def test_numbers_are_classes_and_minus_one_is_one_of_them():
    assert partly_labelled(X, [1, np.nan, -1, np.nan], None, "it").classes.tolist() == [-1, 1]


def test_the_target_may_be_a_column_and_is_no_feature():
    found = partly_labelled({**X, "y": ["a", None, "b", "a"]}, "y", [1, 2, 0, 1], "it")
    assert found.table.names == ("x",)
    assert found.weights.tolist() == [1, 2, 0, 1]
    named = partly_labelled(learnt.datasets.load("vote"), None, None, "it")
    assert "Class" not in named.table.names


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([None] * 4, "No row has a class"),
        (["a", "b"], "4 rows and 2 targets"),
        ([["a"]] * 4, "2 dimensions"),
        (None, "needs a target"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(y, words):
    with pytest.raises(InputError, match=words):
        partly_labelled(X, y, None, "it")


def test_rows_that_other_programs_mark_as_unlabelled_are_a_class_and_that_is_told():
    x = np.arange(6.0)[:, None]
    with pytest.warns(UserWarning, match="takes −1 for a class"):
        partly_labelled(x, [-1, 0, 1, -1, 0, 1], None, "It")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        partly_labelled(x, [-1, 1, 1, -1, 1, 1], None, "It")
        partly_labelled(x, [-1, 0, 1, None, 0, 1], None, "It")
