"""Rows with gaps beside complete rows: a missing cell is as far from all as its column is wide."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from learnt import Table
from learnt.distance import resolve
from learnt.distance.gapped_rows import GappedIndex, distances_with_gaps
from learnt.neighbors import build_index

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(40, 3)) * [1, 5, 10]
WIDTHS = np.ptp(ROWS, axis=0)
NEW = np.where(RNG.random((25, 3)) < 0.4, np.nan, RNG.normal(size=(25, 3)) * [1, 5, 10])
NEW[0] = np.nan


def by_differences(combined):
    """Distances of differences cell by cell, where a missing one differs by its column's width."""
    differences = np.abs(NEW[:, None, :] - ROWS[None, :, :])
    return combined(np.where(np.isnan(differences), WIDTHS, differences))


EXPECTED = {
    "euclidean": lambda d: np.sqrt((d**2).sum(axis=2)),
    "manhattan": lambda d: d.sum(axis=2),
    "chebyshev": lambda d: d.max(axis=2),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_distances_are_those_of_the_widths(name):
    metric = resolve(name, ROWS)
    found = distances_with_gaps(metric, Table(NEW), Table(ROWS))
    np.testing.assert_allclose(found, by_differences(EXPECTED[name]), rtol=1e-12)


def test_without_gaps_they_are_the_metrics():
    whole = np.nan_to_num(NEW)
    found = distances_with_gaps(resolve("euclidean", ROWS), Table(whole), Table(ROWS))
    np.testing.assert_allclose(found, cdist(whole, ROWS), rtol=1e-9)


def test_an_index_answers_rows_with_and_without_gaps_in_one_call():
    metric = resolve("euclidean", ROWS)
    index = GappedIndex(build_index(ROWS, metric=metric), metric, Table(ROWS))
    all_distances = by_differences(EXPECTED["euclidean"])
    away, rows = index.query(Table(NEW), 4)
    np.testing.assert_allclose(away, np.sort(all_distances, axis=1)[:, :4], rtol=1e-9)
    np.testing.assert_allclose(np.take_along_axis(all_distances, rows, axis=1), away, rtol=1e-9)
    start, near, far = index.radius(Table(NEW), 12.0)
    for i, own in enumerate(all_distances):
        part = slice(start[i], start[i + 1])
        assert sorted(near[part].tolist()) == np.flatnonzero(own <= 12.0).tolist()
        np.testing.assert_allclose(far[part], own[near[part]], rtol=1e-9)
