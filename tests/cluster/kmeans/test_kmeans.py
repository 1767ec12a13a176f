"""KMeans against scikit-learn's, worked examples and awkward data."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal

import learnt
from learnt import KMeans
from learnt.errors import ConvergenceWarning, InputError


def blobs(n=600, p=5, k=4, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    centers = 4 * rng.standard_normal((k, p))
    return (centers[rng.integers(0, k, n)] + rng.standard_normal((n, p))).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 2, 7, 40])
def test_from_a_given_start_it_ends_where_scikit_learn_ends(dtype, k):
    x = blobs(k=9, dtype=dtype)
    start = x[:k].copy()
    ours = KMeans(k, init=start, max_iter=50, tol=0).fit(x)
    theirs = sklearn.cluster.KMeans(k, init=start, n_init=1, max_iter=50, tol=0).fit(x)
    assert_array_equal(ours.labels_, theirs.labels_)
    rtol = 1e-5 if dtype == np.float32 else 1e-10
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=rtol, atol=rtol)
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=rtol)
    assert ours.cluster_centers_.dtype == dtype


def test_with_weights_it_ends_where_scikit_learn_ends():
    x = blobs()
    w = np.random.default_rng(1).uniform(0, 2, len(x))
    ours = KMeans(4, init=x[:4], tol=0).fit(x, sample_weight=w)
    theirs = sklearn.cluster.KMeans(4, init=x[:4], n_init=1, tol=0).fit(x, sample_weight=w)
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-10)
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-10)


def test_a_rectangle_can_trap_it_and_restarts_set_it_free():
    corners = np.array([[0.0, 0], [4, 0], [0, 2], [4, 2]])
    stuck = KMeans(2, init=[[2.0, 0], [2, 2]]).fit(corners)
    assert stuck.inertia_ == pytest.approx(16)
    best = KMeans(2, n_init=10, random_state=0).fit(corners)
    assert best.inertia_ == pytest.approx(4)


def test_far_from_the_origin_float32_finds_the_same_clusters():
    x = blobs(dtype=np.float32)
    near = KMeans(4, init=x[:4]).fit(x)
    shifted = x + np.float32(4096)  # a power of two: the addition itself rounds little
    far = KMeans(4, init=shifted[:4]).fit(shifted)
    assert (near.labels_ == far.labels_).mean() > 0.999


@pytest.mark.costly
def test_starts_of_plus_plus_are_as_good_as_scikit_learn_s():
    x = blobs(n=2000, k=20, p=3)
    ours = np.mean([KMeans(20, max_iter=1, random_state=s).fit(x).inertia_ for s in range(30)])
    theirs = [sklearn.cluster.KMeans(20, n_init=1, max_iter=1, random_state=s).fit(x) for s in range(30)]
    assert ours < 1.1 * np.mean([-m.score(x) for m in theirs])


def test_random_starts_draw_by_weight():
    x = np.arange(4.0)[:, None]
    weights = np.array([0.0, 1.0, 1.0, 0.0])
    for seed in range(20):
        model = KMeans(2, init="random", n_init=1, random_state=seed).fit(x, sample_weight=weights)
        assert sorted(model.cluster_centers_.ravel()) == [1.0, 2.0]


def test_a_centre_without_rows_moves_to_the_farthest_row():
    x = np.array([[0.0], [1.0], [10.0], [11.0]])
    model = KMeans(3, init=[[0.0], [10.0], [1000.0]], tol=0).fit(x)
    assert sorted(np.bincount(model.labels_)) == [1, 1, 2]
    theirs = sklearn.cluster.KMeans(3, init=np.array([[0.0], [10.0], [1000.0]]), n_init=1, tol=0).fit(x)
    assert model.inertia_ == pytest.approx(theirs.inertia_)


def test_fewer_distinct_rows_than_clusters_is_told():
    with pytest.warns(ConvergenceWarning, match="Only 2 of 3 clusters"):
        model = KMeans(3, random_state=0).fit([[1.0], [1.0], [2.0], [2.0]])
    assert model.inertia_ == 0


def test_more_clusters_than_rows_is_an_error():
    with pytest.raises(InputError, match="n_samples=2 should be >= n_clusters=3"):
        KMeans(3).fit([[1.0], [2.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sparse_matrix_gives_the_same_as_its_dense_twin(dtype):
    x = scipy.sparse.random(500, 40, 0.1, random_state=0, format="csr", dtype=dtype)
    start = x[:6].toarray()
    sparse = KMeans(6, init=start, tol=0).fit(x)
    dense = KMeans(6, init=start, tol=0).fit(x.toarray())
    assert_array_equal(sparse.labels_, dense.labels_)
    assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, atol=1e-6)
    assert_array_equal(sparse.predict(x), dense.predict(x.toarray()))
    assert_allclose(sparse.transform(x), dense.transform(x.toarray()), atol=1e-5)


def test_ten_thousand_categories_stay_sparse():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": pd.Categorical.from_codes(rng.integers(0, 10_000, 20_000), [f"c{i}" for i in range(10_000)]),
            "x": np.repeat([0.0, 100.0], 10_000),
        }
    )
    model = KMeans(2, random_state=0, max_iter=5).fit(frame)
    assert model._design.sparse
    assert len(set(model.labels_[:10_000])) == len(set(model.labels_[10_000:])) == 1


def test_different_categories_lie_as_far_apart_as_two_random_numbers():
    frame = pd.DataFrame({"t": ["a", "b"] * 20, "x": np.linspace(-1, 1, 40)})
    model = KMeans(1).fit(frame)
    assert model.get_design_names() == ("t=a", "t=b", "x")
    assert_allclose(model.cluster_centers_[0], [0.5, 0.5, 0], atol=1e-12)
    # The mean squared difference of two rows is twice the variance: 2 for x, 2·½ for t.
    assert model.inertia_ == pytest.approx(40 * (0.5 + 1))


def test_numbers_alone_are_left_in_their_units():
    x = blobs() * [1, 10, 100, 1000, 10000]
    assert_allclose(KMeans(3, random_state=0).fit(x)._design.scale, 1)
    assert_allclose(KMeans(3, random_state=0, standardize=True).fit(x)._design.scale, 1 / x.std(0), rtol=1e-9)


def test_missing_cells_count_as_the_mean():
    x = blobs()
    holes = x.copy()
    holes[::5, 2] = np.nan
    filled = np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes)
    a, b = (KMeans(4, init=x[:4], tol=0).fit(data) for data in (holes, filled))
    assert_array_equal(a.labels_, b.labels_)
    assert_array_equal(a.predict(holes), b.predict(filled))


def test_inertia_never_grows_and_every_step_is_seen():
    with learnt.watch() as log:
        model = KMeans(6, init=blobs()[:6], tol=0).fit(blobs())
    steps = log["objective"]
    assert len(steps) == model.n_iter_
    assert all(a >= b - 1e-9 for a, b in pairwise(steps))


def test_transform_gives_distances_and_follows_set_output():
    x = pd.DataFrame(blobs(), columns=list("abcde"), index=range(7, 607))
    model = KMeans(3, random_state=0).fit(x).set_output(transform="pandas")
    out = model.transform(x)
    assert list(out.columns) == ["kmeans0", "kmeans1", "kmeans2"]
    assert list(out.index) == list(x.index)
    explicit = np.linalg.norm(x.to_numpy()[:, None] - model.cluster_centers_[None], axis=2)
    assert_allclose(out.to_numpy(), explicit, rtol=1e-10)
    assert_array_equal(out.to_numpy().argmin(1), model.labels_)


def test_an_explanation_gives_the_distance_column_by_column():
    x = pd.DataFrame(blobs(), columns=list("abcde"))
    model = KMeans(3, random_state=0).fit(x)
    because = model.explain(x)[5]
    assert because.prediction == model.labels_[5]
    gap = x.to_numpy()[5] - model.cluster_centers_[because.prediction]
    assert_allclose([e.contribution for e in because.evidence], gap**2, rtol=1e-9)
    assert because.total == pytest.approx((gap**2).sum())
    assert because.alternatives[0][1] > because.total


def test_a_scan_has_no_labels_and_ends_where_the_table_ends(tmp_path):
    frame = pd.DataFrame(blobs(), columns=list("abcde"))
    for i in range(3):
        frame.iloc[i * 200 : (i + 1) * 200].to_parquet(tmp_path / f"{i}.parquet")
    scan = learnt.scan(tmp_path / "*.parquet")
    start = frame.iloc[:4]
    whole = KMeans(4, init=start, tol=0).fit(frame)
    parts = KMeans(4, init=start, tol=0).fit(scan)
    assert not hasattr(parts, "labels_")
    assert_allclose(parts.cluster_centers_, whole.cluster_centers_, rtol=1e-9)
    assert_array_equal(parts.predict(scan), whole.labels_)
    sampled = KMeans(4, random_state=0).fit(scan)
    assert sampled.inertia_ == pytest.approx(KMeans(4, n_init=5, random_state=0).fit(frame).inertia_, rel=0.5)


def test_it_does_not_warn_when_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KMeans(3, random_state=0).fit(blobs())


@pytest.mark.filterwarnings("ignore:Only 1 of 2 clusters")
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_a_row_of_weight_two_is_enough_for_two_clusters_as_its_two_copies_are(init):
    weighted = KMeans(2, init=init, random_state=0).fit([[1.0]], sample_weight=[2.0])
    copied = KMeans(2, init=init, random_state=0).fit([[1.0], [1.0]])
    assert_array_equal(weighted.cluster_centers_, copied.cluster_centers_)
    with pytest.raises(InputError, match="n_samples=1 should be >= n_clusters=2"):
        KMeans(2).fit([[1.0], [2.0]], sample_weight=[1.0, 0.0])


def test_rows_beyond_all_squares_are_infinitely_far_from_all_centres():
    model = KMeans(2, random_state=0).fit(np.random.default_rng(0).normal(size=(20, 3)))
    far = np.array([[-1.7e308, -1.7e308, 1.7e308], [1.7e308, 1.7e308, -1.7e308], [1e308, 0.0, 0.0]])
    assert not np.isnan(model.transform(far)).any()
    assert not np.isnan(model.transform(scipy.sparse.csr_matrix(far))).any()
