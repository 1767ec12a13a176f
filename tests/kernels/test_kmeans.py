"""Kernels of k-means beside the plain pass: bounds change nothing, exchange is Hartigan's, sums are sums."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal

from learnt import _core


def rounds(x, centers, group, count, shift):
    """Labels, sums and inertia round by round, by bounds and plainly."""
    k, n = len(centers), len(x)
    order = np.empty(k, np.int32)
    _core.group_centers(np.ascontiguousarray(centers, x.dtype), group, order)
    labels, upper, norms = np.zeros(n, np.int32), np.empty(n, x.dtype), np.empty(n, x.dtype)
    lower = np.empty((n, -(-k // group)), x.dtype)
    before = None
    for _ in range(count):
        now = np.ascontiguousarray(centers, x.dtype)
        pairs = _core.assign_bounded(x, now, before, shift, order, group, labels, upper, lower, norms)
        sums, weight = np.zeros(now.shape), np.zeros(k)
        inertia = _core.sum_labelled(x, None, now, labels, sums, weight)
        plain, wanted, heavy = np.empty(n, np.int32), np.zeros(now.shape), np.zeros(k)
        expected = _core.assign_and_sum(x, None, now, shift, plain, wanted, heavy)
        yield (labels, sums, weight, inertia), (plain, wanted, heavy, expected), now, pairs / lower.size
        before, centers = now, np.where(heavy[:, None] > 0, wanted / np.maximum(heavy, 1)[:, None], centers)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("n", "p", "k", "group"), [(1, 1, 1, 1), (700, 1, 30, 7), (900, 3, 100, 48), (600, 33, 130, 16)]
)
def test_bounds_give_the_labels_of_plain_rounds_to_the_bit(level, dtype, n, p, k, group):
    x = np.random.default_rng(n).normal(size=(n, p)).astype(dtype)
    start = x[np.random.default_rng(1).integers(n, size=k)].astype(np.float64)
    for ours, plain, *_ in rounds(x, start, group, 12, x.mean(axis=0).astype(np.float64)):
        for found, wanted in zip(ours, plain, strict=True):
            assert_array_equal(found, wanted)


def test_ties_and_copies_fall_alike():
    x = np.repeat(np.arange(12.0).reshape(6, 2), 50, axis=0)  # centres between rows, rows between centres
    start = np.vstack([np.arange(20.0).reshape(10, 2) - 0.5, np.arange(20.0).reshape(10, 2) - 0.5])
    for ours, plain, *_ in rounds(x, start, 4, 5, np.zeros(2)):
        assert_array_equal(ours[0], plain[0])


@pytest.mark.parametrize("far", [1e2, 1e6])
def test_far_from_the_origin_bounds_stay_true(far):
    x = (np.random.default_rng(0).normal(size=(500, 4)) + far).astype(np.float32)
    # Squares of large numbers leave few digits of a distance in single precision, and none at 1e6. Rows that are nearer
    # to one centre by more than that must get it, whatever bounds say.
    lost = 16 * np.finfo(np.float32).eps * float((x.astype(float) ** 2).sum(axis=1).max())
    for ours, _, centers, share in rounds(x, x[:60].astype(float), 8, 8, np.zeros(4)):
        square = ((x.astype(float)[:, None] - centers.astype(float)) ** 2).sum(axis=2)
        nearest, next_to_it = np.sort(square, axis=1)[:, :2].T
        clear = next_to_it - nearest > lost
        assert_array_equal(ours[0][clear], square.argmin(axis=1)[clear])
        assert clear.mean() > 0.7 if far < 1e3 else share == 1  # without digits nothing is left out


def test_once_clusters_are_found_hardly_anything_is_compared():
    rng = np.random.default_rng(0)
    middles = 50 * rng.normal(size=(64, 8))
    x = np.repeat(middles, 30, axis=0) + rng.normal(size=(64 * 30, 8))
    shares = [share for *_, share in rounds(x, middles + 1, 8, 6, x.mean(axis=0))]
    assert shares[0] == 1
    assert shares[-1] < 0.01


def plain_sweep(x, weights, labels, k):
    """Hartigan's rule with means taken anew for every row."""
    labels, moves = labels.copy(), 0
    for i in range(len(x)):
        a, w = labels[i], weights[i]
        weight = np.bincount(labels, weights, k)
        if w == 0 or weight[a] - w <= 1e-12 * weight[a]:
            continue
        means = np.array([np.average(x[labels == c], axis=0, weights=weights[labels == c]) if weight[c] > 0 else x[0]
                          for c in range(k)])  # fmt: skip
        square = ((x[i] - means) ** 2).sum(axis=1)
        cost = weight / (weight + w) * square
        cost[a] = np.inf
        if cost.min() < weight[a] / (weight[a] - w) * square[a] * (1 - 1e-10):
            labels[i] = cost.argmin()
            moves += 1
    return labels, moves


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sweep_moves_the_rows_a_plain_loop_moves(dtype, sparse, weighted):
    rng = np.random.default_rng(3)
    x = (rng.normal(size=(120, 6)) * (rng.random((120, 6)) < 0.6)).astype(dtype)
    weights = rng.integers(0, 4, 120).astype(float) if weighted else np.ones(120)
    labels = rng.integers(0, 5, 120).astype(np.int32)
    for _ in range(4):
        wanted, moves = plain_sweep(x.astype(float), weights, labels, 5)
        weight = np.bincount(labels, weights, 5)
        sums = np.zeros((5, 6))
        np.add.at(sums, labels, weights[:, None] * x.astype(float))
        given = weights if weighted else None
        if sparse:
            csr = scipy.sparse.csr_matrix(x)
            found = _core.exchange_rows_csr(csr.data, csr.indices, csr.indptr, 6, given, sums, weight, labels)
        else:
            found = _core.exchange_rows(x, given, sums, weight, labels)
        assert found == moves
        assert_array_equal(labels, wanted)


@pytest.mark.parametrize("columns", [30, 40_000])  # few columns: slots of blocks; many: cluster by cluster
def test_sparse_sums_are_those_of_dense_rows(columns):
    rng = np.random.default_rng(0)
    cells = (rng.normal(size=60_000), (rng.integers(3000, size=60_000), rng.integers(columns, size=60_000)))
    x = scipy.sparse.csr_matrix(cells, shape=(3000, columns))
    weights = np.random.default_rng(0).uniform(size=3000)
    centers = np.random.default_rng(1).normal(size=(20, columns)) * (np.arange(columns) < 30)
    labels, sums, weight = np.empty(3000, np.int32), np.zeros((20, columns)), np.zeros(20)
    csr = (x.data, x.indices, x.indptr, columns)
    inertia = _core.assign_and_sum_csr(*csr, weights, centers, labels, sums, weight)
    hot = scipy.sparse.csr_matrix((weights, (labels, np.arange(3000))), shape=(20, 3000))
    assert_allclose(sums, (hot @ x).toarray(), atol=1e-12)
    assert_allclose(weight, np.bincount(labels, weights, 20), rtol=1e-12)
    square = x.multiply(x).sum(axis=1).A1[:, None] - 2 * x @ centers.T + (centers**2).sum(axis=1)
    assert_array_equal(labels, square.argmin(axis=1))
    assert inertia == pytest.approx(weights @ square.min(axis=1))
    again, heavy = np.zeros_like(sums), np.zeros(20)
    assert _core.sum_labelled_csr(*csr, weights, centers, labels, again, heavy) == pytest.approx(inertia)
    assert_allclose(again, sums, atol=1e-12)


def test_wrong_arguments_are_told():
    x, centers = np.zeros((3, 2)), np.zeros((2, 2))
    labels = np.array([0, 1, 2], np.int32)
    with pytest.raises(ValueError, match="Row 2 has the label 2"):
        _core.sum_labelled(x, None, centers, labels, np.zeros((2, 2)), np.zeros(2))
    with pytest.raises(ValueError, match="Row 2 has the label 2"):
        _core.exchange_rows(x, None, np.zeros((2, 2)), np.zeros(2), labels)
    order, rest = np.zeros(2, np.int32), (np.zeros(3), np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(ValueError, match="'order' does not hold every centre once"):
        _core.assign_bounded(x, centers, None, np.zeros(2), order, 1, labels, *rest)
    order[:] = [1, 0]
    with pytest.raises(ValueError, match="none of the centres"):
        _core.assign_bounded(x, centers, centers, np.zeros(2), order, 1, labels, *rest)
