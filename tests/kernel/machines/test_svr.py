"""Support vector regression against LIBSVM and the conditions it must meet."""

import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVR as TheirSVR

from learnt import SVR
from learnt.errors import ConvergenceWarning


def waves(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    return x, np.sin(2 * x[:, 0]) + x[:, 1] + 0.1 * rng.normal(size=n), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_the_machine_is_libsvms(kernel, epsilon):
    x, y, w = waves()
    settings = {"kernel": kernel, "C": 0.5, "gamma": 0.3, "coef0": 1.0, "epsilon": epsilon, "tol": 1e-9}
    ours = SVR(**settings, standardize=False).fit(x, y, sample_weight=w)
    theirs = TheirSVR(**settings).fit(x, y, sample_weight=w)
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), atol=3e-5)
    assert ours.intercept_ == pytest.approx(theirs.intercept_[0], abs=3e-5)


def test_rows_inside_of_the_tube_do_not_matter():
    x, y, _ = waves()
    model = SVR(C=10.0, epsilon=0.2, tol=1e-9, standardize=False).fit(x, y)
    apart = np.abs(model.predict(x) - y)
    inside = np.setdiff1d(np.arange(len(y)), model.support_)
    assert np.all(apart[inside] <= 0.2 + 1e-6)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    free = (np.abs(beta) > 1e-9) & (np.abs(beta) < 10.0 - 1e-9)
    np.testing.assert_allclose(apart[free], 0.2, atol=1e-6)
    assert np.all(apart[np.abs(beta) >= 10.0] >= 0.2 - 1e-6)
    assert beta.sum() == pytest.approx(0, abs=1e-9)


def test_the_unit_of_the_target_does_not_matter():
    x, y, _ = waves(80)
    plain, scaled = SVR().fit(x, y), SVR().fit(x, 1000 * y + 5)
    np.testing.assert_allclose(scaled.predict(x), 1000 * plain.predict(x) + 5, rtol=1e-6, atol=1e-2)


def test_a_row_twice_is_a_row_of_weight_two():
    x, y, w = waves(60, 1)
    times = w.astype(int)
    weighted = SVR().fit(x, y, sample_weight=w)
    repeated = SVR().fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict(x), repeated.predict(x), atol=1e-8)


def test_sparse_rows_and_explanations():
    x, y, _ = waves(60, 2)
    x[np.abs(x) < 0.5] = 0
    dense = SVR(standardize=False, tol=1e-8).fit(x, y)
    few = SVR(standardize=False, tol=1e-8).fit(sparse.csr_matrix(x), y)
    np.testing.assert_allclose(dense.predict(x), few.predict(sparse.csr_matrix(x)), atol=1e-6)
    for kernel in ("rbf", "linear"):
        model = SVR(kernel=kernel).fit(x, y)
        assert model.explain(x)[3].add_up() == pytest.approx(model.predict(x)[3])


def test_one_row_and_a_constant_target():
    assert SVR().fit([[1.0]], [3.0]).predict([[7.0]]).tolist() == [3.0]
    np.testing.assert_allclose(SVR().fit([[1.0], [2.0]], [3.0, 3.0]).predict([[7.0]]), [3.0])


def test_costs_so_large_that_nothing_more_can_be_gained_end_with_a_warning():
    """Rows alike have no tube in common: coefficients go to C, and what is left of their sums is rounding."""
    x, y = [[float(i)] if i % 3 == 0 else [50.0] for i in range(20)], [5e8 + 1e7 * (i * 7 % 20) for i in range(20)]
    begun = time.process_time()
    with pytest.warns(ConvergenceWarning, match="a smaller C"):
        model = SVR(C=1e20, max_iter=-1).fit(x, y)
    assert not model.converged_
    assert time.process_time() - begun < 60  # it takes a fifth of a second, and never ended before


@pytest.mark.parametrize("C", [1.0, 1e100])
def test_a_tolerance_of_zero_ends_where_rounding_does(C):
    x, y, _ = waves(n=12)
    model = SVR(tol=0, C=C, epsilon=1e-9, max_iter=2000).fit(x, y)  # working sets: it ended after none of a million
    assert model.converged_
    assert model.violation_ < 1e-12
