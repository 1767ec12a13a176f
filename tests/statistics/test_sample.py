"""The hashed sample of rows, against sorting all keys."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from learnt import Table
from learnt.statistics.sample import HashedSample, hash_numbers, hash_rows, sample_places, smallest_keys

N = 500


@pytest.mark.parametrize("limit", [0, 1, 17, N - 1, N, N + 1])
def test_the_smallest_keys_are_the_first_of_all_sorted(limit):
    keys = np.random.default_rng(0).integers(0, 40, N).astype(float)  # many ties: of equal keys the first rows count
    assert_array_equal(smallest_keys(keys, limit), np.sort(np.argsort(keys, kind="stable")[:limit]))


@pytest.mark.parametrize("cuts", [(0, N), (0, 0, N), (0, 1, 250, N), (0, 499, N, N)])
def test_cutting_does_not_change_the_sample(cuts):
    x = np.random.default_rng(1).normal(size=(N, 2))
    parts = [
        HashedSample.of(50, hash_rows(7, a, b - a), x[a:b], csr_matrix(x[a:b]), Table(x[a:b]), None)
        for a, b in pairwise(cuts)
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    places = sample_places(N, 50, 7)
    dense, sparse, table, none = total.taken
    assert total.rows == N
    assert_array_equal(total.key, hash_rows(7, 0, N)[places])
    assert_array_equal(dense, x[places])
    assert_array_equal(sparse.toarray(), x[places])
    assert_array_equal(table.matrix, x[places])
    assert none is None
    assert not total.complete


def test_without_a_limit_all_rows_are_kept():
    x = np.arange(6.0)
    whole = HashedSample.of(None, np.empty(0), x[:4], rows=4) + HashedSample.of(None, np.empty(0), x[4:], rows=2)
    assert_array_equal(whole.taken[0], x)
    assert whole.rows == 6


def test_samples_of_different_sizes_do_not_add():
    one, two = (HashedSample.of(limit, hash_rows(0, 0, 9), np.arange(9)) for limit in (3, 4))
    with pytest.raises(ValueError, match="shapes"):
        one + two


def test_hashes_depend_on_seed_and_row_number_alone():
    assert_array_equal(hash_rows(3, 0, 20)[5:], hash_rows(3, 5, 15))
    assert not np.array_equal(hash_rows(3, 0, 20), hash_rows(4, 0, 20))
    assert len(np.unique(hash_numbers(np.arange(10_000)))) == 10_000
