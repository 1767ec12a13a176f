"""The prior of missing cells: its density is SciPy's, and the rows it adds lead to its mode."""

import numpy as np
import pytest
from scipy.stats import invwishart

from learnt.bayes.discriminant.class_products import ClassProducts
from learnt.bayes.discriminant.covariances import covariances
from learnt.bayes.discriminant.expected_products import Gaussians
from learnt.bayes.discriminant.weak_prior import WeakPrior

P = 3


def products_of(x, y, k=2):
    """Of complete rows, by their definition."""
    parts = [x[y == c] for c in range(k)]
    return ClassProducts(
        len(x),
        np.array([float(len(part)) for part in parts]),
        np.array([[[float(len(part))]] for part in parts]),
        np.array([part.sum(axis=0)[:, None] for part in parts]),
        np.array([part.T @ part for part in parts]),
    )


def pairs_of(x, y, k=2):
    """The same over the cells that are there, by pairs of columns."""
    there, z = ~np.isnan(x), np.nan_to_num(x)
    parts = [(there[y == c].astype(float), z[y == c]) for c in range(k)]
    return ClassProducts(
        len(x),
        np.array([float(len(t)) for t, _ in parts]),
        np.array([t.T @ t for t, _ in parts]),
        np.array([v.T @ t for t, v in parts]),
        np.array([v.T @ v for _, v in parts]),
    )


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, P)) @ rng.normal(size=(P, P)) + 2, rng.integers(0, 2, 50)


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_where_no_cell_is_missing_it_weighs_nothing(rows, kind):
    assert WeakPrior.of(pairs_of(*rows), kind).rows.tolist() == [0.0] * (1 if kind == "shared" else 2)


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_it_is_worth_a_tenth_of_the_cells_a_row_misses_around_the_variances_that_are_seen(rows, kind):
    x, y = rows
    x = x.copy()
    x[np.random.default_rng(1).random(x.shape) < 0.3] = np.nan
    prior = WeakPrior.of(pairs_of(x, y), kind)
    if kind == "full":
        assert prior.rows == pytest.approx([0.1 * np.isnan(x[y == c]).sum(axis=1).mean() for c in range(2)])
        np.testing.assert_allclose(prior.variance, [np.nanvar(x[y == c], axis=0) for c in range(2)])
    else:
        assert prior.rows == pytest.approx([0.1 * np.isnan(x).sum(axis=1).mean()])
        away = x - np.array([np.nanmean(x[y == c], axis=0) for c in range(2)])[y]
        np.testing.assert_allclose(prior.variance[0], np.nanmean(away**2, axis=0))


def test_its_density_is_that_of_an_inverse_wishart_up_to_a_constant():
    """Of ν − p − 1 degrees of freedom, where a flat density has −p − 1; differences of covariances show it."""
    prior = WeakPrior(np.array([9.0]), np.array([[1.0, 2.0, 0.5]]))
    density = invwishart(9.0 - P - 1, 9.0 * np.diag(prior.variance[0]))
    scale, logs = np.ones(P), []
    for seed in range(4):
        root = np.random.default_rng(seed).normal(size=(P, P))
        sigma = root @ root.T + 0.2 * np.eye(P)
        ours = prior.log_density(Gaussians.of(np.zeros((2, P)), sigma[None], 1e-12), scale)
        logs.append(ours - density.logpdf(sigma))
    np.testing.assert_allclose(logs, logs[0])


@pytest.mark.parametrize("kind", ["shared", "full"])
def test_products_with_its_rows_have_the_most_probable_covariance(rows, kind):
    """(S + ν D) / (n + ν), and means that stay where they are."""
    x, y = rows
    k = 1 if kind == "shared" else 2
    prior = WeakPrior(np.array([4.0, 7.0])[:k], np.array([[1.0, 2.0, 0.5], [3.0, 1.0, 1.0]])[:k])
    plain = products_of(x, y)
    found = prior.added_to(plain)
    np.testing.assert_allclose(found.means()[0], plain.means()[0])
    sigma = covariances(found, np.ones(P), kind, 0.0, 0).raw
    away = x - plain.means()[0][y]
    for g in range(k):
        own = away if kind == "shared" else away[y == g]
        expected = (own.T @ own + prior.rows[g] * np.diag(prior.variance[g])) / (len(own) + prior.rows[g])
        np.testing.assert_allclose(sigma[g], expected)
