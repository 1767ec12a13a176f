"""The kernel perceptron: the dual by hand, exclusive or, and its limits."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from learnt import DualPerceptron, KernelPerceptron
from learnt.errors import ConvergenceWarning, InputError

AND = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}


def rings(n=120, seed=0):
    rng = np.random.default_rng(seed)
    angle, inner = rng.uniform(0, 2 * np.pi, n), rng.random(n) < 0.5
    far = np.where(inner, 1.0, 3.0) + 0.2 * rng.normal(size=n)
    return np.column_stack([far * np.cos(angle), far * np.sin(angle)]), np.where(inner, 1, -1)


def by_hand(gram, y, epochs):
    """The dual as it stands in books: the sum over all rows for every test."""
    alpha = np.zeros(len(y))
    for _ in range(epochs):
        wrong = 0
        for i in range(len(y)):
            if y[i] * ((alpha * y) @ gram[:, i]) <= 0:
                alpha[i] += 1
                wrong += 1
        if not wrong:
            break
    return alpha


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf"])
@pytest.mark.parametrize("storage", [np.asarray, csr_matrix])
def test_counts_and_scores_are_those_by_hand(kernel, storage):
    x, y = rings()
    products = {
        "linear": x @ x.T,
        "polynomial": polynomial_kernel(x, degree=2, gamma=0.5, coef0=1.5),
        "rbf": rbf_kernel(x, gamma=0.5),
    }[kernel]
    gram = products + 1
    alpha = by_hand(gram, y, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelPerceptron(kernel=kernel, degree=2, gamma=0.5, coef0=1.5, standardize=False, max_epochs=30).fit(
            storage(x), y
        )
    np.testing.assert_array_equal(model.support_, np.flatnonzero(alpha))
    np.testing.assert_array_equal(model.alpha_, alpha[alpha > 0])
    np.testing.assert_allclose(model.decision_function(storage(x)), (alpha * y) @ gram, rtol=1e-9, atol=1e-9)


def test_the_linear_kernel_is_the_dual_perceptron():
    model = KernelPerceptron(kernel="linear", standardize=False).fit(AND, [-1, -1, -1, 1])
    assert model.alpha_.tolist() == DualPerceptron().fit(AND, [-1, -1, -1, 1]).alpha_.tolist() == [2, 5, 4, 7]


@pytest.mark.parametrize("kernel", ["polynomial", "rbf"])
def test_exclusive_or_is_separated(kernel):
    model = KernelPerceptron(kernel=kernel, degree=2).fit(AND, [0, 1, 1, 0])
    assert model.converged_
    assert model.predict(AND).tolist() == [0, 1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="Another kernel"):
        KernelPerceptron(kernel="linear").fit(AND, [0, 1, 1, 0])


def test_rings_are_separated_and_new_rows_found():
    x, y = rings()
    new, truth = rings(seed=1)
    assert KernelPerceptron().fit(x, y).score(new, truth) > 0.97


def test_only_mistakes_are_remembered():
    x, y = rings()
    model = KernelPerceptron().fit(x, y)
    assert len(model.support_) < len(x) / 2
    assert model._rows.shape == (len(model.support_), 2)


def test_more_rows_than_fit_are_refused_before_any_work():
    with pytest.raises(InputError, match="20000 rows"):
        KernelPerceptron().fit(np.zeros((20_000, 1)), np.arange(20_000) % 2)


def test_products_that_overflow_are_refused_with_advice():
    x, y = rings()
    with pytest.raises(InputError, match="standardize"):
        KernelPerceptron(kernel="polynomial", degree=9, gamma=1.0, standardize=False).fit(x * 1e40, y)
