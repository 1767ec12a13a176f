"""The mean of a normal distribution whose variance is known."""

from __future__ import annotations

import math
from typing import Any

from learnt.bayes.estimate.conjugate import ConjugatePair, checked_level
from learnt.bayes.estimate.observations import moments_of_numbers
from learnt.bayes.estimate.settings import checked_number
from learnt.bayes.estimate.statistics import Moments
from learnt.bayes.estimate.words import interval, moments, sample
from learnt.errors import InputError
from learnt.learner.parameters import Real
from learnt.show.numbers import number


class NormalKnownVariance(ConjugatePair):
    """The mean μ of numbers that scatter around it with a known variance σ², with a normal prior.

        μ ~ N(μ₀, σ₀²),  x ~ N(μ, σ²)   ⇒   1/σₙ² = 1/σ₀² + n/σ²,   μₙ = μ₀ + (x̄ − μ₀)·n·σₙ²/σ²

    >>> scale = NormalKnownVariance(mean=70, variance=4, noise_variance=1).update([72, 73])
    >>> round(scale.mean(), 4), round(scale.parameters["variance"], 4)
    (72.2222, 0.4444)
    >>> round(float(scale.predictive().var()), 4)          # of the next observation: σ² + σₙ²
    1.4444

    | setting | meaning | range |
    |---|---|---|
    | `mean` | μ₀, where μ is expected | finite |
    | `variance` | σ₀², the variance of μ around that; ∞ says nothing | > 0 or ∞ |
    | `noise_variance` | σ², the known variance of one observation | > 0 |
    | `statistics` | `Moments` of the observations so far; `update` sets them | |

    With σ₀² = ∞, which is not a distribution, mean and mode are the maximum likelihood x̄.

    Reference: Gelman et al., Bayesian Data Analysis, 3rd ed., 2.5.
    """

    about = "the mean μ of numbers of known variance"

    def __init__(self, mean: float, variance: float, noise_variance: float, *, statistics: Moments | None = None):
        owner = "NormalKnownVariance"
        prior = {
            "mean": checked_number(owner, "mean", mean, Real()),
            "variance": checked_number(owner, "variance", variance, Real(above=0), infinity=True),
            "noise_variance": checked_number(owner, "noise_variance", noise_variance, Real(above=0)),
        }
        super().__init__(prior, statistics, Moments())

    @property
    def parameters(self) -> dict[str, float]:
        start, variance, noise = self._prior["mean"], self._prior["variance"], self._prior["noise_variance"]
        n = self.statistics.weight
        share = n / (n + noise / variance) if n > 0 else 0.0  # of the data in the mean; the prior has the rest
        return {
            "mean": float(start + share * self.statistics.distance_from(start)),
            "variance": 1 / (1 / variance + n / noise) if n > 0 else variance,
            "noise_variance": noise,
        }

    def mean(self) -> float:
        """E[μ] = μₙ."""
        if self._improper():
            raise InputError(
                "There is no mean: the prior is flat and nothing has been observed. "
                "Update with observations, or give a finite variance."
            )
        mean: float = self.parameters["mean"]
        return mean

    def map(self) -> float:
        """The most probable μ, which is its mean."""
        return self.mean()

    def predictive(self) -> Any:
        """The next observation: N(μₙ, σ² + σₙ²), as `scipy.stats.norm`."""
        from scipy import stats

        mean, sd = self.posterior.args
        return stats.norm(mean, math.hypot(sd, math.sqrt(self._prior["noise_variance"])))

    def credible_interval(self, level: float = 0.95) -> tuple[float, float]:
        """(low, high): μ lies between with probability `level`, and on either side equally probably."""
        low, high = self.posterior.interval(checked_level(level))
        return float(low), float(high)

    def plot(self, ax: Any = None) -> Any:
        """The densities of μ before and after the data; returns the matplotlib axes."""
        from learnt.bayes.estimate.pictures import draw_densities

        return draw_densities(self, "μ", ax)

    def _observe(self, data: Any, weights: Any) -> Moments:
        return moments_of_numbers(data, weights)

    def _improper(self) -> str:
        return "it is flat over all numbers" if self.parameters["variance"] == math.inf else ""

    def _distribution(self) -> Any:
        from scipy import stats

        return stats.norm(self.parameters["mean"], math.sqrt(self.parameters["variance"]))

    def _log_evidence(self) -> float:
        """x̄ is normal around μ₀; given x̄, the rest of the data says nothing about μ."""
        prior, seen = self._prior, self.statistics
        n, noise = float(seen.weight), float(prior["noise_variance"])
        growth = n * float(prior["variance"]) / noise
        apart = seen.distance_from(prior["mean"]) ** 2 * n / (1 + growth)
        squares = float(seen.scatter + apart) / noise
        return -0.5 * (n * math.log(2 * math.pi * noise) + math.log1p(growth) + squares)

    def _words(self) -> dict[str, str]:
        def normal(p: dict[str, float]) -> str:
            return f"μ ~ Normal(mean {number(p['mean'])}, variance {number(p['variance'])})"

        return {
            "prior": normal(self._prior),
            "data": f"{sample(self.statistics, self.statistics.weight)}{moments(self.statistics)}; "
            f"known variance {number(self._prior['noise_variance'])}",
            "posterior": normal(self.parameters),
        }

    def _answers(self) -> dict[str, str]:
        coming = self.predictive()
        return {
            "95 %": interval(self.credible_interval()),
            "next": f"Normal(mean {number(coming.mean())}, variance {number(coming.var())})",
        }
