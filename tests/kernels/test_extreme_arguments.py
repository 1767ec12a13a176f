"""Kernels asked with the largest and smallest numbers there are: an error in words or the right answer, never overflow.

Run under UBSan (`make sanitize-python`), they also show that no signed number overflows and no load is unaligned.
"""

from __future__ import annotations

import numpy as np
import pytest

from learnt import _core

LARGEST, SMALLEST = 2**63 - 1, -(2**63)
NONE = (None, None, 0, 0, False)  # a course over all rows in their order


def unaligned(values, dtype) -> np.ndarray:
    array = np.asarray(values, dtype)
    room = np.empty(array.nbytes + 1, np.uint8)
    room[1:] = np.frombuffer(array.tobytes(), np.uint8)
    return room[1:].view(dtype).reshape(array.shape)


# Numbers of rows and trees


def test_hashes_of_rows_beyond_the_largest_number_go_on():
    at_the_end, before = np.empty(3), np.empty(1)
    _core.hash_uniform(7, LARGEST, at_the_end)
    _core.hash_uniform(7, SMALLEST, before)  # the row after the largest, of 64 bits
    assert at_the_end[1] == before[0]
    assert ((at_the_end > 0) & (at_the_end < 1)).all()


@pytest.mark.parametrize("most", [LARGEST, 2**62, 5])
def test_distinct_numbers_are_no_more_than_rows(most):
    values, weights, many = _core.distinct_numbers(np.array([3.0, 1.0, 3.0, np.nan]), None, most)
    assert (sorted(values), sorted(weights), many) == ([1.0, 3.0], [1.0, 2.0], False)


@pytest.mark.parametrize("most", [-1, SMALLEST])
def test_less_than_no_distinct_numbers_are_refused(most):
    with pytest.raises(ValueError, match="'most' is"):
        _core.distinct_numbers(np.array([3.0]), None, most)


def test_edges_are_between_the_rows_there_are():
    x = np.arange(5.0)
    assert _core.edges_of_sorted(x, None, LARGEST).tolist() == [0.5, 1.5, 2.5, 3.5]
    for wrong in (0, -1, SMALLEST):
        with pytest.raises(ValueError, match="'max_bins' is"):
            _core.edges_of_sorted(x, None, wrong)


@pytest.mark.parametrize("q", [-0.1, 1.1, 1e300, -1e300, np.nan, np.inf])
def test_quantiles_are_of_shares(q):
    with pytest.raises(ValueError, match="'q' is"):
        _core.quantiles_by_group(np.zeros(3, np.int32), np.arange(3.0), None, q, np.zeros(1))


def forest(**changed):
    options = {
        "criterion": "squared_error",
        "max_depth": -1,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "max_leaf_nodes": 0,
        "max_features": 1,
        "random_cuts": False,
        "bootstrap": False,
        "rate": 1.0,
        "balance_drawn": False,
        "seed": 0,
        "shrinkage": 0.0,
        "sorted_up_to": 1024,
    }
    given = {
        "n_codes": np.array([2], np.int32),
        "shift": np.zeros(1, np.int32),
        "lost": np.array([2], np.int32),
        "nominal": np.zeros(1, np.uint8),
        "bounds": np.array([0.0, 1.0]),
        "bound_start": np.array([0, 2]),
        "ranges": np.zeros(1, np.uint8),
        "varying": np.zeros(1, np.int32),
        "labels": None,
        "n_classes": 0,
        "targets": np.arange(4.0),
        "weights": None,
        "class_factors": None,
        "first_tree": 0,
        "n_trees": 1,
        "options": _core.ForestOptions(**options),
        "keep_rows": False,
        "oob_sums": None,
        "oob_trees": None,
        "oob_origin": 0.0,
        "oob_unit": 1.0,
    }
    return _core.grow_forest(np.array([[0, 0, 1, 1]], np.uint16), **(given | changed))


def test_a_forest_of_numbers_takes_no_factors_of_classes():
    assert len(forest()["feature"]) == 3
    with pytest.raises(ValueError, match="'class_factors' and no classes"):
        forest(class_factors=np.zeros(0))


@pytest.mark.parametrize(
    "changed",
    [
        {"first_tree": LARGEST},
        {"n_trees": 2**40},
        {"first_tree": 2**31 - 1, "n_trees": LARGEST},
        {"n_codes": np.array([2**31 - 1], np.int32), "ranges": np.ones(1, np.uint8)},
    ],
)
def test_a_forest_has_countable_trees_and_codes(changed):
    with pytest.raises(ValueError, match=r"asked for|codes"):
        forest(**changed)


@pytest.mark.parametrize(
    ("columns", "orders"), [([0], 1), ([0], 0), ([0], SMALLEST), ([0], LARGEST), ([], LARGEST), ([-1], 1), ([1], 1)]
)
def test_stand_ins_are_fewer_than_the_columns_and_stand_for_one(columns, orders):
    with pytest.raises(ValueError, match=r"stand-ins|'stands_for'"):
        forest(stands_for=np.array(columns, np.int32), orders=orders)


def test_leaves_are_those_of_the_trees_whatever_their_starts_say():
    for start in (LARGEST, SMALLEST, 2):
        with pytest.raises(ValueError, match="outside of the trees"):
            _core.forest_quantiles(
                np.array([[1]], np.int32), np.array([start, 2]), np.array([0, 1, 1]), np.zeros(1, np.int32),
                np.ones(1, np.float32), np.zeros(1), np.array([0.5]), np.empty((1, 1)),
            )  # fmt: skip


@pytest.mark.parametrize("n", [SMALLEST, -1, 0, 2**31, 2**32, LARGEST])
def test_trees_of_clusters_are_of_rows_that_can_be_paired(n):
    out = np.empty((0, 2), np.int64), np.empty(0), np.empty(0, np.int64)
    with pytest.raises(ValueError, match="rows"):
        _core.link_pairs(np.empty(0), n, "average", None, *out)
    with pytest.raises(ValueError, match="rows"):
        _core.divide_pairs(np.empty(0), n, *out)


# Routes of packed trees


@pytest.mark.parametrize("codes", [[5, 1], [-(2**31), 1], [1, 2**31 - 1], [1, 1]])
@pytest.mark.parametrize("make", [_core.PackedForest32, _core.PackedForest64])
def test_routes_of_a_packed_tree_are_categories_in_order(make, codes):
    arrays = (
        np.array([0, 3]), np.array([0, -1, -1], np.int32), np.array([np.nan] * 3), np.array([2, -1, -1], np.int32),
        np.array([0, -1, -1]), np.array([2, 0, 0], np.int32), np.array(codes, np.int32), np.array([0, 1], np.int32),
        np.full(3, -1, np.int32), np.zeros(3, np.int32), np.array([9], np.int32),
    )  # fmt: skip
    with pytest.raises(ValueError, match="routes of node 0"):
        make(*arrays)


# Counters that a file may hold


def perceptron(first=0, mistakes=0, units=(0,)):
    x = np.array([[1.0], [-1.0]])
    _core.perceptron_pass(
        x, np.zeros(1), np.ones(1), np.array([1, 0], np.int32), NONE, first, False, 1.0, True,
        np.asarray(units, np.int32) if isinstance(units, tuple) else units, (np.zeros((1, 1)), np.zeros(1)), None,
        np.zeros(1), None, np.array([mistakes]), np.zeros(1, np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("wrong", [{"first": LARGEST}, {"first": -1}, {"first": 3}])
def test_a_perceptron_begins_within_its_course(wrong):
    perceptron(first=2)
    with pytest.raises(ValueError, match="no place of the course"):
        perceptron(**wrong)
    with pytest.raises(ValueError, match="no place of the course"):
        _core.kernel_perceptron_pass(
            np.eye(2), np.zeros(2, np.int32), NONE, wrong["first"], False, np.zeros(1, np.int32), np.zeros((1, 2)),
            (np.zeros((1, 2)), np.zeros((1, 2))), np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.int64),
        )  # fmt: skip


@pytest.mark.parametrize("counted", [LARGEST, SMALLEST, -1])
def test_mistakes_counted_before_are_counts(counted):
    with pytest.raises(ValueError, match="'mistakes' holds"):
        perceptron(mistakes=counted)
    for name in ("promotions", "demotions"):
        counts = {"promotions": np.zeros(1, np.int64), "demotions": np.zeros(1, np.int64)}
        counts[name][0] = counted
        with pytest.raises(ValueError, match=f"'{name}' holds"):
            _core.winnow_pass(
                np.ones(1), np.zeros(1, np.int32), np.array([0, 1]), 1, np.zeros(1, np.int32), NONE, 0.5, 2.0, False,
                np.zeros(1, np.int32), np.ones((1, 1)), None, counts["promotions"], counts["demotions"],
            )  # fmt: skip


@pytest.mark.parametrize(("tried", "right"), [(LARGEST, 0), (-1, -1), (1, 2), (SMALLEST, LARGEST)])
def test_records_of_kept_rows_are_counts(tried, right):
    with pytest.raises(ValueError, match="no counts"):
        _core.show_instances(
            np.zeros((2, 1)), np.zeros(2, np.int32), np.ones(1), np.ones(1), 1, "ib3", np.array([1]), 0, 0,
            np.zeros(1), np.array([0]), np.array([tried]), np.array([right]),
        )  # fmt: skip


def test_the_first_showing_may_have_any_number():
    for first in (LARGEST, SMALLEST, -1):
        kept = _core.show_instances(
            np.arange(3.0)[:, None], np.array([0, 1, 0], np.int32), np.ones(1), np.ones(1), 1, "ib3",
            np.array([0, 1, 2]), 0, first, np.zeros(2), np.zeros(0, np.int64), np.zeros(0, np.int64),
            np.zeros(0, np.int64),
        )  # fmt: skip
        assert len(kept[0]) > 0


def test_one_batch_larger_than_all_rows_is_one_batch():
    x, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 3.0])
    found = []
    for size in (3, LARGEST):
        coef, intercept, loss = np.zeros((1, 1)), np.zeros(1), np.zeros(1)
        memory = np.zeros((1, 2)), np.zeros((1, 2))
        _core.descend(
            x, np.zeros(1), np.ones(1), y, None, NONE, 0, 3, (4, 0.0, 0, 0.1, 0.0, 0.0),
            (0.0, 0.0, True, 1, 0.5, size, 0.0), np.zeros(1, np.int32), (coef, intercept), None, memory, loss,
        )  # fmt: skip
        found.append((coef.tolist(), intercept.tolist(), loss.tolist()))
    assert found[0] == found[1]


# Labels and columns


@pytest.mark.parametrize("sizes", [[2**62, 2**62], [LARGEST, 1], [2**31], [2**30, 2**30]])
def test_labels_of_rectangles_can_be_numbered(sizes):
    with pytest.raises(ValueError, match="labels or more"):
        _core.RectangleRows(np.array(sizes), np.ones(len(sizes)), np.ones(len(sizes)), False)


@pytest.mark.parametrize("levels", [[LARGEST, LARGEST], [2**62, 2**62, 2**62, 2**62], [-1]])
def test_levels_of_a_mixture_can_be_numbered(levels):
    q = len(levels)
    with pytest.raises(ValueError, match="'levels'"):
        _core.column_mixture_round(
            np.zeros((1, 1)), np.zeros((1, q), np.int32), None, np.zeros(1), np.ones(1), np.zeros((1, 1)),
            np.ones((1, 1)), 0.0, np.array(levels), np.zeros((0, 1)), np.zeros(1), None, None, None, None, None, None,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("start", "width"), [(LARGEST, 2), (0, LARGEST), (SMALLEST, 2), (2**31 - 2, 2), (0, 2**31), (-1, 0)]
)
def test_encoded_columns_lie_where_sparse_rows_can_name_them(start, width):
    column = np.array([1], np.int32)
    given = np.array([start]), np.array([width]), np.zeros(1), np.zeros(1), np.ones(1), np.array([-1], np.int32)
    with pytest.raises(ValueError, match="output column"):
        _core.count_csr([column], *given, np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="output column"):
        _core.encode_dense([column], *given, np.zeros((1, 2)))


@pytest.mark.parametrize("ends", [(0, -(2**31)), (-(2**31), 5), (0, 2**31 - 1), (-1, 3)])
def test_characters_are_those_there_are(ends):
    nothing = np.zeros(0, np.int32)
    with pytest.raises(ValueError, match="no such character"):
        _core.Characters(np.array([ends], np.int32), nothing, nothing, nothing)


# Arrays that lie a byte beside


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_unaligned_columns_are_refused_before_they_are_read(dtype):
    column = unaligned([1, 2, 3], dtype)
    given = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1), np.zeros(1), np.ones(1), np.array([-1], np.int32)
    for call in (
        lambda: _core.encode_dense([column], *given, np.empty((3, 1))),
        lambda: _core.count_csr([column], *given, np.empty(4, np.int64)),
        lambda: _core.distinct_numbers(column, None, 5),
    ):
        with pytest.raises(ValueError, match="not aligned"):
            call()


def test_unaligned_lists_are_refused_before_they_are_read():
    with pytest.raises(ValueError, match="'units' is not aligned"):
        perceptron(units=unaligned([0], np.int32))
    with pytest.raises(ValueError, match="'slopes' is not aligned"):
        _core.LocalRows(np.zeros((2, 1)), np.zeros(2), None, unaligned([0], np.int64))
    fine = [np.array([4], np.int32), np.zeros(1, np.uint8), np.array([1.0, 2.0]), np.array([0, 2]),
            np.zeros(0, np.int32), np.zeros(2, np.int64)]  # fmt: skip
    _core.BoostBins(*fine)
    for place, name in ((0, "n_bins"), (2, "edges"), (3, "edge_start"), (5, "category_start")):
        wrong = list(fine)
        wrong[place] = unaligned(fine[place], fine[place].dtype)
        with pytest.raises(ValueError, match=f"'{name}' is not aligned"):
            _core.BoostBins(*wrong)
