"""The mean of rows of numbers whose covariance is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.bayes.estimate.conjugate import checked_level
from learnt.bayes.estimate.rows import ConjugatePairOfRows
from learnt.bayes.estimate.settings import checked_matrix, checked_vector
from learnt.bayes.estimate.statistics import Moments
from learnt.bayes.estimate.words import coordinates, moments, sample, vector
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.show.words import printable


class MultivariateNormalKnownCovariance(ConjugatePairOfRows):
    """The mean μ of rows that scatter around it with a known covariance Σ, with a normal prior.

        μ ~ N(μ₀, Σ₀),  x ~ N(μ, Σ)   ⇒   Σₙ⁻¹ = Σ₀⁻¹ + n·Σ⁻¹,   μₙ = μ₀ + n·Σₙ·Σ⁻¹·(x̄ − μ₀)

    >>> place = MultivariateNormalKnownCovariance(mean=[0, 0], covariance=4, noise_covariance=[[1, 0], [0, 2]])
    >>> place.update([[1, 1], [3, 2]]).mean().round(4)
    array([1.7778, 1.2   ])

    | setting | meaning | range |
    |---|---|---|
    | `mean` | μ₀, where μ is expected | finite |
    | `covariance` | Σ₀, the covariance of μ around that, or a number for its diagonal; ∞ says nothing | definite |
    | `noise_covariance` | Σ, the known covariance of one row, or a number for its diagonal | definite |
    | `statistics` | `Moments` of the rows so far; `update` sets them | |

    With Σ₀ = ∞, which is not a distribution, mean and mode are the maximum likelihood x̄. A row with a missing
    cell is left out.

    Reference: Gelman et al., Bayesian Data Analysis, 3rd ed., 3.5.
    """

    about = "the mean μ of rows of known covariance"

    def __init__(self, mean: Any, covariance: Any, noise_covariance: Any, *, statistics: Moments | None = None):
        owner = "MultivariateNormalKnownCovariance"
        center = checked_vector(owner, "mean", mean)
        d = len(center)
        prior = {
            "mean": center,
            "covariance": checked_matrix(owner, "covariance", covariance, d, infinity=True),
            "noise_covariance": checked_matrix(owner, "noise_covariance", noise_covariance, d),
        }
        super().__init__(prior, statistics, Moments(0, 0.0, np.full(d, np.nan), np.zeros((d, d))))

    @property
    def parameters(self) -> dict[str, Array]:
        start, wide, noise = self._prior["mean"], self._prior["covariance"], self._prior["noise_covariance"]
        n = self.statistics.weight
        if n == 0:
            return {"mean": start, "covariance": wide, "noise_covariance": noise}
        if self._flat:
            return {"mean": self.statistics.mean.copy(), "covariance": noise / n, "noise_covariance": noise}
        # Σₙ = Σ₀ − Σ₀(Σ₀ + Σ/n)⁻¹Σ₀: one solve, and no inverse of a covariance that is nearly singular.
        gain = np.linalg.solve(wide + noise / n, wide).T
        covariance = gain @ (noise / n)
        return {
            "mean": start + gain @ self.statistics.distance_from(start),
            "covariance": (covariance + covariance.T) / 2,
            "noise_covariance": noise,
        }

    @property
    def _flat(self) -> bool:
        return bool(np.isinf(self._prior["covariance"]).any())

    def mean(self) -> Array:
        """E[μ] = μₙ."""
        if self._improper():
            raise InputError(
                "There is no mean: the prior is flat and nothing has been observed. "
                "Update with observations, or give a finite covariance."
            )
        return self.parameters["mean"].copy()

    def map(self) -> Array:
        """The most probable μ, which is its mean."""
        return self.mean()

    def predictive(self) -> Any:
        """The next row: N(μₙ, Σ + Σₙ), as `scipy.stats.multivariate_normal`."""
        self._check_proper()
        p = self.parameters
        return _normal(p["mean"], p["covariance"] + p["noise_covariance"])

    def credible_interval(self, level: float = 0.95) -> Array:
        """Low and high end for every coordinate of μ by itself, a row each."""
        from scipy import stats

        self._check_proper()
        p = self.parameters
        each = stats.norm(p["mean"], np.sqrt(np.diagonal(p["covariance"])))
        return np.column_stack(each.interval(checked_level(level)))

    def plot(self, ax: Any = None) -> Any:
        """Every coordinate of μ with its 95 % interval, before and after the data; returns the matplotlib axes."""
        from learnt.bayes.estimate.pictures import draw_intervals

        return draw_intervals(self, [printable(name) for name in self.columns], "μ", ax)

    def _improper(self) -> str:
        return "it is flat over all numbers" if self._flat and self.statistics.weight == 0 else ""

    def _distribution(self) -> Any:
        return _normal(self.parameters["mean"], self.parameters["covariance"])

    def _log_evidence(self) -> float:
        """x̄ is normal around μ₀; given x̄, the rest of the data says nothing about μ."""
        prior, seen = self._prior, self.statistics
        n, noise = seen.weight, prior["noise_covariance"]
        if n == 0:
            return 0.0
        of_mean = prior["covariance"] + noise / n
        apart = seen.distance_from(prior["mean"])
        log_noise = np.linalg.slogdet(noise).logabsdet
        ratio = np.linalg.slogdet(of_mean).logabsdet - (log_noise - self.width * math.log(n))
        squares = np.trace(np.linalg.solve(noise, seen.scatter)) + apart @ np.linalg.solve(of_mean, apart)
        return float(-0.5 * (n * (self.width * math.log(2 * math.pi) + log_noise) + ratio + squares))

    def _words(self) -> dict[str, str]:
        def normal(p: dict[str, Array]) -> str:
            return f"μ ~ Normal(mean {vector(p['mean'])}, covariance {vector(p['covariance'])})"

        return {
            "prior": normal(self._prior),
            "data": sample(self.statistics, self.statistics.weight) + moments(self.statistics),
            "noise": f"known covariance {vector(self._prior['noise_covariance'])}",
            "posterior": normal(self.parameters),
        }

    def _answers(self) -> dict[str, str]:
        p = self.parameters
        return {
            "95 %": coordinates(self.columns, self.credible_interval()),
            "next": f"Normal(mean {vector(p['mean'])}, covariance {vector(p['covariance'] + p['noise_covariance'])})",
        }


def _normal(mean: Array, covariance: Array) -> Any:
    """By its Cholesky factor: given the matrix, SciPy calls columns of very different units singular."""
    from scipy import stats

    return stats.multivariate_normal(mean, stats.Covariance.from_cholesky(np.linalg.cholesky(covariance)))
