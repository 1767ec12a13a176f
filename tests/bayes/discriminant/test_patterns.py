"""Rows by their patterns of cells, against a dict."""

import numpy as np
import pytest

from learnt.bayes.discriminant import patterns
from learnt.bayes.discriminant.patterns import alike_rows


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (50, 3), (200, 9), (300, 17)])
def test_every_row_stands_once_under_the_cells_it_has(shape):
    mask = np.random.default_rng(0).random(shape) < 0.4
    seen = {}
    for alike in alike_rows(mask):
        assert (np.diff(alike.which) >= 0).all()
        for row, which in zip(alike.rows.tolist(), alike.which.tolist(), strict=True):
            assert row not in seen
            seen[row] = tuple(alike.cells[which].tolist())
    assert seen == {i: tuple(np.flatnonzero(row).tolist()) for i, row in enumerate(mask)}


def test_parts_hold_the_same_rows_and_few_numbers_each(monkeypatch):
    monkeypatch.setattr(patterns, "_NUMBERS", 40)
    mask = np.random.default_rng(1).random((100, 6)) < 0.5
    for alike in alike_rows(mask):
        whole = [tuple(alike.cells[w]) for w in alike.which]
        parts = list(alike.parts())
        assert np.concatenate([part.rows for part in parts]).tolist() == alike.rows.tolist()
        assert [tuple(part.cells[w]) for part in parts for w in part.which] == whole
        assert all(len(part.cells) * alike.cells.shape[1] ** 2 <= 40 for part in parts)


def test_blocks_are_the_rows_and_columns_of_each_pattern():
    matrix = np.random.default_rng(2).normal(size=(5, 5))
    (alike,) = alike_rows(np.array([[1, 0, 1, 0, 0], [0, 0, 0, 1, 1], [1, 0, 1, 0, 0]], bool))
    for cells, block in zip(alike.cells, alike.blocks(matrix), strict=True):
        np.testing.assert_array_equal(block, matrix[np.ix_(cells, cells)])
