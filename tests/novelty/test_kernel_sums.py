"""Densities and borders against scikit-learn's."""

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity
from sklearn.svm import OneClassSVM

from learnt import Table
from learnt.novelty.kernel_sums import KernelDensityAround, OneClassBorder

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(200, 3)), RNG.normal(size=(40, 3)) * 2


def test_densities_are_those_of_scikit_learn():
    model = KernelDensityAround.fitted(Table(X), np.ones(200), standardize=False)
    np.testing.assert_allclose(model.width, X.std(axis=0) * 200 ** (-1 / 7))
    theirs = KernelDensity(bandwidth=1.0).fit(X / model.width).score_samples(NEW / model.width)
    np.testing.assert_allclose(model.novelty(Table(NEW)), np.log(model.width).sum() - theirs, rtol=1e-8)


def test_far_rows_have_densities_too():
    model = KernelDensityAround.fitted(Table(X), np.ones(200), standardize=True)
    far = model.novelty(Table([[1e3] * 3, [1e6] * 3, [1e9] * 3]))
    assert np.isfinite(far).all()
    assert (np.diff(far) > 0).all()


def test_the_border_is_that_of_scikit_learn():
    model = OneClassBorder.fitted(Table(X), np.ones(200), 0.2, standardize=False)
    theirs = OneClassSVM(nu=0.2, gamma=model.gamma, tol=1e-6).fit(X)
    assert model.alpha.sum() == pytest.approx(1)
    ours = -model.novelty(Table(NEW))
    np.testing.assert_allclose(ours, theirs.decision_function(NEW) / theirs.dual_coef_.sum(), atol=1e-3)
