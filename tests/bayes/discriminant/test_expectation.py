"""EM by its property: where it ends, no covariance nearby makes the cells that are there more probable."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from learnt import DiscriminantClassifier
from learnt.bayes.discriminant import expectation
from learnt.bayes.discriminant.expectation import _definite


@pytest.mark.costly
def test_it_ends_at_the_most_probable_gaussian(monkeypatch):
    """Of one class and two columns: SciPy's optimiser finds the same maximum of the log posterior."""
    monkeypatch.setattr(expectation, "GAIN", 1e-12)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]]) * [1.0, 5.0]
    x[rng.random(x.shape) < 0.25] = np.nan
    x = x[~np.isnan(x).all(axis=1)]
    model = DiscriminantClassifier("full").fit(np.vstack([x, x + 100]), [0] * len(x) + [1] * len(x))
    there = ~np.isnan(x)
    rows, around = 0.1 * 2 * (1 - there.mean()), np.nanvar(x, axis=0)

    def objective(parameters):
        mean, root = parameters[:2], np.array([[parameters[2], 0], [parameters[3], parameters[4]]])
        sigma = root @ root.T + 1e-12 * np.eye(2)
        total = -0.5 * rows * (np.linalg.slogdet(sigma)[1] + np.trace(np.linalg.inv(sigma) * around))
        for row, o in zip(x, there, strict=True):
            total += multivariate_normal(mean[o], sigma[np.ix_(o, o)]).logpdf(row[o])
        return -total

    start = [*np.nanmean(x, axis=0), 1.0, 0.5, 3.0]
    best = minimize(objective, start, method="Nelder-Mead", options={"maxiter": 1000, "xatol": 1e-5, "fatol": 1e-8})
    root = np.array([[best.x[2], 0], [best.x[3], best.x[4]]])
    np.testing.assert_allclose(model.means_[0], best.x[:2], atol=2e-3)
    np.testing.assert_allclose(model.covariance_[0], root @ root.T, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_begun_with_is_definite_and_otherwise_left_alone(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    good = root @ root.T + np.eye(4)
    np.testing.assert_array_equal(_definite(good[None])[0], good)
    pairs = np.where(np.eye(4, dtype=bool), 1.0, rng.choice([-0.95, 0.95], (4, 4)))
    pairs = np.triu(pairs) + np.triu(pairs, 1).T  # correlations over pairs of cells, which no rows may have
    found = _definite(pairs[None])[0]
    assert np.linalg.eigvalsh(found).min() >= 0.0099
    np.testing.assert_array_equal(np.diag(found), np.diag(pairs))
    off = ~np.eye(4, dtype=bool)
    shares = found[off] / pairs[off]
    assert shares.max() - shares.min() < 1e-12  # all correlations shrink alike
