"""Rows as points: units, corners, gaps and the way back to columns."""

import numpy as np

from learnt import Table
from learnt.novelty.rows_as_numbers import MOST_LABELS, RowsAsNumbers


def encoded(table, **settings):
    table = Table(table)
    how = RowsAsNumbers.of(table, np.ones(table.n_rows), **{"standardize": True, **settings})
    return how, how.encode(table)


def test_numbers_are_standardised_and_gaps_marked():
    x = np.array([1.0, 2.0, np.nan, 6.0])
    how, z = encoded({"x": x, "y": [1.0, 2.0, 3.0, 4.0]})
    there = x[~np.isnan(x)]
    np.testing.assert_allclose(z[:, 0], np.nan_to_num((x - there.mean()) / there.std()))
    assert z[:, 1].tolist() == [0, 0, 1, 0]
    assert how.widths.tolist() == [2, 1]
    assert how.owner.tolist() == [0, 0, 1]


def test_labels_are_corners_at_a_distance_of_one():
    how, z = encoded({"x": ["a", "b", None, "a"]})
    apart = np.sqrt(((z[:, None] - z) ** 2).sum(axis=2))
    np.testing.assert_allclose(apart, [[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]], atol=1e-12)
    assert how.n_columns == 3


def test_rare_labels_share_a_corner():
    labels = [f"frequent{i}" for i in range(MOST_LABELS)] * 3 + [f"rare{i}" for i in range(500)]
    how, z = encoded({"x": labels})
    assert how.n_columns == MOST_LABELS + 2
    assert np.array_equal(z[-1], z[-2])
    assert not np.array_equal(z[0], z[1])


def test_columns_without_spread_count_relative_to_their_value():
    how, _ = encoded({"x": [5.0] * 9, "empty": [np.nan] * 9})
    other = how.encode(Table({"x": [10.0], "empty": [77.0]}))
    assert other.tolist() == [[1.0, 0.0, 0.0]]


def test_without_standardizing_numbers_stay():
    _, z = encoded([[1.0, 200.0], [3.0, 5.0]], standardize=False)
    assert z.tolist() == [[1.0, 200.0], [3.0, 5.0]]


def test_what_matrix_columns_add_comes_back_by_column():
    how, z = encoded({"x": [1.0, np.nan], "y": ["a", "b"]})
    np.testing.assert_allclose(how.fold(z), np.column_stack([z[:, :2].sum(axis=1), z[:, 2:].sum(axis=1)]))
