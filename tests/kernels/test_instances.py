"""Showing rows to instance-based learning: the kernel refuses what would read beyond its arrays."""

import numpy as np
import pytest

from learnt import _core


def shown(**changed):
    given = {
        "cells": np.array([[0.0], [1.0], [0.2]]),
        "labels": np.array([0, 1, 0], np.int32),
        "ranges": np.ones(1),
        "weights": np.ones(1),
        "power": 2,
        "policy": "ib2",
        "shown": np.arange(3),
        "seed": 0,
        "first": 0,
        "class_seen": np.zeros(2),
        "rows": np.zeros(0, np.int64),
        "tried": np.zeros(0, np.int64),
        "right": np.zeros(0, np.int64),
    } | changed
    return _core.show_instances(**given)


def test_rows_kept_come_with_their_records():
    seen = np.zeros(2)
    rows, tried, right = shown(class_seen=seen)
    assert rows.tolist() == [0, 1]
    assert tried.tolist() == right.tolist() == [0, 0]
    assert seen.tolist() == [2.0, 1.0]


def test_rows_kept_before_are_asked():
    one = np.array([1]), np.array([5]), np.array([4])
    rows, tried, right = shown(shown=np.array([0, 2]), rows=one[0], tried=one[1], right=one[2])
    assert rows.tolist() == [1, 0]
    assert tried.tolist() == [5, 0]
    assert right.tolist() == [4, 0]


def test_nothing_shown_changes_nothing():
    assert [part.tolist() for part in shown(shown=np.zeros(0, np.int64))] == [[], [], []]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"shown": np.array([3])}, "'shown' names a row"),
        ({"shown": np.array([-1])}, "'shown' names a row"),
        ({"rows": np.array([7]), "tried": np.array([0]), "right": np.array([0])}, "'rows' names a row"),
        ({"labels": np.array([0, 2, 0], np.int32)}, "names a class"),
        ({"labels": np.array([0, -1, 0], np.int32)}, "names a class"),
        ({"labels": np.array([0, 1], np.int32)}, "'labels' has the length 2"),
        ({"ranges": np.ones(2)}, "'ranges' has the length 2"),
        ({"weights": np.ones(0)}, "'weights' has the length 0"),
        ({"rows": np.array([1])}, "'tried' has the length 0"),
        ({"policy": "ib4"}, "'ib4'"),
        ({"power": 3}, "'power'"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        shown(**changed)
