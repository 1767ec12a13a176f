"""Kernels against their formulas and scikit-learn's."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise

from learnt import Kernel, KernelPCA, NystroemFeatures
from learnt.errors import InputError, ParameterError
from learnt.kernel.functions import FunctionKernel

X = np.random.default_rng(0).normal(size=(37, 6))
Z = np.random.default_rng(1).normal(size=(21, 6))
THEIRS = {
    "linear": pairwise.linear_kernel,
    "polynomial": lambda a, b: pairwise.polynomial_kernel(a, b, degree=3, gamma=0.3, coef0=0.7),
    "rbf": lambda a, b: pairwise.rbf_kernel(a, b, gamma=0.3),
    "sigmoid": lambda a, b: pairwise.sigmoid_kernel(a, b, gamma=0.3, coef0=0.7),
    "laplacian": lambda a, b: pairwise.laplacian_kernel(a, b, gamma=0.3),
    "cosine": pairwise.cosine_similarity,
}


@pytest.mark.parametrize("name", THEIRS)
def test_values_are_those_of_scikit_learn_dense_and_sparse(name):
    kernel = Kernel(name, gamma=0.3, coef0=0.7, degree=3)
    expected = THEIRS[name](X, Z)
    np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-12, atol=1e-13)
    holes = np.where(np.abs(X) < 0.5, 0.0, X)
    few = sparse.csr_matrix(holes)
    np.testing.assert_allclose(kernel(few, sparse.csr_matrix(Z)), THEIRS[name](holes, Z), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", THEIRS)
def test_a_gram_matrix_is_symmetric_to_the_bit(name):
    found = Kernel(name, gamma=0.3)(X)
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("name", THEIRS)
def test_the_bits_of_a_pair_do_not_depend_on_the_rows_beside_it(name):
    kernel = Kernel(name, gamma=0.3, coef0=0.7)
    whole = kernel(X, Z)
    alone = np.array([[kernel(X[i : i + 1], Z[j : j + 1])[0, 0] for j in range(len(Z))] for i in range(5)])
    assert np.array_equal(whole[:5], alone)


def test_sums_products_and_multiples_are_kernels():
    a, b = Kernel("rbf", gamma=0.2), Kernel("linear")
    np.testing.assert_allclose((a + b)(X, Z), a(X, Z) + b(X, Z))
    np.testing.assert_allclose((a * b)(X, Z), a(X, Z) * b(X, Z))
    np.testing.assert_allclose((3 * a)(X, Z), 3 * a(X, Z))
    assert str(2 * (a + b)) == "2 × (rbf + linear)"


def test_gamma_left_out_is_one_over_the_number_of_columns():
    np.testing.assert_allclose(Kernel("rbf")(X, Z), pairwise.rbf_kernel(X, Z))


def test_a_row_of_zeros_has_no_direction():
    assert Kernel("cosine")(np.zeros((1, 3)), np.ones((1, 3))).tolist() == [[0.0]]


def test_names_of_others_are_understood_and_others_refused():
    assert Kernel("poly").name == "polynomial"
    with pytest.raises(ParameterError, match="There is no kernel 'spline'"):
        Kernel("spline")
    with pytest.raises(ParameterError, match="gamma is -1"):
        Kernel("rbf", gamma=-1)
    with pytest.raises(ParameterError, match="no kernel"):
        Kernel("rbf") * -2.0


def test_a_function_of_the_user_is_checked():
    def short(a, b):
        return np.zeros((len(a), 1))

    def missing(a, b):
        found = a @ b.T
        found[2, 1] = np.nan
        return found

    with pytest.raises(InputError, match="'short' gave an array of shape"):
        FunctionKernel(short)(X, Z)
    with pytest.raises(InputError, match="'missing' gave nan for rows 2 and 1"):
        FunctionKernel(missing)(X, Z)


@pytest.mark.parametrize("learner", [KernelPCA, NystroemFeatures])
def test_rows_for_which_a_kernel_overflows_on_both_sides_are_refused(learner):
    model = learner(n_components=2, kernel="polynomial").fit(np.random.default_rng(0).normal(size=(30, 3)))
    with pytest.raises(InputError, match="Row 1 holds values so large that the kernel overflows"):
        model.transform([[0.0, 0.0, 0.0], [1.7e308, -1.7e308, 1.7e308]])
