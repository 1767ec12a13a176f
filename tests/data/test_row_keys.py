"""Rows as keys: which are copies, and orders that do not depend on how rows came."""

import numpy as np

from learnt.data.row_keys import keys_of_points, order_of_points, places_to_draw, row_keys


def test_keys_are_equal_where_rows_are_and_rise_as_numbers_do():
    points = np.array([[1.0, 2.0], [1.0, 2.0], [-1.0, 5.0], [0.0, np.inf], [-0.0, np.inf]])
    keys = keys_of_points(points)
    assert keys[0] == keys[1]
    assert keys[3] == keys[4]
    np.testing.assert_array_equal(points[np.argsort(keys)][:, 0], np.sort(points[:, 0]))


def test_missing_cells_are_equal():
    keys = row_keys([np.array([np.nan, np.nan, 1.0]), np.array([2.0, 2.0, 2.0])])
    assert keys[0] == keys[1] != keys[2]


def test_the_order_follows_from_the_numbers_alone():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 3))
    plain = x[order_of_points(x)]
    turned = rng.permutation(50)
    np.testing.assert_array_equal(x[turned][order_of_points(x[turned])], plain)
    np.testing.assert_array_equal(x[order_of_points(x[:, [2, 0, 1]])], plain)
    np.testing.assert_array_equal(x[order_of_points(x * [1000.0, 0.001, 7.0] + 5)], plain)


def test_copies_stand_side_by_side_and_whole_weights_are_copies():
    keys = keys_of_points(np.array([[3.0], [1.0], [3.0], [2.0]]))
    places = places_to_draw(keys, None)
    assert places is not None
    assert places.tolist() == [1, 3, 0, 2]
    weighted = places_to_draw(keys, np.array([2.0, 1.0, 0.0, 1.0]))
    assert weighted is not None
    assert weighted.tolist() == [1, 3, 0, 0]
