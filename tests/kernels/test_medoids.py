"""Kernels of silhouettes, medoids and densities against a line of NumPy, at every instruction set and thread count."""

from itertools import pairwise

import numpy as np
import pytest
from tests.kernels.layouts import same_for_any_threads

from learnt import _core

NORMS = {
    "l1": lambda d: np.abs(d).sum(-1),
    "l2": lambda d: np.sqrt((d**2).sum(-1)),
    "max": lambda d: np.abs(d).max(-1),
}
KERNELS = {
    "gaussian": lambda d: np.exp(-(d**2) / 2),
    "exponential": lambda d: np.exp(-d),
    "tophat": lambda d: 1.0 * (d < 1),
    "epanechnikov": lambda d: np.maximum(1 - d**2, 0),
    "linear": lambda d: np.maximum(1 - d, 0),
    "cosine": lambda d: np.where(d < 1, np.cos(np.pi / 2 * d), 0),
    "tricube": lambda d: np.maximum(1 - d**3, 0) ** 3,
}


def sums(norm, x, own, y, start, weights=None):
    found = np.empty(len(x)), np.empty(len(x)), np.empty(len(x), np.int64)
    _core.silhouette_sums(norm, x, own, y, start, weights, *found)
    return found


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(("n", "p", "cuts"), [(2, 1, [1]), (37, 3, [1, 1, 20]), (90, 9, [30, 60]), (33, 40, [])])
def test_sums_to_clusters_are_those_of_all_distances(norm, n, p, cuts):
    rng = np.random.default_rng(n)
    y, w = rng.normal(size=(n, p)), rng.uniform(0.5, 2, n)
    start = np.array([0, *cuts, n])
    own = rng.integers(-1, len(start) - 1, n)
    d = NORMS[norm](y[:, None] - y[None]) * w
    parts = np.stack([d[:, a:b].sum(axis=1) for a, b in pairwise(start)], axis=1)
    sizes = np.array([w[a:b].sum() for a, b in pairwise(start)])
    within, between, neighbour = sums(norm, y, own, y, start, w)
    np.testing.assert_allclose(within, np.where(own < 0, 0, parts[np.arange(n), own]), rtol=1e-12, atol=1e-12)
    means = np.where((sizes > 0)[None], parts / np.where(sizes > 0, sizes, 1), np.inf)
    means[np.arange(n)[own >= 0], own[own >= 0]] = np.inf
    np.testing.assert_allclose(between, means.min(axis=1), rtol=1e-12)
    there = np.isfinite(between)
    np.testing.assert_array_equal(neighbour[there], means.argmin(axis=1)[there])
    assert (neighbour[~there] == -1).all()


def test_sums_have_the_same_bits_for_any_threads():
    y = np.random.default_rng(0).normal(size=(500, 3))
    same_for_any_threads(lambda: sums("l2", y, np.zeros(500, np.int64), y, np.array([0, 100, 500])))


def plain_build(d, w, k):
    medoids, near = [int((d @ w).argmin())], d[int((d @ w).argmin())].copy()
    while len(medoids) < k:
        gain = (w * np.maximum(near - d, 0)).sum(axis=1)
        gain[medoids] = -1
        medoids.append(int(gain.argmax()))
        near = np.minimum(near, d[medoids[-1]])
    return medoids


def plain_swaps(d, w, medoids, eager):
    """Every swap's cost by its definition."""
    n, medoids = len(d), list(medoids)

    def loss(rows):
        return float(w @ d[rows].min(axis=0))

    at, quiet = 0, 0
    while quiet < n:
        best = None
        for _ in range(1 if eager else n):
            c = at % n
            at, quiet = at + 1, quiet + 1
            if c in medoids:
                continue
            costs = [loss([*medoids[:i], c, *medoids[i + 1 :]]) for i in range(len(medoids))]
            if min(costs) < loss(medoids) * (1 - 1e-12) and (best is None or min(costs) < best[0]):
                best = min(costs), int(np.argmin(costs)), c
        if best is not None:
            medoids[best[1]], quiet = best[2], 0
    return medoids


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize(("n", "k"), [(7, 2), (40, 5), (53, 9)])
def test_medoids_are_those_of_the_definition(n, k, eager):
    rng = np.random.default_rng(n + k)
    x, w = rng.normal(size=(n, 2)), rng.uniform(0.5, 2, n)
    d = NORMS["l2"](x[:, None] - x[None])
    medoids = np.empty(k, np.int64)
    _core.build_medoids(d, w, medoids)
    assert medoids.tolist() == plain_build(d, w, k)
    start = rng.choice(n, k, replace=False)
    for threads in (1, 3):
        _core.set_threads(threads)
        rows = start.copy()
        state = rows, np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n), np.empty(n)
        _core.nearest_medoids(d, *state)
        near = np.sort(d[start], axis=0)
        np.testing.assert_array_equal(state[3], near[0])
        np.testing.assert_array_equal(state[4], near[1])
        position = quiet = 0
        while quiet < n:
            position, quiet, _, loss = _core.swap_medoids(d, w, *state, eager, position, quiet)
        assert rows.tolist() == plain_swaps(d, w, start, eager)
        assert loss == pytest.approx(w @ d[rows].min(axis=0), rel=1e-12)


def test_ties_of_the_greedy_start_go_to_the_first_row():
    x = np.random.default_rng(0).integers(0, 3, (60, 2)).astype(float)
    d, medoids = NORMS["l1"](x[:, None] - x[None]), np.empty(12, np.int64)
    _core.build_medoids(d, None, medoids)
    assert medoids.tolist() == plain_build(d, np.ones(60), 12)


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("n", "p"), [(1, 1), (33, 2), (700, 3), (200, 12)])
def test_log_densities_are_those_of_all_pairs(kernel, n, p):
    rng = np.random.default_rng(n)
    x, q, w = rng.normal(size=(n, p)), rng.normal(size=(23, p)) * 1.5, rng.integers(1, 4, n).astype(float)
    q[:5] = x[rng.integers(n, size=5)]
    tree, out = _core.DensityTree(x, w), np.empty(23)
    shape = KERNELS[kernel](NORMS["l2"](q[:, None] - x[None]))
    with np.errstate(divide="ignore"):
        for rtol in (0.0, 1e-6, 1e-2):
            tree.log_densities(kernel, q, None, rtol, out)
            np.testing.assert_allclose(np.exp(out), shape @ w, rtol=max(rtol, 1e-12), atol=1e-14)
        skip = rng.integers(n, size=23)
        tree.log_densities(kernel, q, skip, 0.0, out)
        np.testing.assert_allclose(np.exp(out), shape @ w - shape[np.arange(23), skip], rtol=1e-11, atol=1e-13)


def test_densities_far_away_are_not_lost():
    x, out = np.zeros((40, 2)), np.empty(2)
    tree = _core.DensityTree(x, None)
    tree.log_densities("gaussian", np.array([[100.0, 0.0], [1e6, 0.0]]), None, 1e-8, out)
    np.testing.assert_allclose(out, np.log(40) - np.array([1e4, 1e12]) / 2, rtol=1e-13)
    tree.log_densities("exponential", np.array([[100.0, 0.0], [1e6, 0.0]]), None, 1e-8, out)
    np.testing.assert_allclose(out, np.log(40) - np.array([1e2, 1e6]), rtol=1e-13)


def test_densities_have_the_same_bits_for_any_threads():
    rng = np.random.default_rng(0)
    x, q = rng.normal(size=(3000, 3)), rng.normal(size=(200, 3))

    def run():
        out = np.empty(200)
        _core.DensityTree(x, None).log_densities("gaussian", q, None, 1e-4, out)
        return [out]

    same_for_any_threads(run)


def test_arguments_that_do_not_fit_are_refused():
    x, d = np.zeros((4, 2)), np.zeros((4, 4))
    with pytest.raises(ValueError, match="norm"):
        sums("lp", x, np.zeros(4, np.int64), x, np.array([0, 4]))
    with pytest.raises(ValueError, match="start"):
        sums("l2", x, np.zeros(4, np.int64), x, np.array([0, 3]))
    with pytest.raises(ValueError, match="start"):
        sums("l2", x, np.zeros(4, np.int64), x, np.array([0, 3, 2, 4]))
    with pytest.raises(ValueError, match="own"):
        sums("l2", x, np.full(4, 2), x, np.array([0, 4]))
    state = np.empty(4, np.int32), np.empty(4, np.int32), np.empty(4), np.empty(4)
    for wrong in ([0, 0], [0, 4], [-1, 0]):
        with pytest.raises(ValueError, match="medoids"):
            _core.nearest_medoids(d, np.array(wrong), *state)
    state[0][:] = 7
    with pytest.raises(ValueError, match="nearest_medoids first"):
        _core.swap_medoids(d, None, np.array([0, 1]), *state, True, 0, 0)
    with pytest.raises(ValueError, match="kernel"):
        _core.DensityTree(x, None).log_densities("bell", x, None, 0.0, np.empty(4))
    with pytest.raises(ValueError, match="skip"):
        _core.DensityTree(x, None).log_densities("gaussian", x, np.full(4, 9), 0.0, np.empty(4))
    with pytest.raises(ValueError, match="rows"):
        _core.DensityTree(x[:0], None)
