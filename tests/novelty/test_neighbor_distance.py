"""Distances of the nearest rows are scikit-learn's."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from learnt import Table
from learnt.novelty.neighbor_distance import NeighborDistance, shared_by_squares


@pytest.mark.parametrize("k", [1, 5, 20])
def test_the_mean_distance_is_that_of_the_nearest_rows(k):
    rng = np.random.default_rng(0)
    x, new = rng.normal(size=(300, 4)), rng.normal(size=(50, 4))
    ours = NeighborDistance.fitted(Table(x), np.ones(300), k, standardize=False).novelty(Table(new))
    np.testing.assert_allclose(ours, NearestNeighbors(n_neighbors=k).fit(x).kneighbors(new)[0].mean(axis=1), rtol=1e-8)


def test_more_neighbours_than_rows_are_all_rows():
    x = np.array([[0.0], [1.0], [3.0]])
    found = NeighborDistance.fitted(Table(x), np.ones(3), 20, standardize=False).novelty(Table([[0.0]]))
    np.testing.assert_allclose(found, 4 / 3)


def test_amounts_are_shared_as_squares_are():
    z, others = np.array([[3.0, 4.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 1.0]])
    parts = shared_by_squares(z, others, np.array([[0], [1]]), np.array([[5.0], [0.0]]))
    np.testing.assert_allclose(parts, [[9 / 5, 16 / 5], [0, 0]])
