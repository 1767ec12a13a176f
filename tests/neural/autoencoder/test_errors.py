"""Errors of cells, by hand."""

import numpy as np
import pytest

from learnt import Table
from learnt.neural.autoencoder.cells import TableCells
from learnt.neural.autoencoder.errors import average_scores, cell_errors, column_means, column_parts

TABLE = Table({"x": [1.0, None, 4.0], "yes": [True, False, None], "c": ["a", "b", "c"]})
CELLS = TableCells.of(TABLE, None, scaling=False, most=16)
SCORES = np.array([[2.0, 0.5, 0.0, 0.0, 0.0], [9.0, 0.5, 1.0, 2.0, 3.0], [4.0, 9.0, 0.0, 0.0, np.log(2)]])


def test_errors_are_those_of_the_formulas():
    errors, there = cell_errors(CELLS, CELLS.encode(TABLE), SCORES)
    softmax = np.exp([1.0, 2.0, 3.0]) / np.exp([1.0, 2.0, 3.0]).sum()
    expected = [
        [0.5, np.log(1 + np.exp(-0.5)), np.log(3)],
        [0.0, np.log(1 + np.exp(0.5)), -np.log(softmax[1])],
        [0.0, 0.0, np.log(2)],
    ]
    np.testing.assert_allclose(errors, expected, rtol=1e-12)
    assert there.tolist() == [[True, True, True], [False, True, True], [True, False, True]]
    parts = column_parts(CELLS, CELLS.encode(TABLE), SCORES)
    np.testing.assert_allclose(parts, np.array(expected) / [[3], [2], [2]], rtol=1e-12)
    means = column_means(CELLS, CELLS.encode(TABLE), SCORES, np.array([2.0, 1.0, 1.0]))
    assert means[0] == pytest.approx((2 * 0.5 + 0) / 3)


def test_the_average_row_is_means_and_shares():
    found = average_scores(CELLS, CELLS.encode(TABLE), np.array([1.0, 1.0, 3.0]))
    assert found[0] == pytest.approx((1 + 3 * 4) / 4)
    assert found[1] == pytest.approx(0)
    np.testing.assert_allclose(np.exp(found[2:]), [0.201, 0.201, 0.601], rtol=1e-9)
