"""Learning a distribution's parameters from data: a prior, observations, a posterior, in closed form.

Each pair of a likelihood and its conjugate prior is an object that never changes; `update` returns the
next one. What it has seen is kept as sufficient statistics, so that updating in batches equals updating
at once.

>>> coin = BetaBernoulli(alpha=1, beta=1).update([True, True, False, False, False, True, True])
>>> coin.mean(), coin.map()
(0.5555555555555556, 0.5714285714285714)
"""

from learnt.bayes.estimate.beta_bernoulli import BetaBernoulli
from learnt.bayes.estimate.dirichlet_multinomial import DirichletMultinomial
from learnt.bayes.estimate.multivariate_normal import MultivariateNormalKnownCovariance
from learnt.bayes.estimate.normal_gamma import NormalGamma, NormalGammaDistribution
from learnt.bayes.estimate.normal_known_variance import NormalKnownVariance
from learnt.bayes.estimate.normal_wishart import NormalWishart
from learnt.bayes.estimate.normal_wishart_distribution import NormalWishartDistribution
from learnt.bayes.estimate.results import Intervals, MeanAndPrecision
from learnt.bayes.estimate.statistics import Counts, Moments

__all__ = [
    "BetaBernoulli",
    "Counts",
    "DirichletMultinomial",
    "Intervals",
    "MeanAndPrecision",
    "Moments",
    "MultivariateNormalKnownCovariance",
    "NormalGamma",
    "NormalGammaDistribution",
    "NormalKnownVariance",
    "NormalWishart",
    "NormalWishartDistribution",
]
