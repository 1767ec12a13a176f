"""Divisive clustering against plain implementations, and on awkward data."""

import warnings

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.spatial.distance import pdist, squareform

import learnt
from learnt import DivisiveClustering
from learnt.errors import ConvergenceWarning, InputError, ParameterError


def blobs(n=120, p=3, k=5, seed=0):
    rng = np.random.default_rng(seed)
    return 4 * rng.normal(size=(k, p))[rng.integers(0, k, n)] + rng.normal(size=(n, p))


def plain_diana(d):
    """Clusters divided as the book says: {rows: height} of every cluster with more than one row."""
    heights, waiting = {}, [list(range(len(d)))]
    while waiting:
        rows = waiting.pop()
        if len(rows) < 2:
            continue
        heights[frozenset(rows)] = max(d[i, j] for i in rows for j in rows)
        stay, left = list(rows), []
        while len(stay) > 1:
            gains = []
            for i in stay:
                to_stay = np.mean([d[i, j] for j in stay if j != i])
                gains.append(to_stay - (np.mean([d[i, j] for j in left]) if left else 0))
            if left and max(gains) <= 0:
                break
            left.append(stay.pop(int(np.argmax(gains))))
        waiting += [stay, left]
    return heights


def clusters_of(tree):
    members = [frozenset([i]) for i in range(tree.n_leaves)]
    for one, other in tree.children.tolist():
        members.append(members[one] | members[other])
    return dict(zip(members[tree.n_leaves :], tree.heights.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_diana_divides_as_a_plain_implementation_does(seed):
    x = blobs(40, seed=seed)
    model = DivisiveClustering(3, method="diana").fit(x)
    wanted = plain_diana(squareform(pdist(x)))
    found = clusters_of(model.hierarchy_)
    assert found.keys() == wanted.keys()
    for rows, height in found.items():
        assert height == pytest.approx(wanted[rows], rel=1e-12)
    assert is_valid_linkage(model.linkage_matrix_)


def test_diana_takes_given_distances_and_any_metric():
    x = blobs(50)
    wanted = DivisiveClustering(4, method="diana", metric="manhattan").fit(x)
    found = DivisiveClustering(4, method="diana", metric="precomputed").fit(squareform(pdist(x, "cityblock")))
    assert_array_equal(found.linkage_matrix_, wanted.linkage_matrix_)
    assert_array_equal(found.labels_, wanted.labels_)
    with pytest.raises(InputError, match="cannot place new rows"):
        found.predict(np.zeros((1, 50)))


def test_the_top_of_iris_by_diana_is_that_of_r():
    iris = learnt.datasets.load("iris").drop("class")
    model = DivisiveClustering(2, method="diana").fit(iris)
    assert model.distances_[-1] == pytest.approx(7.085196, abs=1e-6)  # cluster::diana(iris[, 1:4])$height
    assert np.bincount(model.labels_).tolist() == [53, 97]


def test_bisecting_divides_the_cluster_with_the_largest_squared_error():
    x = blobs()
    model = DivisiveClustering(5).fit(x)

    def error(labels):
        return [((x[labels == c] - x[labels == c].mean(0)) ** 2).sum() for c in range(labels.max() + 1)]

    for k in range(1, 5):
        before, after = model.cut(k), model.cut(k + 1)
        divided = {c for c in range(k) if len(np.unique(after[before == c])) == 2}
        assert divided == {int(np.argmax(error(before)))}
    heights = [np.sqrt(max(error(model.cut(k)))) for k in range(4, 0, -1)]
    assert_allclose(model.distances_, heights, rtol=1e-10)


def test_bisecting_comes_near_to_that_of_scikit_learn():
    ratios = []
    for seed in range(2):
        x = blobs(150, 4, k=6, seed=seed)
        inertia = [
            sum(((x[labels == c] - x[labels == c].mean(0)) ** 2).sum() for c in range(6))
            for labels in (
                DivisiveClustering(6).fit(x).labels_,
                sklearn.cluster.BisectingKMeans(6, n_init=2, random_state=0).fit(x).labels_,
            )
        ]
        ratios.append(inertia[0] / inertia[1])
    assert np.mean(ratios) < 1.02


@pytest.mark.parametrize("method", ["bisecting", "diana"])
def test_predictions_of_the_fitted_rows_are_their_labels(method):
    for x in (blobs(), learnt.datasets.load("labor"), np.random.default_rng(0).integers(0, 4, (60, 2))):
        model = DivisiveClustering(4, method=method).fit(x)
        assert_array_equal(model.predict(x), model.labels_)


def test_a_weight_of_two_is_a_row_twice():
    x, w = blobs(50), np.random.default_rng(1).integers(1, 4, 50)
    one = DivisiveClustering(4).fit(x, sample_weight=w.astype(float))
    two = DivisiveClustering(4).fit(np.repeat(x, w, axis=0))
    assert_array_equal(np.repeat(one.labels_, w), two.labels_)
    assert_allclose(one.distances_, two.distances_, rtol=1e-10)
    with pytest.raises(InputError, match="'diana' counts every row once"):
        DivisiveClustering(method="diana").fit(x, sample_weight=w.astype(float))


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("method", ["bisecting", "diana"])
def test_very_large_and_small_numbers_change_heights_by_their_scale_alone(method, scale):
    x = blobs(40)
    one, two = (DivisiveClustering(3, method=method).fit(x * s) for s in (1.0, scale))
    assert_array_equal(one.labels_, two.labels_)
    assert_allclose(two.distances_ / scale, one.distances_, rtol=1e-9)


def test_distances_as_large_as_numbers_go_add_up():
    square = squareform(pdist(blobs(40)))
    scale = 2.0 ** (1023 - np.ceil(np.log2(square.max())))
    one, two = (DivisiveClustering(3, method="diana", metric="precomputed").fit(square * s) for s in (1.0, scale))
    assert_array_equal(one.labels_, two.labels_)
    assert_allclose(two.distances_ / scale, one.distances_, rtol=1e-12)


@pytest.mark.parametrize("method", ["bisecting", "diana"])
def test_one_row_copies_alone_and_fewer_rows_than_clusters(method):
    assert DivisiveClustering(1, method=method).fit([[1.0]]).labels_.tolist() == [0]
    with pytest.raises(InputError, match="n_samples=2 should be >= n_clusters=3"):
        DivisiveClustering(3, method=method).fit([[1.0], [2.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = DivisiveClustering(2, method=method).fit(np.ones((30, 2)))
    assert_array_equal(model.distances_, 0)
    two = DivisiveClustering(2, method=method).fit(np.repeat([[1.0, 2.0], [5.0, 6.0]], 20, axis=0))
    assert two.labels_.tolist() == [0] * 20 + [1] * 20


def test_fewer_different_rows_than_clusters_are_told():
    with pytest.warns(ConvergenceWarning, match="Only 2 of 3 clusters hold rows"):
        model = DivisiveClustering(3).fit(np.repeat([[1.0], [2.0]], 5, axis=0))
    assert model.n_clusters_ == 2


def test_means_need_euclids_distance():
    with pytest.raises(ParameterError, match="method='bisecting' uses means"):
        DivisiveClustering(metric="manhattan").fit(blobs(9))


def test_divisions_can_be_watched():
    with learnt.watch() as log:
        DivisiveClustering(4).fit(blobs())
    objective = [step.objective for step in log if step.what == "divided"]
    assert len(objective) == 3
    assert objective == sorted(objective, reverse=True)
