"""Graphs of neighbours: the labels of scikit-learn on dense problems, and the formulas by direct solution."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.semi_supervised import LabelPropagation as TheirPropagation
from sklearn.semi_supervised import LabelSpreading as TheirSpreading

from learnt.semi_supervised.graph import conjugate_gradients, neighbor_weights, propagate, spread, symmetric_graph


def problem(seed, n=60, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + np.repeat(2 * rng.normal(size=(classes, 2)), n // classes, axis=0)
    codes = np.where(rng.random(n) < 0.2, np.repeat(np.arange(classes), n // classes), -1)
    codes[:: n // classes] = np.arange(classes)
    given = np.zeros((n, classes))
    given[codes >= 0, codes[codes >= 0]] = 1
    return X, codes, given


def shares(found):
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(5))
def test_propagation_on_a_dense_graph_is_that_of_scikit_learn(seed):
    X, codes, given = problem(seed)
    theirs = TheirPropagation(gamma=0.7, max_iter=100_000, tol=1e-13).fit(X, codes)
    ours = propagate(csr_matrix(rbf_kernel(X, gamma=0.7)), given, np.flatnonzero(codes >= 0))
    np.testing.assert_allclose(shares(ours), theirs.label_distributions_, atol=1e-7)


@pytest.mark.parametrize("alpha", [0.2, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_spreading_on_a_dense_graph_is_that_of_scikit_learn(seed, alpha):
    X, codes, given = problem(seed)
    theirs = TheirSpreading(gamma=0.7, alpha=alpha, max_iter=100_000, tol=1e-13).fit(X, codes)
    weights = rbf_kernel(X, gamma=0.7)
    np.fill_diagonal(weights, 0)
    ours = spread(csr_matrix(weights), given, alpha)
    np.testing.assert_allclose(shares(ours), theirs.label_distributions_, atol=1e-7)


def test_rows_that_no_path_reaches_get_nothing():
    graph = csr_matrix(np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], float))
    found = propagate(graph, np.array([[1.0, 0], [0, 0], [0, 0], [0, 0]]), np.array([0]))
    np.testing.assert_allclose(found, [[1, 0], [1, 0], [0, 0], [0, 0]])


def test_the_graph_is_symmetric_and_copies_weigh_one():
    neighbors, distances = np.array([[1, 2], [0, 2], [1, 0]]), np.array([[0.0, 1], [0, 1], [1, 1]])
    dense = symmetric_graph(neighbors, distances).toarray()
    np.testing.assert_array_equal(dense, dense.T)
    assert dense[0, 1] == 1
    assert dense[0, 2] == pytest.approx(np.exp(-1))
    assert neighbor_weights(np.array([[0.0, 2.0]]), np.zeros(1), np.zeros((1, 2))).tolist() == [[1.0, 0.0]]
    far = neighbor_weights(np.array([[1e200, 1e200]]), np.array([2e200]), np.array([[5e199, 1e-200]]))
    np.testing.assert_allclose(far, [[np.exp(-1), 0.0]])  # also where squares are beyond all numbers


def test_conjugate_gradients_solve_several_right_sides():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(30, 30))
    matrix, right = root @ root.T + np.eye(30), rng.normal(size=(30, 4))
    right[:, 3] = 0
    found = conjugate_gradients(lambda v: matrix @ v, right, np.diag(matrix)[:, None])
    np.testing.assert_allclose(found, np.linalg.solve(matrix, right), atol=1e-6)
