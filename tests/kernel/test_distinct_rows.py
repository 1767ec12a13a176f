"""Rows that differ, against NumPy's unique."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from learnt.kernel.distinct_rows import distinct_rows


def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, 3)).astype(float), rng.integers(0, 2, n), rng.integers(0, 4, n).astype(float)


@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_equal_rows_of_a_group_are_one_of_their_summed_weight(storage):
    x, groups, w = rows()
    found = distinct_rows(storage(x), groups, w, 2)
    keys = np.column_stack([groups, x])
    expected, kind = np.unique(keys[w > 0], axis=0, return_inverse=True)
    sums = np.bincount(kind.ravel(), w[w > 0])
    mine = keys[found.first]
    assert len(mine) == len(expected)
    order = np.lexsort(mine.T[::-1])
    np.testing.assert_array_equal(mine[order], expected)
    np.testing.assert_array_equal(found.weights[order], sums)
    assert found.starts.tolist() == [0, int((mine[:, 0] == 0).sum()), len(mine)]


def test_neither_the_order_of_rows_nor_of_columns_changes_the_order():
    rng = np.random.default_rng(1)
    x, groups = rng.normal(size=(100, 4)), rng.integers(0, 2, 100)
    plain = x[distinct_rows(x, groups, None, 2).first]
    turned = rng.permutation(100)
    np.testing.assert_array_equal(x[turned][distinct_rows(x[turned], groups[turned], None, 2).first], plain)
    columns = [2, 0, 3, 1]
    np.testing.assert_array_equal(x[distinct_rows(x[:, columns], groups, None, 2).first], plain)


def test_minus_zero_is_zero():
    assert len(distinct_rows(np.array([[0.0], [-0.0]]), np.zeros(2, int), None, 1).first) == 1
