"""The machines are LIBSVM's to 1e-6: coefficients, objective and scores, over kernels, weights and C.

LIBSVM keeps kernel values in single precision. Both are given the same values, rounded to it, so that nothing but the
solvers differs; rows are whole numbers, so that kernels of few dimensions stay kernels when they are rounded.
"""

import numpy as np
import pytest
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import SVR as TheirSVR
from sklearn.svm import OneClassSVM as TheirOneClassSVM

from learnt import SVC, SVR, Kernel, OneClassSVM

KERNELS = {
    "linear": Kernel("linear"),
    "polynomial": Kernel("polynomial", gamma=0.25, coef0=1.0, degree=2),
    "rbf": Kernel("rbf", gamma=0.4),
    "laplacian": Kernel("laplacian", gamma=0.3),
    "rbf + cosine": Kernel("rbf", gamma=0.5) + Kernel("cosine"),
    "rbf + linear": Kernel("rbf", gamma=1.0) + Kernel("linear"),
}
NEAR = {"rtol": 1e-6, "atol": 1e-6}


def rows_of(name, seed, n=70):
    """Values in single precision, classes, targets, whole weights, and whether coefficients are unique."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-3, 4, (n, 4)).astype(float)
    K = KERNELS[name](x).astype(np.float32).astype(np.float64)
    K = np.maximum(K, K.T)
    score = x[:, 0] / 2 + x[:, 1] * x[:, 2] / 4 + 0.7 * rng.normal(size=n)
    unique = np.linalg.eigvalsh(K)[0] > 1e-4
    return K, np.where(score > 0, 1, -1), score, rng.integers(1, 4, n).astype(float), unique


def spread(model, n):
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    return beta


def assert_same_scores(ours, theirs, beta, bounds):
    """Where every coefficient is at its bound, a range of intercepts is optimal: then all but the intercept."""
    size = np.abs(beta)
    if not ((size > 1e-12 * bounds) & (size < (1 - 1e-12) * bounds)).any():
        ours, theirs = ours - ours[0], theirs - theirs[0]
    np.testing.assert_allclose(ours, theirs, **NEAR)


def objective(K, target, beta, epsilon=0.0):
    return target @ beta - epsilon * np.abs(beta).sum() - beta @ K @ beta / 2


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("name", KERNELS)
def test_classes(name, C, weighted, seed):
    K, y, _, w, unique = rows_of(name, seed)
    weights = w if weighted else None
    settings = {"kernel": "precomputed", "C": C, "tol": 1e-10}
    ours = SVC(**settings, probability=False).fit(K, y, sample_weight=weights)
    theirs = TheirSVC(**settings, shrinking=False).fit(K, y, sample_weight=weights)
    beta, their_beta = spread(ours, len(y)), spread(theirs, len(y))
    assert_same_scores(ours.decision_function(K), theirs.decision_function(K), beta, C * (w if weighted else 1))
    assert ours.objective_ == pytest.approx(objective(K, y, their_beta), rel=1e-6)
    if unique:
        np.testing.assert_allclose(beta, their_beta, rtol=1e-6, atol=1e-6 * C)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize("name", KERNELS)
def test_numbers(name, C, weighted, epsilon):
    K, _, z, w, unique = rows_of(name, 2)
    weights = w if weighted else None
    settings = {"kernel": "precomputed", "C": C, "epsilon": epsilon, "tol": 1e-10}
    ours = SVR(**settings, standardize=False).fit(K, z, sample_weight=weights)
    theirs = TheirSVR(**settings, shrinking=False).fit(K, z, sample_weight=weights)
    assert_same_scores(ours.predict(K), theirs.predict(K), spread(ours, len(z)), C * (w if weighted else 1))
    assert ours.objective_ == pytest.approx(objective(K, z, spread(theirs, len(z)), epsilon), rel=1e-6)
    if unique:
        np.testing.assert_allclose(spread(ours, len(z)), spread(theirs, len(z)), rtol=1e-6, atol=1e-6 * C)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_the_bulk(name, nu):
    K, _, _, _, _ = rows_of(name, 3)
    ours = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-10).fit(K)
    theirs = TheirOneClassSVM(kernel="precomputed", nu=nu, tol=1e-10, shrinking=False).fit(K)
    np.testing.assert_allclose(ours.decision_function(K), theirs.decision_function(K), **NEAR)
    np.testing.assert_allclose(spread(ours, len(K)), spread(theirs, len(K)), **NEAR)
