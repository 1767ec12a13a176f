"""Cells as numbers, and an order of rows by what they hold."""

import numpy as np

from learnt import Table
from learnt.novelty.cells import category_counts, cell_matrix, content_order


def test_cells_are_numbers_codes_and_gaps():
    table = Table({"x": [1.0, None], "y": ["b", None], "z": [True, False]})
    np.testing.assert_array_equal(cell_matrix(table), [[1.0, 0.0, 1.0], [np.nan, np.nan, 0.0]])
    assert category_counts(table.schema).tolist() == [0, 1, 2]


def test_a_matrix_is_its_own_cells():
    x = np.zeros((3, 2))
    assert cell_matrix(Table(x)) is x or np.shares_memory(cell_matrix(Table(x)), x)


def test_the_order_hangs_on_cells_and_seed_alone():
    x = np.random.default_rng(0).integers(0, 9, (500, 2)).astype(float)
    there = np.random.default_rng(1).permutation(500)
    first, second = content_order(Table(x), 3), content_order(Table(x[there]), 3)
    np.testing.assert_array_equal(x[first], x[there][second])
    assert not np.array_equal(x[first], x[content_order(Table(x), 4)])
