"""Credible intervals: parameters are drawn from the prior, and in 95 % of all draws lie where the posterior says."""

from __future__ import annotations

import numpy as np
from scipy import stats

from calibration import group, holds, one_by_one
from learnt.bayes.estimate import (
    BetaBernoulli,
    DirichletMultinomial,
    MultivariateNormalKnownCovariance,
    NormalGamma,
    NormalKnownVariance,
    NormalWishart,
)


@group("parameters drawn from the prior, then n observations")
@one_by_one
def posteriors(rng: np.random.Generator, n: int) -> dict[str, float | bool]:
    share = rng.beta(2, 3)
    coin = BetaBernoulli(2, 3).update(rng.random(n) < share)
    shares = rng.dirichlet([1, 2, 3])
    dice = DirichletMultinomial({"a": 1, "b": 2, "c": 3}).update(np.array(list("abc"))[rng.choice(3, n, p=shares)])
    place = rng.normal(1, 2)
    known = NormalKnownVariance(1, 4, 9).update(rng.normal(place, 3, n))
    precision = rng.gamma(3, 1 / 2)  # shape α = 3, rate β = 2
    mean = rng.normal(1, 1 / np.sqrt(2 * precision))
    both = NormalGamma(1, 2, 3, 2).update(rng.normal(mean, 1 / np.sqrt(precision), n)).credible_interval()
    centre = rng.multivariate_normal([0, 1], np.eye(2))
    noise = np.array([[2, 0.5], [0.5, 1]])
    many = MultivariateNormalKnownCovariance([0, 1], np.eye(2), noise).update(rng.multivariate_normal(centre, noise, n))
    inverse = stats.wishart.rvs(5, np.eye(2) / 3, random_state=rng)  # Λ ~ Wishart(ν = 5, T⁻¹), T = 3·1
    middle = rng.multivariate_normal([0, 0], np.linalg.inv(2 * inverse))
    spread = np.linalg.inv(inverse)
    rows = NormalWishart([0, 0], 2, 5, 3).update(rng.multivariate_normal(middle, spread, n)).credible_interval()
    return {
        "BetaBernoulli.credible_interval": holds(coin.credible_interval(), share),
        "DirichletMultinomial.credible_interval": holds(dice.credible_interval()[0], shares[0]),
        "NormalKnownVariance.credible_interval": holds(known.credible_interval(), place),
        "NormalGamma.credible_interval, μ": holds(both.mean, mean),
        "NormalGamma.credible_interval, σ²": holds(both.variance, 1 / precision),
        "MultivariateNormalKnownCovariance.credible_interval": holds(many.credible_interval()[0], centre[0]),
        "NormalWishart.credible_interval, μ": holds(rows.mean[0], middle[0]),
        "NormalWishart.credible_interval, σ²": holds(rows.variance[0], spread[0, 0]),
    }
