"""assign_and_sum and the distance kernels against the matrix of all distances."""

import numpy as np
import pytest
from scipy import sparse
from tests.kernels.layouts import SHAPES, layouts, normal, same_for_any_threads

from learnt import _core


def squares(x, centers):
    return ((x[:, None, :].astype(np.float64) - centers[None].astype(np.float64)) ** 2).sum(2)


def assign(x, centers, weights=None, shift=None, sums=True):
    k, p = centers.shape
    labels = np.full(x.shape[0], -7, np.int32)
    total, weight = (np.zeros((k, p)), np.zeros(k)) if sums else (None, None)
    if sparse.issparse(x):
        inertia = _core.assign_and_sum_csr(*parts(x), weights, centers, labels, total, weight)
    else:
        inertia = _core.assign_and_sum(
            x, weights, centers, np.zeros(p) if shift is None else shift, labels, total, weight
        )
    return inertia, labels, total, weight


def parts(x):
    return x.data, x.indices, x.indptr, x.shape[1]


def check(x, dense, centers, weights, shift=None, rtol=1e-5):
    inertia, labels, sums, weight = assign(x, centers, weights, shift)
    d, w = squares(dense, centers), np.ones(len(dense)) if weights is None else weights
    if len(dense):
        assert labels.min() >= 0
        assert labels.max() < len(centers)
        chosen, best = d[np.arange(len(d)), labels], d.min(1)
        assert (chosen <= best + rtol * (1 + best)).all()
        np.testing.assert_allclose(inertia, (w * chosen).sum(), rtol=1e-12, atol=1e-12)
    else:
        assert inertia == 0
    one_hot = (labels[:, None] == np.arange(len(centers))) * w[:, None]
    np.testing.assert_allclose(sums, one_hot.T @ dense.astype(np.float64), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(weight, one_hot.sum(0), rtol=1e-12)
    assert assign(x, centers, weights, shift, sums=False)[0] == inertia


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("k", [1, 2, 3, 5, 12, 13, 40, 101])
def test_every_row_goes_to_its_nearest_centre(shape, k, dtype, level):
    centers = normal((k, shape[1]), dtype, seed=1)
    weights = np.random.default_rng(2).random(shape[0])
    every = layouts(normal(shape, dtype))
    some = every if k in (3, 13) else {name: every[name] for name in ("row-major", "column-major")}
    for x in some.values():
        check(x, x, centers, None)
        check(x, x, centers, weights, shift=normal(shape[1], seed=3))


def test_of_equally_near_centres_the_first_is_taken(dtype, level):
    x = np.repeat(np.arange(5, dtype=dtype)[:, None], 3, axis=1).repeat(9, axis=0)
    for k in range(2, 40):
        assert (assign(x, np.zeros((k, 3), dtype))[1] == 0).all()
        centers = np.full((k, 3), 9, dtype)
        centers[k // 2 :] = 1
        assert (assign(x, centers)[1] == k // 2).sum() >= 18


def test_float32_rows_far_from_the_origin_find_their_centre_through_the_shift(level):
    truth = np.random.default_rng(0).integers(0, 20, 5000)
    centers = (np.arange(20)[:, None] * 2 + 1e6).repeat(4, 1).astype(np.float32)
    x = (centers[truth] + np.random.default_rng(1).uniform(-0.5, 0.5, (5000, 4))).astype(np.float32)
    inertia, labels, _, _ = assign(x, centers, shift=x.mean(0, dtype=np.float64))
    np.testing.assert_array_equal(labels, truth)
    np.testing.assert_allclose(inertia, squares(x, centers).min(1).sum(), rtol=1e-12)


def test_more_centres_than_rows_and_rows_of_weight_zero(dtype, level):
    x, centers = normal((3, 4), dtype), normal((50, 4), dtype, seed=1)
    check(x, x, centers, np.array([0.0, 1.0, 0.0]))


def test_sums_are_added_to_what_is_there(dtype, level):
    x, centers = normal((100, 4), dtype), normal((3, 4), dtype, seed=1)
    sums, weight = np.ones((3, 4)), np.ones(3)
    _core.assign_and_sum(x, None, centers, np.zeros(4), None, sums, weight)
    _, _, whole, whole_weight = assign(x, centers)
    np.testing.assert_allclose(sums, whole + 1, rtol=1e-12)
    np.testing.assert_allclose(weight, whole_weight + 1)


def test_labels_are_always_valid_even_when_scores_overflow(level):
    x = np.full((40, 3), 3e38, np.float32)
    labels = assign(x, np.full((5, 3), -3e38, np.float32))[1]
    assert ((labels >= 0) & (labels < 5)).all()


def test_bits_do_not_depend_on_threads(dtype, level):
    x, centers = normal((30_000, 9), dtype), normal((17, 9), dtype, seed=1)
    weights = np.random.default_rng(2).random(len(x))
    same_for_any_threads(lambda: assign(x, centers, weights))
    small = sparse.random(5000, 40, 0.1, "csr", dtype, np.random.default_rng(1))
    same_for_any_threads(lambda: assign(small, normal((17, 40), dtype)))
    near, potentials = np.full(len(x), 10.0), np.empty(17)

    def potential():
        _core.update_nearest(x, weights, centers, near, potentials)
        return [potentials]

    same_for_any_threads(potential)


@pytest.mark.parametrize("offset", [np.int32, np.int64])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (50, 7), (700, 61)])
def test_sparse_rows_give_what_dense_rows_give(shape, offset, dtype, level):
    x = sparse.random(*shape, 0.2, "csr", dtype, np.random.default_rng(0))
    x.indptr = x.indptr.astype(offset)
    dense = x.toarray()
    for k in (1, 3, 16, 100, 300):
        centers = normal((k, shape[1]), dtype, seed=1)
        check(x, dense, centers, None)
        check(x, dense, centers, np.random.default_rng(2).random(shape[0]))


@pytest.mark.parametrize("shape", SHAPES)
def test_distances_are_numpys(shape, dtype, level):
    for k in (1, 7, 30):
        centers = normal((k, shape[1]), dtype, seed=1, shift=1000)
        for x in layouts(normal(shape, dtype, shift=1000)).values():
            out = np.full((shape[0], k), -1.0)
            _core.distances_to_centers(x, centers, out)
            np.testing.assert_allclose(out, np.sqrt(squares(x, centers)), rtol=1e-13, atol=1e-13)
        x = sparse.random(*shape, 0.3, "csr", dtype, np.random.default_rng(0))
        out = np.full((shape[0], k), -1.0)
        _core.distances_to_centers_csr(*parts(x), centers, out)
        np.testing.assert_allclose(out, np.sqrt(squares(x.toarray(), centers)), rtol=1e-12, atol=1e-12)


def test_a_row_that_is_a_centre_is_at_distance_zero(dtype, level):
    x = normal((60, 11), dtype, shift=1e4)
    nearest = np.full(60, np.inf)
    for row in x:
        _core.lower_nearest(x, row, nearest)
    np.testing.assert_array_equal(nearest, 0)
    s = sparse.random(60, 31, 0.3, "csr", dtype, np.random.default_rng(0))
    nearest = np.full(60, np.inf)
    for row in s.toarray():
        _core.lower_nearest_csr(*parts(s), row, nearest)
    np.testing.assert_array_equal(nearest, 0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_potentials_and_lowered_distances_are_numpys(shape, far, dtype, level):
    rng = np.random.default_rng(4)
    rtol = 1e-5 if dtype == np.float32 else 1e-12
    for m in (1, 6, 15):
        candidates = normal((m, shape[1]), dtype, seed=1, shift=far)
        for weights in (None, rng.random(shape[0])):
            w = np.ones(shape[0]) if weights is None else weights
            for x in layouts(normal(shape, dtype, shift=far)).values():
                d = squares(x, candidates)
                nearest = rng.random(shape[0]) * d.mean() if len(d) else np.empty(0)
                before, potentials = nearest.copy(), np.full(m, -1.0)
                _core.update_nearest(x, weights, candidates, nearest, potentials)
                np.testing.assert_array_equal(nearest, before)
                wanted = (w[:, None] * np.minimum(nearest[:, None], d)).sum(0)
                np.testing.assert_allclose(potentials, wanted, rtol=rtol, atol=1e-12)
                _core.lower_nearest(x, candidates[0], nearest)
                np.testing.assert_allclose(nearest, np.minimum(before, d[:, 0]), rtol=rtol, atol=1e-12)


def test_sparse_potentials_and_lowered_distances_are_numpys(dtype, level):
    x = sparse.random(300, 40, 0.2, "csr", dtype, np.random.default_rng(0))
    candidates, weights = normal((5, 40), dtype), np.random.default_rng(1).random(300)
    d = squares(x.toarray(), candidates)
    nearest, potentials = d.mean(1), np.empty(5)
    _core.update_nearest_csr(*parts(x), weights, candidates, nearest, potentials)
    np.testing.assert_allclose(potentials, (weights[:, None] * np.minimum(nearest[:, None], d)).sum(0), rtol=1e-12)
    lowered = nearest.copy()
    _core.lower_nearest_csr(*parts(x), candidates[2], lowered)
    np.testing.assert_allclose(lowered, np.minimum(nearest, d[:, 2]), rtol=1e-12)


@pytest.mark.parametrize("count", [0, 1, 5, 40])
def test_farthest_rows_are_those_of_a_full_sort(count, dtype, level):
    whole = np.random.default_rng(0).integers(0, 3, (40, 4)).astype(dtype)  # many equal distances
    centers, labels = whole[:3].copy(), np.random.default_rng(1).integers(0, 3, 40).astype(np.int32)
    d = squares(whole, centers)[np.arange(40), labels]
    wanted = np.lexsort((np.arange(40), -d))[:count]
    for kernel, x in ((_core.farthest_rows, (y,)) for y in layouts(whole).values() if y.strides[0] and y.strides[1]):
        rows, distances = np.empty(count, np.int64), np.empty(count)
        kernel(*x, centers, labels, rows, distances)
        np.testing.assert_array_equal(rows, wanted)
        np.testing.assert_array_equal(distances, d[wanted])
    rows, distances = np.empty(count, np.int64), np.empty(count)
    _core.farthest_rows_csr(*parts(sparse.csr_array(whole)), centers, labels, rows, distances)
    np.testing.assert_array_equal(rows, wanted)


def test_farthest_rows_of_a_large_table(dtype):
    x, centers = normal((20_000, 3), dtype), normal((4, 3), dtype, seed=1)
    labels = assign(x, centers)[1]
    rows, distances = np.empty(100, np.int64), np.empty(100)
    _core.farthest_rows(x, centers, labels, rows, distances)
    d = squares(x, centers)[np.arange(len(x)), labels]
    np.testing.assert_array_equal(rows, np.argsort(-d, kind="stable")[:100])


def test_labels_and_counts_out_of_range_are_refused():
    x, centers = np.ones((3, 2)), np.ones((2, 2))
    for bad in (-1, 2):
        with pytest.raises(ValueError, match=f"Row 1 has the label {bad}"):
            _core.farthest_rows(x, centers, np.array([0, bad, 0], np.int32), np.empty(1, np.int64), np.empty(1))
    with pytest.raises(ValueError, match="at most 3"):
        _core.farthest_rows(x, centers, np.zeros(3, np.int32), np.empty(4, np.int64), np.empty(4))


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([0, 5], [0, 1, 2]), ([0, -1], [0, 1, 2]), ([0, 1], [0, 1, 3]), ([0, 1], [0, 2, 1]), ([0, 1], [-1, 1, 2])],
)
def test_sparse_rows_that_point_outside_are_refused(indices, indptr):
    row = (np.ones(2), np.array(indices, np.int32), np.array(indptr, np.int32), 5)
    for call in (
        lambda: _core.assign_and_sum_csr(*row, None, np.ones((3, 5)), None, None, None),
        lambda: _core.predict_linear_csr(*row, np.ones(5), 0.0, np.empty(2)),
        lambda: _core.lower_nearest_csr(*row, np.ones(5), np.ones(2)),
    ):
        with pytest.raises(ValueError, match="of the sparse matrix points outside"):
            call()


def test_wrong_shapes_are_refused_by_name():
    x, shift = np.ones((4, 2)), np.zeros(2)
    with pytest.raises(ValueError, match=r"'centers' is 3 × 5. Expected 3 × 2"):
        _core.assign_and_sum(x, None, np.ones((3, 5)), shift, None, None, None)
    with pytest.raises(ValueError, match="'centers' has no rows"):
        _core.assign_and_sum(x, None, np.ones((0, 2)), shift, None, None, None)
    with pytest.raises(ValueError, match="come together"):
        _core.assign_and_sum(x, None, np.ones((3, 2)), shift, None, np.zeros((3, 2)), None)
    with pytest.raises(ValueError, match=r"'labels' has the length 3. Expected 4"):
        _core.assign_and_sum(x, None, np.ones((3, 2)), shift, np.zeros(3, np.int32), None, None)
    with pytest.raises(TypeError):
        _core.assign_and_sum(x, None, np.ones((3, 2), np.float32), shift, None, None, None)
    with pytest.raises(ValueError, match=r"'indices' has the length 1. Expected 2"):
        _core.lower_nearest_csr(np.ones(2), np.zeros(1, np.int32), np.zeros(3, np.int32), 2, np.ones(2), np.ones(2))


@pytest.mark.parametrize("n", [1, 7, 5000, 50_000])
def test_picks_fall_where_the_running_sum_passes_the_target(n):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 4, n).astype(np.float64)  # whole numbers: sums are exact
    values[-1] = 1
    for weights in (None, rng.integers(0, 3, n).astype(np.float64)):
        running = np.cumsum(values if weights is None else weights * values)
        if running[-1] == 0:
            continue
        targets = np.concatenate([[0.0], rng.random(200) * running[-1], running[:-1][running[:-1] < running[-1]][:50]])
        out = np.empty(len(targets), np.int64)
        _core.weighted_pick(values, weights, targets, out)
        np.testing.assert_array_equal(out, np.searchsorted(running, targets, side="right"))


def test_picks_never_fall_on_a_row_without_mass():
    values = np.zeros(10_000)
    out = np.empty(3, np.int64)
    _core.weighted_pick(values, None, np.array([0.0, 1.0, -1.0]), out)
    np.testing.assert_array_equal(out, -1)
    values[[77, 6000]] = 0.1
    _core.weighted_pick(values, None, np.array([0.0, 0.15, 99.0]), out)
    np.testing.assert_array_equal(out, [77, 6000, 6000])
