"""Conjugate updates are Bayes' theorem: they equal what numerical integration gives, however the data come."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from learnt.bayes.estimate import (
    BetaBernoulli,
    DirichletMultinomial,
    MultivariateNormalKnownCovariance,
    NormalGamma,
    NormalKnownVariance,
    NormalWishart,
)

few = settings(max_examples=25, deadline=None)
shapes = st.floats(0.3, 8)
numbers = st.lists(st.floats(-5, 5), min_size=0, max_size=8)


def rows_of(n, d=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)


# Equality with numerical integration: evidence, posterior density, predictive.


@few
@given(shapes, shapes, st.lists(st.booleans(), max_size=10))
def test_the_beta_posterior_is_prior_times_likelihood_over_its_integral(alpha, beta, flips):
    coin = BetaBernoulli(alpha, beta).update(flips)
    h = sum(flips)
    prior = stats.beta(alpha, beta)

    def joint(theta):
        return theta**h * (1 - theta) ** (len(flips) - h) * prior.pdf(theta)

    # Beta densities may be infinite at the ends: θ = sin²u takes the poles of order above −1 away.
    def over(f):
        return integrate.quad(
            lambda u: f(np.sin(u) ** 2) * 2 * np.sin(u) * np.cos(u), 1e-12, np.pi / 2 - 1e-12, limit=200
        )[0]

    evidence = over(joint)
    assert coin.log_marginal_likelihood() == pytest.approx(math.log(evidence), abs=2e-4)
    for theta in (0.1, 0.5, 0.83):
        assert coin.posterior.pdf(theta) == pytest.approx(joint(theta) / evidence, rel=2e-4)
    assert coin.predictive().pmf(1) == pytest.approx(over(lambda t: t * joint(t)) / evidence, rel=2e-4)
    assert coin.mean() == pytest.approx(coin.predictive().pmf(1))


@few
@given(st.lists(st.floats(1, 6), min_size=3, max_size=3), st.lists(st.integers(0, 2), max_size=8))
def test_the_dirichlet_posterior_is_prior_times_likelihood_over_its_integral(alpha, seen):
    labels = DirichletMultinomial(alpha).update(np.array(seen, dtype=float))
    counts = np.bincount(np.array(seen, dtype=int), minlength=3)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    nodes, weights = (nodes + 1) / 2, weights / 2

    # The triangle as a square: θ₁ = u, θ₂ = (1 − u)·v.
    u, v = nodes[:, None], nodes[None, :]
    theta = np.stack([u + 0 * v, (1 - u) * v, (1 - u) * (1 - v)])
    area = weights[:, None] * weights[None, :] * (1 - u)
    log_prior = ((np.array(alpha) - 1)[:, None, None] * np.log(theta)).sum(axis=0)
    prior = np.exp(log_prior + math.lgamma(sum(alpha)) - sum(map(math.lgamma, alpha)))
    joint = prior * np.prod(theta ** counts[:, None, None], axis=0)
    evidence = (joint * area).sum()
    assert labels.log_marginal_likelihood() == pytest.approx(math.log(evidence), abs=1e-3)
    for k in range(3):
        expected = (theta[k] * joint * area).sum() / evidence
        assert labels.mean()[k] == pytest.approx(expected, rel=1e-3)
        assert labels.predictive().pmf(np.eye(3, dtype=int)[k]) == pytest.approx(expected, rel=1e-3)


@few
@given(st.floats(-3, 3), st.floats(0.2, 9), st.floats(0.2, 9), numbers)
def test_the_normal_posterior_of_a_mean_is_prior_times_likelihood_over_its_integral(mean, variance, noise, x):
    pair = NormalKnownVariance(mean, variance, noise).update(x)
    mu = np.linspace(-60, 60, 40_001)
    log_joint = stats.norm(mean, math.sqrt(variance)).logpdf(mu)
    log_joint += sum((stats.norm.logpdf(xi, mu, math.sqrt(noise)) for xi in x), np.zeros_like(mu))
    joint = np.exp(log_joint - log_joint.max())
    evidence = integrate.trapezoid(joint, mu)
    assert pair.log_marginal_likelihood() == pytest.approx(math.log(evidence) + log_joint.max(), abs=1e-8)
    np.testing.assert_allclose(pair.posterior.pdf(mu), joint / evidence, atol=1e-9)
    for new in (-1.0, 2.5):
        expected = integrate.trapezoid(stats.norm.pdf(new, mu, math.sqrt(noise)) * joint, mu) / evidence
        assert pair.predictive().pdf(new) == pytest.approx(expected, rel=1e-8)


@pytest.mark.costly
@few
@given(st.floats(-2, 2), st.floats(0.2, 4), st.floats(1, 5), st.floats(0.3, 5), numbers)
def test_the_normal_gamma_posterior_is_prior_times_likelihood_over_its_integral(mean, kappa, alpha, beta, x):
    pair = NormalGamma(mean, kappa, alpha, beta).update(x)
    # μ = m + z/√λ and λ = e^u: in (z, u) the mass stays in one place, and the trapezoid rule converges fast.
    u = np.linspace(-18, 6, 481)[:, None]
    z = np.linspace(-40, 40, 1601)[None, :]
    lam, mu = np.exp(u), mean + z * np.exp(-u / 2)
    jacobian = np.exp(u) * np.exp(-u / 2)
    prior = stats.gamma.logpdf(lam, alpha, scale=1 / beta) + stats.norm.logpdf(mu, mean, 1 / np.sqrt(kappa * lam))
    log_joint = prior + sum((stats.norm.logpdf(xi, mu, 1 / np.sqrt(lam)) for xi in x), np.zeros_like(mu))

    def over(log_f):
        return integrate.trapezoid(integrate.trapezoid(np.exp(log_f) * jacobian, z, axis=1), u[:, 0])

    evidence = over(log_joint)
    assert pair.log_marginal_likelihood() == pytest.approx(math.log(evidence), abs=1e-5)
    here = (slice(200, 400, 20), slice(700, 900, 20))
    np.testing.assert_allclose(
        pair.posterior.logpdf(np.broadcast_to(mu, log_joint.shape)[here], np.broadcast_to(lam, log_joint.shape)[here]),
        (log_joint - math.log(evidence))[here],
        atol=1e-5,
    )
    for new in (-1.0, 2.5):
        expected = over(log_joint + stats.norm.logpdf(new, mu, 1 / np.sqrt(lam))) / evidence
        assert pair.predictive().pdf(new) == pytest.approx(expected, rel=1e-5)


@few
@given(st.integers(0, 10_000), st.integers(0, 6))
def test_the_posterior_of_a_mean_of_rows_is_prior_times_likelihood_over_its_integral(seed, n):
    x, half = rows_of(n, seed=seed), rows_of(4, seed=seed + 1)
    wide, noise = half[:2] @ half[:2].T + np.eye(2), half[2:] @ half[2:].T + 0.5 * np.eye(2)
    pair = MultivariateNormalKnownCovariance([0.5, -0.5], wide, noise).update(x)
    # The evidence of all rows is one normal density of dimension 2n: Σ in the blocks, Σ₀ everywhere.
    if n:
        joint = stats.multivariate_normal(
            np.tile([0.5, -0.5], n), np.kron(np.eye(n), noise) + np.kron(np.ones((n, n)), wide)
        )
        assert pair.log_marginal_likelihood() == pytest.approx(joint.logpdf(x.ravel()), abs=1e-8)
    for mu in rows_of(3, seed=seed + 2):
        log_joint = stats.multivariate_normal([0.5, -0.5], wide).logpdf(mu)
        log_joint += sum(stats.multivariate_normal(mu, noise).logpdf(row) for row in x)
        assert pair.posterior.logpdf(mu) == pytest.approx(log_joint - pair.log_marginal_likelihood(), abs=1e-7)


@few
@given(st.integers(0, 10_000), st.integers(0, 6), st.floats(0.1, 5), st.floats(1.2, 6))
def test_the_normal_wishart_posterior_is_prior_times_likelihood_over_the_evidence(seed, n, kappa, dof):
    x, half = rows_of(n, seed=seed), rows_of(2, seed=seed + 1)
    scale, mean = half @ half.T + 0.5 * np.eye(2), [0.3, -0.2]
    pair = NormalWishart(mean, kappa, dof, scale).update(x)
    # The evidence, one row after another: each predicted by those before.
    chain = sum(NormalWishart(mean, kappa, dof, scale).update(x[:i]).predictive().logpdf(x[i]) for i in range(n))
    assert pair.log_marginal_likelihood() == pytest.approx(chain, abs=1e-8)
    for lam in stats.wishart(3, np.eye(2)).rvs(3, random_state=seed):
        mu = np.array([0.1, 0.4])
        log_joint = stats.wishart(dof, np.linalg.inv(scale)).logpdf(lam)
        log_joint += stats.multivariate_normal(mean, np.linalg.inv(kappa * lam)).logpdf(mu)
        log_joint += sum(stats.multivariate_normal(mu, np.linalg.inv(lam)).logpdf(row) for row in x)
        assert pair.posterior.logpdf(mu, lam) == pytest.approx(log_joint - pair.log_marginal_likelihood(), abs=1e-6)


def test_the_normal_wishart_predictive_is_the_integral_over_means_and_precisions():
    pair = NormalWishart([0, 0], 1, 5, [[2, 0.5], [0.5, 1]]).update(rows_of(4))
    p = pair.posterior
    drawn = stats.invwishart(p.dof, p.scale).rvs(200_000, random_state=1)
    for new in ([0.0, 0.0], [1.0, -0.5]):
        apart, factor = np.array(new) - p.location, 1 + 1 / p.kappa  # μ integrated out: N(m, Σ(1 + 1/κ))
        inverse = np.linalg.inv(drawn)
        densities = np.exp(-0.5 / factor * np.einsum("i,nij,j->n", apart, inverse, apart))
        densities *= np.sqrt(np.linalg.det(inverse)) / (2 * np.pi * factor)
        error = densities.std() / math.sqrt(len(densities))
        assert abs(pair.predictive().pdf(new) - densities.mean()) < 5 * error
        assert error < 0.01 * densities.mean()


def test_one_column_of_normal_wishart_is_normal_gamma():
    x = rows_of(7, d=1)
    one = NormalWishart([0.2], 1.5, 2 * 0.7, 2 * 0.9).update(x)
    other = NormalGamma(0.2, 1.5, 0.7, 0.9).update(x[:, 0])
    assert one.log_marginal_likelihood() == pytest.approx(other.log_marginal_likelihood())
    assert one.posterior.logpdf([0.1], [[2.0]]) == pytest.approx(other.posterior.logpdf(0.1, 2.0))
    assert float(one.predictive().pdf([0.4])) == pytest.approx(other.predictive().pdf(0.4))
    assert one.map().precision[0, 0] == pytest.approx(other.map().precision)
    for wide, narrow in zip(one.credible_interval(0.8), other.credible_interval(0.8), strict=True):
        np.testing.assert_allclose(wide[0], narrow)


def test_one_column_of_known_covariance_is_known_variance():
    x = rows_of(5, d=1)
    one = MultivariateNormalKnownCovariance([1.0], 3.0, 2.0).update(x)
    other = NormalKnownVariance(1.0, 3.0, 2.0).update(x[:, 0])
    assert one.log_marginal_likelihood() == pytest.approx(other.log_marginal_likelihood())
    assert one.mean()[0] == pytest.approx(other.mean())
    np.testing.assert_allclose(one.credible_interval()[0], other.credible_interval())
    assert float(one.predictive().pdf([0.4])) == pytest.approx(other.predictive().pdf(0.4))


def test_two_labels_of_a_dirichlet_are_a_beta():
    flips = [True, False, True, True]
    coin, labels = BetaBernoulli(2, 3).update(flips), DirichletMultinomial({True: 2, False: 3}).update(flips)
    assert labels.log_marginal_likelihood() == pytest.approx(coin.log_marginal_likelihood())
    assert labels.mean()[0] == pytest.approx(coin.mean())
    assert labels.map()[0] == pytest.approx(coin.map())
    np.testing.assert_allclose(labels.credible_interval()[0], coin.credible_interval())
    assert labels.predictive(5).pmf([2, 3]) == pytest.approx(coin.predictive(5).pmf(2))


# Batches, weights, order.

COLUMN = np.array([1.5, 2.5, -3.0, 1e6, 1e6 + 1, np.nan, 4.0, 4.0])
PRIORS = {
    "BetaBernoulli": (BetaBernoulli(2, 3), [1, 0, 1, 1, None, 0, 1, 1]),
    "DirichletMultinomial": (DirichletMultinomial(0.5, list("abc")), ["a", "c", "c", None, "a", "a", "c", "c"]),
    "NormalKnownVariance": (NormalKnownVariance(1, 2, 3), COLUMN),
    "NormalGamma": (NormalGamma(1, 2, 3, 4), COLUMN),
    "MultivariateNormalKnownCovariance": (
        MultivariateNormalKnownCovariance([1, 2], 2, [[2, 1], [1, 2]]),
        np.column_stack([COLUMN, rows_of(8)[:, 0]]),
    ),
    "NormalWishart": (NormalWishart([1, 2], 1, 3, 2), np.column_stack([COLUMN, rows_of(8)[:, 0]])),
}


def assert_alike(one, other):
    for name, value in one.parameters.items():
        if name not in ("success", "categories"):
            np.testing.assert_allclose(value, other.parameters[name], rtol=1e-9, err_msg=name)
    assert one.log_marginal_likelihood() == pytest.approx(other.log_marginal_likelihood(), rel=1e-9)


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("cuts", [(0, 8), (3, 3), (1, 7), (5, 6)])
def test_updating_in_batches_equals_updating_at_once(name, cuts):
    prior, data = PRIORS[name]
    batches = prior
    for start, stop in zip((0, *cuts), (*cuts, 8), strict=True):
        batches = batches.update(data[start:stop])
    assert_alike(batches, prior.update(data))
    assert batches.statistics.rows == 8
    assert batches.statistics.missing == 1


@pytest.mark.parametrize("name", PRIORS)
def test_a_posterior_can_be_the_prior_of_the_rest(name):
    prior, data = PRIORS[name]
    first = prior.update(data[:4])
    second = type(prior)(**first.parameters).update(data[4:])
    whole = prior.update(data)
    evidence = first.log_marginal_likelihood() + second.log_marginal_likelihood()
    assert evidence == pytest.approx(whole.log_marginal_likelihood(), rel=1e-9)
    for key, value in whole.parameters.items():
        if key not in ("success", "categories"):
            np.testing.assert_allclose(second.parameters[key], value, rtol=1e-7)


@pytest.mark.parametrize("name", PRIORS)
def test_a_weight_of_two_counts_like_the_row_twice_and_of_zero_like_no_row(name):
    prior, data = PRIORS[name]
    weights = np.array([2, 0, 1, 1, 3, 0, 1, 2])
    repeated = [cell for cell, w in zip(data, weights, strict=True) for _ in range(w)]
    assert_alike(prior.update(data, weights=weights), prior.update(repeated))


@pytest.mark.parametrize("name", PRIORS)
def test_the_order_of_rows_does_not_matter(name):
    prior, data = PRIORS[name]
    assert_alike(prior.update(data), prior.update(data[::-1]))


@pytest.mark.parametrize("name", PRIORS)
def test_update_returns_a_new_object_and_leaves_the_old_one(name):
    prior, data = PRIORS[name]
    before = str(prior)
    assert prior.update(data) is not prior
    assert str(prior) == before
    assert not prior.statistics
    with pytest.raises(AttributeError, match="never changes"):
        prior.statistics = None


# Limits of priors that are not distributions.


def test_without_a_prior_the_mean_of_proportions_is_maximum_likelihood():
    assert BetaBernoulli(0, 0).update([1, 0, 1]).mean() == pytest.approx(2 / 3)
    assert BetaBernoulli(0, 0).update([1, 1]).mean() == 1.0
    assert BetaBernoulli(0, 0).update([1, 1]).predictive().pmf(1) == 1.0
    labels = DirichletMultinomial(0, ["a", "b", "c"]).update(["a", "a", "c"])
    np.testing.assert_allclose(labels.mean(), [2 / 3, 0, 1 / 3])


def test_under_a_flat_prior_the_mode_of_proportions_is_maximum_likelihood():
    assert BetaBernoulli(1, 1).update([1, 1, 0]).map() == pytest.approx(2 / 3)
    assert BetaBernoulli(1, 1).update([1, 1]).map() == 1.0
    labels = DirichletMultinomial(1, ["a", "b", "c"]).update(["a", "a", "c"])
    np.testing.assert_allclose(labels.map(), [2 / 3, 0, 1 / 3])


def test_without_a_prior_the_mean_of_numbers_is_maximum_likelihood():
    x = np.array([1.0, 4.0, 7.5])
    flat = NormalKnownVariance(0, math.inf, 2).update(x)
    assert flat.mean() == flat.map() == pytest.approx(x.mean())
    assert flat.posterior.var() == pytest.approx(2 / 3)
    rows = rows_of(5)
    flat = MultivariateNormalKnownCovariance([0, 0], math.inf, [[2, 1], [1, 2]]).update(rows)
    np.testing.assert_allclose(flat.mean(), rows.mean(axis=0))
    np.testing.assert_allclose(flat.posterior.cov, np.array([[2, 1], [1, 2]]) / 5)


def test_wide_priors_approach_the_flat_one():
    flat, wide = (NormalKnownVariance(0, v, 2).update([1.0, 4.0]) for v in (math.inf, 1e12))
    assert wide.mean() == pytest.approx(flat.mean(), rel=1e-9)
    assert wide.posterior.std() == pytest.approx(flat.posterior.std(), rel=1e-9)


def test_without_a_prior_mean_and_variance_are_maximum_likelihood():
    x = np.array([1.0, 4.0, 7.5, 2.0])
    for estimate in (NormalGamma(9, 0, 0.5, 0).update(x).map(), NormalGamma(9, 0, 0, 0).update(x).mean()):
        assert estimate.mean == pytest.approx(x.mean())
        assert estimate.variance == pytest.approx(x.var())
    rows = rows_of(6)
    for estimate in (
        NormalWishart([9, 9], 0, 2, 0).update(rows).map(),
        NormalWishart([9, 9], 0, 0, 0).update(rows).mean(),
    ):
        np.testing.assert_allclose(estimate.mean, rows.mean(axis=0))
        np.testing.assert_allclose(estimate.covariance, np.cov(rows.T, bias=True))


def test_the_reference_prior_gives_students_confidence_interval():
    x = np.array([1.0, 4.0, 7.5, 2.0])
    pair = NormalGamma(0, 0, -0.5, 0).update(x)
    low, high = stats.t(3, x.mean(), x.std(ddof=1) / 2).interval(0.9)
    assert pair.credible_interval(0.9).mean == pytest.approx((low, high))
    sums = 3 * x.var(ddof=1)
    assert pair.credible_interval(0.9).variance == pytest.approx(
        (sums / stats.chi2(3).ppf(0.95), sums / stats.chi2(3).ppf(0.05))
    )
    assert pair.predictive().args[2] == pytest.approx(x.std(ddof=1) * math.sqrt(1 + 1 / 4))


def test_much_data_drowns_the_prior():
    x = np.random.default_rng(3).normal(5, 2, 20_000)
    pair = NormalGamma(-100, 1, 1, 1).update(x)
    assert pair.mean().mean == pytest.approx(x.mean(), abs=0.01)
    low, high = pair.credible_interval().mean
    assert low < x.mean() < high


# Frozen distributions, and what follows from them.


def test_what_is_returned_are_distributions_of_scipy():
    assert BetaBernoulli(2, 3).posterior.dist.name == "beta"
    assert BetaBernoulli(2, 3).predictive().dist.name == "bernoulli"
    assert BetaBernoulli(2, 3).predictive(4).dist.name == "betabinom"
    assert NormalKnownVariance(0, 1, 1).posterior.dist.name == "norm"
    assert NormalGamma(0, 1, 1, 1).predictive().dist.name == "t"
    rng = np.random.default_rng(0)
    assert DirichletMultinomial([1, 2]).posterior.rvs(3, random_state=rng).shape == (3, 2)
    assert DirichletMultinomial([1, 2]).predictive().rvs(3, random_state=rng).shape == (3, 2)
    assert MultivariateNormalKnownCovariance([0, 0], 1, 1).predictive().rvs(3, random_state=rng).shape == (3, 2)
    assert NormalWishart([0, 0], 1, 3, 1).predictive().rvs(3, random_state=rng).shape == (3, 2)


def test_intervals_hold_their_level():
    coin = BetaBernoulli(3, 9)
    low, high = coin.credible_interval(0.8)
    assert coin.posterior.cdf(low) == pytest.approx(0.1)
    assert coin.posterior.cdf(high) == pytest.approx(0.9)
    pair = NormalGamma(1, 2, 3, 4)
    drawn = pair.posterior.rvs(100_000, random_state=0)
    for values, (low, high) in zip((*drawn, 1 / drawn.precision), pair.credible_interval(0.8), strict=True):
        assert ((low < values) & (values < high)).mean() == pytest.approx(0.8, abs=0.006)
    rows = NormalWishart([1, -1], 2, 4, [[2, 0.5], [0.5, 1]])
    drawn = rows.posterior.rvs(100_000, random_state=0)
    diagonals = [np.diagonal(m, axis1=1, axis2=2) for m in (drawn.precision, np.linalg.inv(drawn.precision))]
    for values, ends in zip((drawn.mean, *diagonals), rows.credible_interval(0.8), strict=True):
        inside = ((ends[:, 0] < values) & (values < ends[:, 1])).mean(axis=0)
        np.testing.assert_allclose(inside, 0.8, atol=0.006)


@pytest.mark.parametrize("name", PRIORS)
def test_the_map_has_the_highest_density_around(name):
    prior, data = PRIORS[name]
    if name == "DirichletMultinomial":
        prior = DirichletMultinomial(1.5, list("abc"))
    pair = prior.update(data[:3])
    best = pair.map()
    rng = np.random.default_rng(0)
    for _ in range(50):
        step = 1e-3 * rng.normal(size=6)
        if name == "DirichletMultinomial":
            other = (best + step[:3] - step[:3].mean(),)
        elif name == "NormalWishart":
            other = (best.mean + step[:2], best.precision + step[2:6].reshape(2, 2) @ best.precision @ np.eye(2))
            other = (other[0], (other[1] + other[1].T) / 2)
        elif name == "NormalGamma":
            other = (best.mean + step[0], best.precision * (1 + step[1]))
        else:
            other = (best + (step[:2] if np.ndim(best) else step[0]),)
        here = best if isinstance(best, tuple) else (best,)
        assert pair.posterior.logpdf(*other) < pair.posterior.logpdf(*here)
