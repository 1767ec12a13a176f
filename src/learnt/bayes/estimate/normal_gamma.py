"""The mean and the precision of a normal distribution, both unknown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.bayes.estimate.conjugate import ConjugatePair, checked_level
from learnt.bayes.estimate.observations import moments_of_numbers
from learnt.bayes.estimate.results import Intervals, MeanAndPrecision
from learnt.bayes.estimate.settings import checked_number
from learnt.bayes.estimate.statistics import Moments
from learnt.bayes.estimate.words import interval, moments, sample
from learnt.errors import InputError
from learnt.learner.parameters import Real, seed_from
from learnt.show.numbers import number


class NormalGammaDistribution:
    """The distribution of a pair (μ, λ): λ ~ Gamma(α, rate β), and given it μ ~ N(m, 1/(κλ)).

        p(μ, λ) = √(κ/2π)·β^α/Γ(α) · λ^(α−½) · exp(−λ[β + κ(μ−m)²/2])

    >>> pair = NormalGammaDistribution(mean=0, kappa=2, alpha=3, beta=1)
    >>> pair.mean()
    MeanAndPrecision(mean=0.0, precision=3.0)
    >>> round(float(pair.pdf(0.1, 2.5)), 4)
    0.2232

    The marginals are SciPy's: μ is Student's t, λ gamma, the variance 1/λ inverse gamma.
    """

    def __init__(self, mean: float, kappa: float, alpha: float, beta: float):
        owner = "NormalGammaDistribution"
        self.location = checked_number(owner, "mean", mean, Real())
        self.kappa = checked_number(owner, "kappa", kappa, Real(above=0))
        self.alpha = checked_number(owner, "alpha", alpha, Real(above=0))
        self.beta = checked_number(owner, "beta", beta, Real(above=0))

    def logpdf(self, mean: Any, precision: Any) -> Any:
        """ln p(μ, λ), of numbers or arrays; −∞ where λ ≤ 0."""
        from scipy.special import gammaln

        mu, lam = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(precision, dtype=float))
        k, a, b = self.kappa, self.alpha, self.beta
        constant = 0.5 * math.log(k / (2 * math.pi)) + a * math.log(b) - gammaln(a)
        with np.errstate(divide="ignore", invalid="ignore"):
            density = constant + (a - 0.5) * np.log(lam) - lam * (b + k * (mu - self.location) ** 2 / 2)
        return np.where(lam > 0, density, -np.inf)[()]

    def pdf(self, mean: Any, precision: Any) -> Any:
        """p(μ, λ), of numbers or arrays."""
        return np.exp(self.logpdf(mean, precision))

    def mean(self) -> MeanAndPrecision:
        """E[μ] = m (NaN for α ≤ ½, where there is none) and E[λ] = α/β."""
        return MeanAndPrecision(self.location if self.alpha > 0.5 else math.nan, self.alpha / self.beta)

    def mode(self) -> MeanAndPrecision:
        """The pair of highest density: μ = m, λ = (α − ½)/β; none for α ≤ ½."""
        if self.alpha <= 0.5:
            raise InputError(
                f"The density has no highest point: alpha is {number(self.alpha)}, and it grows towards a "
                "precision of 0. A mode needs alpha above ½. Take mean(), or observe more."
            )
        return MeanAndPrecision(self.location, (self.alpha - 0.5) / self.beta)

    def var(self) -> MeanAndPrecision:
        """The variances of μ, β/(κ(α−1)) (∞ for α ≤ 1), and of λ, α/β². The two are uncorrelated."""
        of_mean = self.beta / (self.kappa * (self.alpha - 1)) if self.alpha > 1 else math.inf
        return MeanAndPrecision(of_mean, self.alpha / self.beta**2)

    def rvs(self, size: int | tuple[int, ...] = 1, random_state: Any = None) -> MeanAndPrecision:
        """Random pairs: two numbers for size 1, else two arrays of that size."""
        rng = np.random.default_rng(seed_from(random_state))
        shape = None if size == 1 else size
        precision = rng.gamma(self.alpha, 1 / self.beta, shape)
        return MeanAndPrecision(rng.normal(self.location, 1 / np.sqrt(self.kappa * precision)), precision)

    def marginal_mean(self) -> Any:
        """μ by itself: Student's t with 2α degrees of freedom, scale² β/(ακ)."""
        from scipy import stats

        return stats.t(2 * self.alpha, self.location, math.sqrt(self.beta / (self.alpha * self.kappa)))

    def marginal_precision(self) -> Any:
        """λ by itself: `scipy.stats.gamma`."""
        from scipy import stats

        return stats.gamma(self.alpha, scale=1 / self.beta)

    def marginal_variance(self) -> Any:
        """The variance 1/λ by itself: `scipy.stats.invgamma`."""
        from scipy import stats

        return stats.invgamma(self.alpha, scale=self.beta)

    def __repr__(self) -> str:
        settings = f"mean={self.location:g}, kappa={self.kappa:g}, alpha={self.alpha:g}, beta={self.beta:g}"
        return f"NormalGammaDistribution({settings})"


class NormalGamma(ConjugatePair):
    """The mean μ and the precision λ = 1/σ² of normal numbers, with a Normal–Gamma prior.

        κₙ = κ + n,   μₙ = μ₀ + (x̄ − μ₀)·n/κₙ,   αₙ = α + n/2,   βₙ = β + ½Σ(x−x̄)² + ½(x̄−μ₀)²·κn/κₙ

    >>> length = NormalGamma(mean=0, kappa=1, alpha=1, beta=1).update([1, 2, 3])
    >>> length.posterior
    NormalGammaDistribution(mean=1.5, kappa=4, alpha=2.5, beta=3.5)
    >>> length.map()
    MeanAndPrecision(mean=1.5, precision=0.5714285714285714)

    | setting | meaning | range |
    |---|---|---|
    | `mean` | μ₀, where μ is expected | finite |
    | `kappa` | how many observations that guess is worth | ≥ 0 |
    | `alpha` | half the number of observations the guess of the variance is worth | ≥ −½ |
    | `beta` | α times that guess of the variance | ≥ 0 |
    | `statistics` | `Moments` of the observations so far; `update` sets them | |

    Limits that are not distributions, all with κ = β = 0: α = ½ makes the mode the maximum likelihood (x̄ and
    λ = n/Σ(x−x̄)²), α = 0 the mean, and α = −½ makes the interval of μ Student's confidence interval.

    Reference: Murphy, Conjugate Bayesian analysis of the Gaussian distribution (2007), 3.
    """

    about = "the mean μ and the precision λ = 1/σ² of numbers"

    def __init__(self, mean: float, kappa: float, alpha: float, beta: float, *, statistics: Moments | None = None):
        prior = {
            "mean": checked_number("NormalGamma", "mean", mean, Real()),
            "kappa": checked_number("NormalGamma", "kappa", kappa, Real(0)),
            "alpha": checked_number("NormalGamma", "alpha", alpha, Real(-0.5)),
            "beta": checked_number("NormalGamma", "beta", beta, Real(0)),
        }
        super().__init__(prior, statistics, Moments())

    @property
    def parameters(self) -> dict[str, float]:
        start, kappa = self._prior["mean"], self._prior["kappa"]
        n, apart = self.statistics.weight, self.statistics.distance_from(start)
        share = n / (kappa + n) if n > 0 else 0.0
        return {
            "mean": float(start + apart * share),
            "kappa": kappa + n,
            "alpha": self._prior["alpha"] + n / 2,
            "beta": float(self._prior["beta"] + self.statistics.scatter / 2 + apart**2 * kappa * share / 2),
        }

    def mean(self) -> MeanAndPrecision:
        """E[μ] = μₙ (NaN for αₙ ≤ ½, where there is none) and E[λ] = αₙ/βₙ."""
        center, alpha = self._center(), self.parameters["alpha"]
        return MeanAndPrecision(center if alpha > 0.5 else math.nan, self._precision(alpha))

    def map(self) -> MeanAndPrecision:
        """The pair (μ, λ) of highest density: μₙ and (αₙ − ½)/βₙ. Equal observations can have λ = ∞."""
        return MeanAndPrecision(self._center(), self._precision(self.parameters["alpha"] - 0.5))

    def _center(self) -> float:
        if self.parameters["kappa"] == 0:
            raise InputError(
                "There is no estimate of the mean: kappa is 0 and nothing has been observed. "
                "Update with observations, or give a kappa above 0."
            )
        return self.parameters["mean"]

    def _precision(self, above: float) -> float:
        """above/βₙ, also in the limit βₙ = 0."""
        below = self.parameters["beta"]
        if above <= 0 or (below == 0 and self.statistics.weight == 0):
            raise InputError(
                f"There is no estimate of the precision: {self._observed()} and the prior's alpha "
                f"{number(self._prior['alpha'])}, beta {number(self._prior['beta'])} leave it open. "
                "Update with more observations, or give a larger alpha and beta."
            )
        return above / below if below > 0 else math.inf

    def _observed(self) -> str:
        return sample(self.statistics, self.statistics.weight)

    def predictive(self) -> Any:
        """The next observation: Student's t, 2αₙ degrees of freedom, scale² βₙ(κₙ+1)/(αₙκₙ)."""
        from scipy import stats

        p = self.posterior
        return stats.t(2 * p.alpha, p.location, math.sqrt(p.beta * (p.kappa + 1) / (p.alpha * p.kappa)))

    def credible_interval(self, level: float = 0.95) -> Intervals:
        """(low, high) of μ, of λ and of the variance 1/λ, each by itself."""
        p, level = self.posterior, checked_level(level)
        marginals = (p.marginal_mean(), p.marginal_precision(), p.marginal_variance())
        return Intervals(*(tuple(map(float, marginal.interval(level))) for marginal in marginals))

    def plot(self, ax: Any = None) -> Any:
        """Lines of equal density of (μ, λ) before and after the data; returns the matplotlib axes."""
        from learnt.bayes.estimate.pictures import draw_contours

        return draw_contours(self, ax)

    def _observe(self, data: Any, weights: Any) -> Moments:
        return moments_of_numbers(data, weights)

    def _improper(self) -> str:
        p = self.parameters
        if p["kappa"] > 0 and p["alpha"] > 0 and p["beta"] == 0 and self.statistics.weight > 0:
            return "all observations are equal and beta is 0, which leaves no variance"
        wrong = [name for name in ("kappa", "alpha", "beta") if p[name] <= 0]
        return f"{wrong[0]} is {number(p[wrong[0]])} and must be above 0" if wrong else ""

    def _distribution(self) -> NormalGammaDistribution:
        return NormalGammaDistribution(**self.parameters)

    def _log_evidence(self) -> float:
        prior, after, n = self._prior, self.parameters, float(self.statistics.weight)
        return _log_normalizer(after) - _log_normalizer(prior) - n / 2 * math.log(2 * math.pi)

    def _words(self) -> dict[str, str]:
        def name_distribution(p: dict[str, float]) -> str:
            return "μ, λ ~ Normal–Gamma(" + ", ".join(f"{name} {number(value)}" for name, value in p.items()) + ")"

        return {
            "prior": name_distribution(self._prior),
            "data": self._observed() + moments(self.statistics),
            "posterior": name_distribution(self.parameters),
        }

    def _answers(self) -> dict[str, str]:
        mean, of, coming = self.mean(), self.credible_interval(), self.predictive()
        has_mode = self.parameters["alpha"] > 0.5
        df, location, scale = coming.args
        return {
            "mean": f"μ {number(mean.mean)}, λ {number(mean.precision)}",
            "MAP": f"μ {number(self.map().mean)}, λ {number(self.map().precision)}" if has_mode else "none",
            "95 %": f"μ {interval(of.mean)}; λ {interval(of.precision)}; σ² {interval(of.variance)}",
            "next": f"Student t({number(df)} degrees of freedom, location {number(location)}, scale {number(scale)})",
        }


def _log_normalizer(p: dict[str, float]) -> float:
    """ln of ∫ λ^(α−½) exp(−λ[β + κ(μ−m)²/2]) dμ dλ, without the constant √2π."""
    return math.lgamma(p["alpha"]) - p["alpha"] * math.log(p["beta"]) - 0.5 * math.log(p["kappa"])
