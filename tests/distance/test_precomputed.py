"""Distances of all pairs against SciPy's, and what given ones must be."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform

import learnt
from learnt import Table
from learnt.distance import pairwise, precomputed, resolve
from learnt.distance.precomputed import check_distances, check_room, condense, distances_of, metric_for
from learnt.errors import InputError


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize("cells", [1, 7 * 60, 1 << 22])
@pytest.mark.parametrize(("ours", "theirs"), [("euclidean", "euclidean"), ("manhattan", "cityblock"), ("cosine",) * 2])
def test_distances_are_those_of_scipy_however_they_are_cut(rows, ours, theirs, cells, monkeypatch):
    monkeypatch.setattr(precomputed, "_CELLS", cells)
    wanted = pdist(rows, theirs)
    assert_allclose(distances_of(rows, ours, condensed=True), wanted, rtol=1e-13, atol=1e-15)
    square = distances_of(rows, ours)
    assert_allclose(square, squareform(wanted), rtol=1e-13, atol=1e-15)
    assert_array_equal(square, square.T)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_very_large_and_small_numbers_neither_overflow_nor_vanish(rows, scale):
    assert_allclose(distances_of(rows * scale) / scale, squareform(pdist(rows)), rtol=1e-12)


def test_auto_is_euclidean_for_complete_numbers_and_mixed_otherwise(rows):
    assert metric_for(Table(rows)).name == "euclidean"
    rows[3, 1] = np.nan
    assert metric_for(Table(rows)).name == "mixed"
    assert metric_for(Table({"a": [1.0, 2.0], "b": ["x", "y"]})).name == "mixed"


def test_a_row_with_missing_cells_is_at_distance_0_from_itself_alone():
    d = distances_of({"a": [1.0, None, 3.0], "b": ["x", "y", "x"]})
    assert_array_equal(d.diagonal(), 0)
    assert d[0, 1] == pytest.approx(np.sqrt(2))


def test_a_function_of_two_rows_and_given_distances_are_taken(rows):
    wanted = squareform(pdist(rows, "chebyshev"))
    assert_allclose(distances_of(rows[:9], lambda a, b: float(np.abs(a - np.array(b)).max())), wanted[:9, :9])
    assert_array_equal(distances_of(wanted, "precomputed", condensed=True), squareform(wanted))
    assert_array_equal(condense(wanted), squareform(wanted))


@pytest.mark.parametrize(
    ("square", "words"),
    [
        ([[0, 1], [2, 0]], "not symmetric: from row 0 to row 1 it is 1.0, back it is 2.0"),
        ([[0, 1, 3], [1, 0, np.nan], [3, np.nan, 0]], "rows 1 and 2 are nan apart"),
        ([[0, -1], [-1, 0]], "rows 0 and 1 are -1.0 apart"),
        ([[0, np.inf], [np.inf, 0]], "rows 0 and 1 are inf apart"),
        ([[1, 0.5], [0.5, 1]], "row 0 is 1.0 away from itself"),
        ([[1, 2, 2], [2, 3, 2], [2, 2, 0]], "row 1 is 3.0 away from itself, and 2.0 from another row"),
        ([[1, 1], [1, 1]], "row 0 is 1.0 away from itself. Expected distances, not similarities"),
        ([[2.0]], "row 0 is 2.0 away from itself"),
        ([[0, 1, 2]], r"the shape \(1, 3\)"),
        ([["a", "b"], ["b", "a"]], "cannot be read as distances"),
    ],
)
def test_what_are_no_distances_is_told_by_the_pair(square, words):
    with pytest.raises(InputError, match=words):
        check_distances(square)


def test_rounding_is_mended_and_what_is_right_is_not_copied(rows):
    right = squareform(pdist(rows))
    assert check_distances(right) is right
    wrong = right + 1e-12 * np.random.default_rng(1).random(right.shape)
    mended = check_distances(wrong)
    assert_array_equal(mended, mended.T)
    assert_array_equal(mended.diagonal(), 0)
    assert_allclose(mended, right, atol=1e-11)


def test_more_rows_than_memory_holds_are_refused_with_advice():
    with pytest.raises(InputError, match=r"n=2,000,000 needs 16,000 GB for the distances of all pairs.*Take fewer"):
        check_room(2_000_000, condensed=True)


@pytest.mark.parametrize("metric", ["auto", "euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("condensed", [False, True])
def test_sparse_rows_are_as_far_apart_as_the_same_rows_with_their_zeros(metric, condensed):
    rows = scipy.sparse.random(40, 300, 0.05, format="csr", random_state=0)
    np.testing.assert_allclose(
        distances_of(rows, metric, condensed=condensed),
        pdist_of(rows.toarray(), metric, condensed),
        rtol=1e-12,
        atol=1e-12,
    )


def pdist_of(x, metric, condensed):
    name = {"auto": "euclidean", "manhattan": "cityblock"}.get(metric, metric)
    found = pdist(x, name)
    return found if condensed else squareform(found)


@pytest.mark.slow
def test_many_sparse_columns_are_not_spread_out():
    rng = np.random.default_rng(0)
    places = rng.integers(100, size=2500), rng.integers(1_000_000, size=2500)
    rows = scipy.sparse.csr_matrix((rng.random(2500), places), shape=(100, 1_000_000))
    tracemalloc.start()
    distances_of(rows)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200e6  # with their zeros the rows take 0.8 GB


GAPPY = {
    "x": [0.0, None, 3.0, 4.0, 4.2, None, 0.1, 0.3],
    "town": ["Bern", "Chur", "Chur", None, "Basel", None, "Bern", "Bern"],
}


@pytest.mark.parametrize("metric", ["mixed", "auto"])
def test_our_own_distances_of_rows_with_missing_cells_are_taken(metric):
    table = Table(GAPPY)
    d = pairwise(table, metric=metric)
    assert d.diagonal().any()
    given = check_distances(d)
    assert_array_equal(given, distances_of(table, resolve(metric, table)))
    settings = {"metric": resolve(metric, table)}
    for make in (
        lambda **k: learnt.DBSCAN(0.5, min_samples=2, **k),
        lambda **k: learnt.KMedoids(2, **k),
        lambda **k: learnt.AgglomerativeClustering(3, linkage="average", **k),
        lambda **k: learnt.DivisiveClustering(3, method="diana", **k),
    ):
        by_distances = make(metric="precomputed").fit(d).labels_
        assert_array_equal(by_distances, make(**settings).fit(table).labels_)
    assert learnt.MDS(metric="precomputed").fit_transform(d).shape == (8, 2)
    labels = [0, 0, 1, 1, 1, 1, 0, 0]
    one = learnt.silhouette(d, labels, metric="precomputed").mean
    assert_allclose(one, learnt.silhouette(table, labels, **settings).mean)
