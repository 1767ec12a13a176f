"""The E-step against the conditional Gaussian of each row, written out with SciPy."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from learnt.bayes.discriminant.class_products import StandardView
from learnt.bayes.discriminant.expected_products import ExpectProducts, Gaussians
from learnt.data.table import Table
from learnt.engine.first_look import look_at
from learnt.engine.passes import Batch

P = 4


def rows_with_gaps(n=60, seed=0, weighted=True):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, P)) @ rng.normal(size=(P, P)) + 3
    x[rng.random((n, P)) < 0.3] = np.nan
    x[0] = np.nan  # a row without any cell
    y = rng.integers(0, 2, n).astype(np.int32)
    return x, y, rng.integers(1, 4, n).astype(float) if weighted else None


def some_gaussians(shared, seed=1):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(1 if shared else 2, P, P))
    return Gaussians.of(rng.normal(size=(2, P)), roots @ roots.transpose(0, 2, 1) + 0.3 * np.eye(P), 1e-9)


def view_of(x):
    table = Table(x)
    design = look_at(table, None, drop_reference=True).design
    center, scale = np.nanmean(x, axis=0), np.nanstd(x, axis=0)
    return table, StandardView(design, np.arange(P), center, scale), (x - center) / scale


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("shared", [True, False])
def test_missing_cells_count_as_expected_given_the_others_with_the_variance_left(shared, weighted):
    x, y, w = rows_with_gaps(weighted=weighted)
    gaussians = some_gaussians(shared)
    table, view, z = view_of(x)
    found, _ = ExpectProducts(view, gaussians)(Batch(table, 0, y, w), None)
    sums, products, likelihood = np.zeros((2, P)), np.zeros((2, P, P)), 0.0
    for row, c, weight in zip(z, y, np.ones(len(y)) if w is None else w, strict=True):
        mean, sigma = gaussians.mean[c], gaussians.covariance[0 if shared else c]
        o, m = np.flatnonzero(~np.isnan(row)), np.flatnonzero(np.isnan(row))
        whole, left = row.copy(), np.zeros((P, P))
        regression = sigma[np.ix_(m, o)] @ np.linalg.inv(sigma[np.ix_(o, o)])
        whole[m] = mean[m] + regression @ (row[o] - mean[o])
        left[np.ix_(m, m)] = sigma[np.ix_(m, m)] - regression @ sigma[np.ix_(o, m)]
        sums[c] += weight * whole
        products[c] += weight * (np.outer(whole, whole) + left)
        if len(o):
            density = multivariate_normal(mean[o], sigma[np.ix_(o, o)]).logpdf(row[o])
            likelihood += weight * (density - np.log(view.scale[o]).sum())
    np.testing.assert_allclose(found.products.sums[:, :, 0], sums, atol=1e-9)
    np.testing.assert_allclose(found.products.products, products, atol=1e-9)
    assert found.log_likelihood == pytest.approx(likelihood)


def test_batches_add_up_to_the_whole_and_kept_rows_give_the_same_again():
    x, y, w = rows_with_gaps()
    gaussians = some_gaussians(shared=False)
    table, view, _ = view_of(x)
    step, batch = ExpectProducts(view, gaussians), Batch(table, 0, y, w)
    whole, kept = step(batch, None)
    parts = step(batch.rows(0, 13), None)[0] + step(batch.rows(13, 60), None)[0]
    again, _ = step(batch, kept)
    for other in (parts, again):
        np.testing.assert_allclose(other.products.products, whole.products.products, rtol=1e-12)
        assert other.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-12)


def test_inverses_logarithms_and_determinants_belong_to_one_covariance():
    from scipy.linalg import expm

    gaussians = some_gaussians(shared=False)
    for g in range(2):
        np.testing.assert_allclose(gaussians.precision[g] @ gaussians.covariance[g], np.eye(P), atol=1e-9)
        np.testing.assert_allclose(expm(gaussians.logarithm[g]), gaussians.covariance[g], atol=1e-9)
        assert gaussians.log_volume[g] == pytest.approx(np.linalg.slogdet(gaussians.covariance[g])[1])
    again = Gaussians.of_logarithm(gaussians.mean, gaussians.logarithm, np.log(1e-9))
    np.testing.assert_allclose(again.covariance, gaussians.covariance, atol=1e-9)


def test_variances_below_the_least_are_raised_to_it():
    flat = Gaussians.of(np.zeros((1, 2)), np.array([[[1.0, 1.0], [1.0, 1.0]]]), 0.01)
    np.testing.assert_allclose(np.linalg.eigvalsh(flat.covariance[0]), [0.01, 2.0])


def test_divergence_is_the_mean_of_differences_of_log_densities():
    rng = np.random.default_rng(0)
    one = Gaussians.of(np.array([[1.0, 0.0]]), np.array([[[2.0, 0.5], [0.5, 1.0]]]), 1e-8)
    other = Gaussians.of(np.array([[0.0, 0.5]]), np.array([[[1.0, -0.2], [-0.2, 1.5]]]), 1e-8)
    p, q = (multivariate_normal(g.mean[0], g.covariance[0]) for g in (one, other))
    z = p.rvs(400_000, random_state=rng)
    assert one.divergence(other)[0] == pytest.approx(np.mean(p.logpdf(z) - q.logpdf(z)), rel=0.01)
    assert one.divergence(one)[0] == 0
