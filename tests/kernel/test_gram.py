"""Gram matrices and what is one."""

import numpy as np
import pytest

import learnt
from learnt import Kernel, gram, is_kernel, kernel_target_alignment
from learnt.errors import InputError


def test_gram_takes_frames_names_kernels_and_functions():
    table = {"a": [0.0, 1.0, 2.0], "b": [1.0, 1.0, 0.0]}
    x = np.column_stack([table["a"], table["b"]])
    np.testing.assert_allclose(gram(table, kernel="linear"), x @ x.T)
    np.testing.assert_allclose(gram(table, kernel=Kernel("linear") + Kernel("linear")), 2 * x @ x.T)
    np.testing.assert_allclose(gram(x, x[:1], kernel=lambda a, b: a @ b.T), x @ x[:1].T)
    with pytest.raises(InputError, match="Kernels take numbers"):
        gram({"a": ["x", "y"]})


@pytest.mark.parametrize("name", ["linear", "polynomial", "rbf", "laplacian", "cosine"])
def test_kernels_are_kernels(name):
    x = np.random.default_rng(2).normal(size=(60, 4))
    assert is_kernel(gram(x, kernel=name, gamma=0.5, coef0=1.0))


def test_what_is_no_kernel_comes_with_a_counterexample():
    x = np.random.default_rng(2).normal(size=(60, 4)) * 3
    K = gram(x, kernel="sigmoid", gamma=1.0, coef0=-1.0)
    found = is_kernel(K)
    assert not found
    assert found.vector @ K @ found.vector < 0
    assert found.vector @ K @ found.vector == pytest.approx(found.smallest)
    assert "is below 0" in str(found)


def test_asymmetry_and_shapes_are_told():
    found = is_kernel([[1.0, 0.0], [0.5, 1.0]])
    assert not found
    assert "not symmetric, cells differ by up to 0.5" in str(found)
    with pytest.raises(InputError, match="Expected a square matrix"):
        is_kernel(np.ones((2, 3)))
    with pytest.raises(InputError, match="missing or infinite"):
        is_kernel([[np.nan]])


def test_a_kernel_of_rounding_is_still_one():
    x = np.random.default_rng(0).normal(size=(300, 3))  # rank 3: 297 eigenvalues are 0 but for rounding
    assert is_kernel(x @ x.T)


def test_alignment_is_the_cosine_with_the_ideal_kernel():
    y = np.array(["a", "a", "b", "b"])
    ideal = np.where(y[:, None] == y[None], 1.0, -1.0)
    assert kernel_target_alignment(ideal, y) == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    K = gram(rng.normal(size=(4, 2)), kernel="rbf")
    plain = kernel_target_alignment(K, y, centered=False)
    assert plain == pytest.approx((K * ideal).sum() / (np.linalg.norm(K) * np.linalg.norm(ideal)))
    assert kernel_target_alignment(np.full((4, 4), 7.0), y) == 0.0


def test_alignment_tells_which_gamma_is_better_on_a_real_table():
    iris = learnt.datasets.load("iris")
    x = np.column_stack([iris[n].values for n in iris.names[:4]])
    y = iris[iris.names[-1]].labels()
    good, bad = (kernel_target_alignment(gram(x, kernel="rbf", gamma=g), y) for g in (0.5, 1e-6))
    assert good > bad - 1e-9
