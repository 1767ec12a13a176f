"""The one-class machine against LIBSVM, and its promise about the share outside."""

import numpy as np
import pytest
from sklearn.svm import OneClassSVM as TheirOneClassSVM

from learnt import OneClassSVM

X = np.random.default_rng(0).normal(size=(200, 3))


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.45])
def test_the_machine_is_libsvms(nu):
    ours = OneClassSVM(nu=nu, gamma=0.3, tol=1e-9, standardize=False).fit(X)
    theirs = TheirOneClassSVM(nu=nu, gamma=0.3, tol=1e-9).fit(X)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert ours.offset_ == pytest.approx(theirs.offset_[0], abs=1e-5)


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5])
def test_the_share_outside_is_at_most_nu(nu):
    model = OneClassSVM(nu=nu, tol=1e-8).fit(X)
    outside = model.decision_function(X) < -1e-6
    assert outside.mean() <= nu
    assert len(model.support_) / len(X) >= nu


def test_weights_are_repetitions():
    w = np.random.default_rng(1).integers(1, 4, len(X))
    weighted = OneClassSVM(nu=0.3).fit(X, sample_weight=w.astype(float))
    repeated = OneClassSVM(nu=0.3).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-8)


def test_explanations_add_up():
    model = OneClassSVM(nu=0.2).fit(X)
    assert model.explain(X)[0].add_up() == pytest.approx(model.decision_function(X)[0])


def test_labels_missing_cells_and_one_row():
    table = {"kind": ["a", "a", "a", "b", None], "x": [0.0, 0.1, None, 9.0, 0.2]}
    assert set(OneClassSVM(nu=0.3).fit(table).predict(table).tolist()) <= {1, -1}
    assert OneClassSVM().fit([[1.0]]).predict([[1.0]]).tolist() == [1]
