"""Tests of statistics become tests of categories, and the tree of the same answers."""

import numpy as np
import pytest

from learnt.data.table import Column, Table
from learnt.ensemble.forest import stand_ins
from learnt.ensemble.forest.stand_ins import StandIns, beside
from learnt.ensemble.trees.forest import Forest

K = 12
BINS = np.array([3, 0, 5, 1, 1, 4, 2, 0, 5, 3, 2, 4], np.uint8)


def stumps(thresholds, listed, missing=1):
    """Stumps that test, of the columns number and town, and two orders of a stand-in for town, one of the latter."""
    n = len(thresholds)
    each = np.arange(n)
    node = {
        "feature": np.column_stack([2 + each % 2, -np.ones((n, 2))]).ravel().astype(np.int32),
        "threshold": np.column_stack([thresholds, np.full((n, 2), np.nan)]).ravel(),
        "right": np.tile(np.array([2, -1, -1], np.int32), n),
        "route_start": np.full(3 * n, -1),
        "n_routes": np.column_stack([[len(c) for c in listed], np.zeros((n, 2))]).ravel().astype(np.int32),
        "route_codes": np.concatenate(listed).astype(np.int32),
        "routes": np.ones(sum(map(len, listed)), np.int32),
        "otherwise": np.full(3 * n, -1, np.int32),
        "missing": np.tile(np.array([missing, -1, -1], np.int32), n),
        "weight": np.tile([2.0, 1.0, 1.0], n),
        "impurity": np.zeros(3 * n),
        "value": np.tile([[0.5], [0.0], [1.0]], (n, 1)),
        "missing_weight": np.zeros(3 * n),
    }
    return node | {"tree_start": np.arange(0, 3 * n + 1, 3)}


def towns(codes):
    codes = np.asarray(codes, np.int32)
    return Table.of_columns(
        [
            Column("number", "numeric", np.zeros(len(codes))),
            Column("town", "nominal", codes, tuple(f"t{i}" for i in range(K))),
        ]
    )


def converted(fields, kept=None):
    known = StandIns(np.array([1], np.int32), 2, BINS, np.array([0, K]))
    forest = Forest(**known.in_categories(fields, (None, kept, None, None)))  # checked
    forest.check_columns(towns([]).schema)
    return forest


@pytest.mark.parametrize("missing", [0, 1])
def test_categories_up_to_the_threshold_go_left(missing):
    thresholds = [-np.inf, 0.5, 1.0, 2.7, 4.5, np.inf]
    forest = converted(stumps(thresholds, [[0, 3]] * 6, missing), kept=None)
    right = forest.leaves(towns([*range(K), -1])) == 2
    np.testing.assert_array_equal(right[:K], BINS[:, None] > np.array(thresholds))
    assert (right[K] == bool(missing)).all()
    assert (forest.n_routes[::3] <= K // 2).all()


def test_where_categories_are_very_many_a_test_knows_those_of_its_rows(monkeypatch):
    monkeypatch.setattr(stand_ins, "ANYWAY", 0)
    monkeypatch.setattr(stand_ins, "WIDE", 2)
    forest = converted(stumps([2.5, 2.5], [[4], [0, 2, 7]]))
    right = forest.leaves(towns(range(K))) == 2
    np.testing.assert_array_equal(right[:, 1], BINS > 2.5)  # six of twelve are listed
    assert not right[4, 0]
    assert right[np.arange(K) != 4, 0].all()  # as if missing


def test_where_only_frequent_categories_have_codes_the_others_go_as_missing_ones_do():
    fields = stumps([2.5], [[0, 1]])
    assert converted(fields, kept=np.arange(0, 24, 2)).otherwise[0] == -1
    assert converted(fields).otherwise[0] >= 0


def test_trees_without_stand_ins_stay_as_they_are():
    fields = stumps([0.5], [[]])
    fields["feature"][0] = 0
    known = StandIns(np.array([1], np.int32), 2, BINS, np.array([0, K]))
    assert known.in_categories(fields, (None,) * 4) is fields


def test_rows_are_asked_by_the_numbers_beside_them():
    forest = Forest.of_parts(stumps([0.5, 1.5], [[0], [0]]))
    cells = np.array([[0, 1, np.nan], [1, 2, 1]], np.float32)
    right = forest.leaves(beside(towns([0, 0, 0]), cells)) == 2
    np.testing.assert_array_equal(right, [[False, False], [True, True], [True, False]])
