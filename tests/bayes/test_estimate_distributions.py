"""The Normal–Gamma and Normal–Wishart distributions: densities, moments and samples agree with each other."""

import math
import pickle

import numpy as np
import pytest
from scipy import integrate, stats

from learnt.bayes.estimate import NormalGammaDistribution, NormalWishartDistribution
from learnt.errors import InputError, ParameterError

GAMMA = NormalGammaDistribution(mean=1.5, kappa=2, alpha=3.5, beta=2)
SCALE = np.array([[2.0, 0.5], [0.5, 1.0]])
WISHART = NormalWishartDistribution(mean=[1, -2], kappa=2, dof=7, scale=SCALE)
N = 200_000


def test_the_normal_gamma_density_is_a_gamma_times_a_normal():
    mu, lam = np.linspace(-2, 4, 7)[:, None], np.array([0.1, 1, 5.0])
    expected = stats.gamma.logpdf(lam, 3.5, scale=1 / 2) + stats.norm.logpdf(mu, 1.5, 1 / np.sqrt(2 * lam))
    np.testing.assert_allclose(GAMMA.logpdf(mu, lam), expected)
    np.testing.assert_allclose(GAMMA.pdf(mu, lam), np.exp(expected))
    assert GAMMA.pdf(0, -1) == GAMMA.pdf(0, 0) == 0


def test_the_normal_gamma_density_integrates_to_one_and_to_its_moments():
    # λ = e^u and μ = m + z/√λ keep the mass in one place, where the trapezoid rule converges fast.
    u, z = np.linspace(-12, 4, 401)[:, None], np.linspace(-9, 9, 401)[None, :]
    lam, mu = np.exp(u), 1.5 + z * np.exp(-u / 2)
    density = GAMMA.pdf(mu, lam) * np.exp(u / 2)

    def over(f):
        return integrate.trapezoid(integrate.trapezoid(f(mu, lam) * density, z, axis=1), u[:, 0])

    assert over(lambda mu, lam: 1) == pytest.approx(1, abs=1e-7)
    assert over(lambda mu, lam: mu) == pytest.approx(GAMMA.mean().mean, abs=1e-7)
    assert over(lambda mu, lam: lam) == pytest.approx(GAMMA.mean().precision, abs=1e-7)
    assert over(lambda mu, lam: (lam - 1.75) ** 2) == pytest.approx(GAMMA.var().precision, abs=1e-6)
    assert over(lambda mu, lam: (mu - 1.5) ** 2) == pytest.approx(GAMMA.var().mean, abs=1e-6)


def test_samples_of_normal_gamma_have_its_marginals_and_moments():
    drawn = GAMMA.rvs(N, random_state=0)
    assert stats.kstest(drawn.mean, GAMMA.marginal_mean().cdf).pvalue > 0.001
    assert stats.kstest(drawn.precision, GAMMA.marginal_precision().cdf).pvalue > 0.001
    assert stats.kstest(1 / drawn.precision, GAMMA.marginal_variance().cdf).pvalue > 0.001
    np.testing.assert_allclose(np.var(drawn, axis=1), GAMMA.var(), rtol=0.03)
    assert abs(np.corrcoef(*drawn)[0, 1]) < 0.02
    # They are uncorrelated, yet not independent: a small precision spreads the mean.
    small = drawn.precision < 1
    assert drawn.mean[small].std() > 1.5 * drawn.mean[~small].std()


def test_the_marginals_agree_with_the_moments():
    assert GAMMA.marginal_mean().var() == pytest.approx(GAMMA.var().mean)
    assert GAMMA.marginal_precision().mean() == pytest.approx(GAMMA.mean().precision)
    assert GAMMA.marginal_precision().var() == pytest.approx(GAMMA.var().precision)
    # β/(α−1) is the mean of the variance, more than 1/E[λ].
    assert GAMMA.marginal_variance().mean() == pytest.approx(2 / 2.5)
    assert GAMMA.mean().variance == pytest.approx(2 / 3.5)


def test_heavy_tails_have_no_moments():
    assert NormalGammaDistribution(0, 1, 1, 1).var().mean == math.inf
    assert math.isnan(NormalGammaDistribution(0, 1, 0.5, 1).mean().mean)
    assert np.isinf(NormalWishartDistribution([0, 0], 1, 3, 1).var().mean).all()
    assert np.isnan(NormalWishartDistribution([0, 0], 1, 2, 1).mean().mean).all()
    with pytest.raises(InputError, match="no highest point"):
        NormalGammaDistribution(0, 1, 0.5, 1).mode()
    with pytest.raises(InputError, match="no highest point"):
        NormalWishartDistribution([0, 0], 1, 2, 1).mode()


def test_the_normal_wishart_density_is_a_wishart_times_a_normal():
    lam = stats.wishart(5, np.eye(2)).rvs(4, random_state=0)
    mu = np.array([[0.5, -1], [1, -2], [0, 0], [3, 1]])
    expected = [
        stats.wishart(7, np.linalg.inv(SCALE)).logpdf(one)
        + stats.multivariate_normal([1, -2], np.linalg.inv(2 * one)).logpdf(m)
        for m, one in zip(mu, lam, strict=True)
    ]
    np.testing.assert_allclose(WISHART.logpdf(mu, lam), expected)
    assert WISHART.pdf(mu[0], lam[0]) == pytest.approx(math.exp(expected[0]))
    assert WISHART.pdf([0, 0], [[1, 2], [2, 1]]) == 0  # not definite


def test_samples_of_normal_wishart_have_its_moments_and_marginals():
    drawn = WISHART.rvs(N, random_state=0)
    mean, var = WISHART.mean(), WISHART.var()
    np.testing.assert_allclose(drawn.mean.mean(axis=0), mean.mean, atol=0.01)
    np.testing.assert_allclose(drawn.precision.mean(axis=0), mean.precision, rtol=0.01)
    np.testing.assert_allclose(drawn.mean.var(axis=0), var.mean, rtol=0.03)
    np.testing.assert_allclose(drawn.precision.var(axis=0), var.precision, rtol=0.03)
    np.testing.assert_allclose(np.cov(drawn.mean.T), SCALE / (2 * 4), rtol=0.03)
    np.testing.assert_allclose(
        np.linalg.inv(drawn.precision).mean(axis=0), WISHART.marginal_covariance().mean(), rtol=0.02
    )
    np.testing.assert_allclose(WISHART.marginal_precision().mean(), mean.precision)
    # Any projection of a multivariate t is a t with the same degrees of freedom.
    marginal = WISHART.marginal_mean()
    a = np.array([1.0, 2.0])
    line = stats.t(marginal.df, a @ marginal.loc, math.sqrt(a @ marginal.shape @ a))
    assert stats.kstest(drawn.mean @ a, line.cdf).pvalue > 0.001


def test_the_mode_is_the_highest_point():
    best = WISHART.mode()
    rng = np.random.default_rng(0)
    for _ in range(100):
        bend = 1e-3 * rng.normal(size=(2, 2))
        assert WISHART.logpdf(best.mean + 1e-3 * rng.normal(size=2), best.precision + bend + bend.T) < WISHART.logpdf(
            *best
        )
    assert GAMMA.mode() == (1.5, 1.5)


@pytest.mark.parametrize("size", [1, 5, (2, 3)])
def test_samples_have_the_size_asked_for_and_follow_the_seed(size):
    front = () if size == 1 else (5,) if size == 5 else size
    assert np.shape(GAMMA.rvs(size, random_state=1).mean) == front
    one, again = (WISHART.rvs(size, random_state=1) for _ in range(2))
    assert one.mean.shape == (*front, 2)
    assert one.precision.shape == (*front, 2, 2)
    np.testing.assert_array_equal(one.precision, again.precision)
    rng = np.random.default_rng(1)
    assert not np.array_equal(GAMMA.rvs(size, random_state=rng).mean, GAMMA.rvs(size, random_state=rng).mean)


def test_one_column_samples_keep_their_two_dimensions():
    drawn = NormalWishartDistribution([0], 1, 3, 1).rvs(4, random_state=0)
    assert drawn.mean.shape == (4, 1)
    assert drawn.precision.shape == (4, 1, 1)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: NormalGammaDistribution(0, 0, 1, 1), "kappa=0"),
        (lambda: NormalGammaDistribution(0, 1, -1, 1), "alpha=-1"),
        (lambda: NormalGammaDistribution(math.nan, 1, 1, 1), "mean=nan"),
        (lambda: NormalGammaDistribution(0, 1, 1, "1"), "beta='1'"),
        (lambda: NormalWishartDistribution([0, 0], 1, 1, 1), "dof=1"),
        (lambda: NormalWishartDistribution([0, 0], 1, 3, [[1, 2], [2, 1]]), "scale is not positive definite"),
        (lambda: NormalWishartDistribution([0, 0], 1, 3, [[1, 0.5], [0, 1]]), "scale is not a symmetric"),
        (lambda: NormalWishartDistribution([], 1, 3, 1), "mean="),
    ],
)
def test_parameters_out_of_range_are_named(make, named):
    with pytest.raises(ParameterError, match=named):
        make()


def test_densities_of_the_wrong_shape_are_refused():
    with pytest.raises(InputError, match="Put the coordinates last"):
        WISHART.logpdf([0, 0, 0], np.eye(3))
    with pytest.raises(InputError, match="not symmetric"):
        WISHART.logpdf([0, 0], [[1, 0.5], [0, 1]])


def test_the_distributions_print_and_pickle():
    assert repr(GAMMA) == "NormalGammaDistribution(mean=1.5, kappa=2, alpha=3.5, beta=2)"
    assert repr(WISHART) == "NormalWishartDistribution(mean=[1, -2], kappa=2, dof=7, scale=[[2, 0.5], [0.5, 1]])"
    assert pickle.loads(pickle.dumps(WISHART)).pdf([0, 0], np.eye(2)) == WISHART.pdf([0, 0], np.eye(2))
