"""Leading eigenvectors from products alone, against NumPy's of the whole matrix."""

import numpy as np
import pytest
from scipy import sparse

from learnt.reduce.axes import largest_eigenpairs
from learnt.reduce.leading import drive, leading
from learnt.reduce.sparse_rows import SparseRows


def matrices():
    rng = np.random.default_rng(0)
    for n, rank in ((120, 120), (120, 6), (120, 40), (50, 3), (1, 1)):
        a = rng.normal(size=(n, rank))
        yield a @ a.T
    yield np.zeros((60, 60))
    yield np.diag(np.repeat([3.0, 2.0, 1.0], 40))  # every eigenvalue is there forty times
    yield np.diag(2.0 ** -np.arange(60.0))


@pytest.mark.parametrize("width", [None, 8])
@pytest.mark.parametrize("count", [1, 5, 25])
def test_they_are_those_of_the_whole_matrix(width, count):
    for c in matrices():
        k = min(count, len(c))
        found = drive(leading(len(c), k, 0, tol=1e-9, max_iter=400, width=width), lambda q, c=c: c @ q)
        expected = np.linalg.eigvalsh(c)[::-1][:k]
        scale = max(expected[0], 1e-300)
        assert found.converged
        np.testing.assert_allclose(found.values / scale, expected / scale, atol=1e-9)
        np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-12)
        assert np.abs(c @ found.vectors - found.vectors * found.values).max() <= 1e-8 * scale


@pytest.mark.parametrize("shape", [(30, 200), (200, 30), (12, 12)])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_rows_are_multiplied_as_if_they_were_centred(shape, weighted):
    rng = np.random.default_rng(1)
    dense = rng.normal(size=shape) * (rng.random(shape) < 0.3)
    weights = rng.integers(0, 3, shape[0]).astype(float) if weighted else None
    mean = np.average(dense, axis=0, weights=weights)
    a = (dense - mean) * (1.0 if weights is None else np.sqrt(weights)[:, None])
    rows = SparseRows(sparse.csr_matrix(dense), mean, weights)
    q, v = rng.normal(size=(shape[1], 3)), rng.normal(size=(shape[0], 3))
    np.testing.assert_allclose(rows.times(q), a @ q, atol=1e-12)
    np.testing.assert_allclose(rows.back(v), a.T @ v, atol=1e-12)
    found = rows.leading(10, 0, tol=1e-10, max_iter=100, learner="")
    sizes, axes = np.linalg.svd(a)[1:]
    np.testing.assert_allclose(found.values, sizes[:10] ** 2, atol=1e-8 * sizes[0] ** 2)
    clear = sizes[:10] > 1e-3 * sizes[0]
    np.testing.assert_allclose(np.abs((found.vectors.T * axes[:10]).sum(axis=1))[clear], 1, rtol=1e-6)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(10), atol=1e-8)


def test_an_early_end_says_so():
    c = np.diag(np.linspace(1, 2, 500))
    found = drive(leading(500, 3, 0, tol=1e-12, max_iter=1), lambda q: c @ q)
    assert not found.converged
    assert found.vectors.shape == (500, 3)


def test_the_largest_of_many_equal_eigenvalues_are_all_found():
    for n in range(8, 60):
        for size in (0.3, 0.9, 1.0, 20 / 21):
            values, vectors = largest_eigenpairs(size * (np.eye(n) - 1 / n), 2)
            np.testing.assert_allclose(values, size, rtol=1e-12)
            np.testing.assert_allclose(vectors.T @ vectors, np.eye(2), atol=1e-12)
