"""Counts of labels and of pairs of labels, against NumPy on repeated rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.statistics.cuts import CUTS, N, added

from learnt.statistics.counts import ClassWeights, Counts, weigh_codes, weigh_pairs

RNG = np.random.default_rng(1)
CODES = RNG.integers(-1, 4, N).astype(np.int32)
OTHERS = RNG.integers(-1, 3, N).astype(np.int32)
TIMES = RNG.integers(0, 4, N)


def _pairs(a, b):
    return [[np.count_nonzero((a == i) & (b == j)) for j in range(3)] for i in range(5)]


def test_the_weight_of_a_code_is_how_often_it_occurs_in_the_repeated_rows():
    repeated = np.repeat(CODES, TIMES)
    expected = [np.count_nonzero(repeated == c) for c in range(5)]  # the last never occurs
    assert_array_equal(weigh_codes(CODES, 5, TIMES.astype(float)), expected)
    assert_array_equal(weigh_codes(repeated, 5), expected)
    assert weigh_codes(CODES, 5).dtype == np.float64


def test_the_weight_of_a_pair_is_how_often_it_occurs_in_the_repeated_rows():
    a, b = np.repeat(CODES, TIMES), np.repeat(OTHERS, TIMES)
    assert_array_equal(weigh_pairs(CODES, 5, OTHERS, 3, TIMES.astype(float)), _pairs(a, b))
    assert_array_equal(weigh_pairs(a, 5, b, 3), _pairs(a, b))


def test_nothing_is_counted_where_there_is_nothing():
    none = np.empty(0, np.int32)
    assert weigh_codes(none, 0).shape == (0,)
    assert_array_equal(weigh_codes(np.array([-1, -1]), 2), [0, 0])
    assert_array_equal(weigh_pairs(none, 2, none, 3), np.zeros((2, 3)))


@pytest.mark.parametrize("from_right", [False, True])
@pytest.mark.parametrize("cuts", CUTS)
def test_counts_of_parts_add_to_those_of_all_rows(cuts, from_right):
    w = TIMES.astype(float)
    found = added(lambda rows: Counts.of(CODES[rows], 4, w[rows]), cuts, from_right=from_right)
    assert_array_equal(found.weight, np.bincount(np.repeat(CODES, TIMES) + 1, minlength=5)[1:])
    assert (found.rows, found.missing) == (N, np.count_nonzero(CODES == -1))
    assert found.total == w[CODES >= 0].sum()


@pytest.mark.parametrize("cuts", CUTS)
def test_weights_of_classes_of_parts_add_to_those_of_all_rows(cuts):
    y, w = CODES + 1, TIMES.astype(float)
    found = added(lambda rows: ClassWeights.of(y[rows], 5, w[rows]), cuts)
    assert_array_equal(found.weight, np.bincount(y, w, 5))


def test_counts_of_other_labels_do_not_add():
    with pytest.raises(ValueError, match="shapes"):
        Counts.of(CODES, 4) + Counts.of(CODES, 5)
