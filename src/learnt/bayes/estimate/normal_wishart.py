"""The mean and the precision matrix of rows of numbers, both unknown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.bayes.estimate.conjugate import checked_level
from learnt.bayes.estimate.normal_wishart_distribution import NormalWishartDistribution, student
from learnt.bayes.estimate.results import Intervals, MeanAndPrecision
from learnt.bayes.estimate.rows import ConjugatePairOfRows
from learnt.bayes.estimate.settings import checked_matrix, checked_number, checked_vector, is_definite
from learnt.bayes.estimate.statistics import Moments
from learnt.bayes.estimate.words import coordinates, moments, sample, vector
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.learner.parameters import Real
from learnt.show.numbers import number
from learnt.show.words import printable


class NormalWishart(ConjugatePairOfRows):
    """The mean μ and the precision matrix Λ = Σ⁻¹ of normal rows, with a Normal–Wishart prior.

        Λ ~ Wishart(ν, T⁻¹),  μ | Λ ~ N(μ₀, (κΛ)⁻¹),  x ~ N(μ, Λ⁻¹)
        κₙ = κ + n,   μₙ = μ₀ + (x̄ − μ₀)·n/κₙ,   νₙ = ν + n,
        Tₙ = T + Σ(x−x̄)(x−x̄)ᵀ + (x̄−μ₀)(x̄−μ₀)ᵀ·κn/κₙ

    >>> sizes = NormalWishart(mean=[0, 0], kappa=1, dof=3, scale=1).update([[1, 2], [2, 1], [3, 3]])
    >>> sizes.posterior
    NormalWishartDistribution(mean=[1.5, 1.5], kappa=4, dof=6, scale=[[6, 4], [4, 6]])
    >>> next = sizes.predictive()                           # Student's t: dof ν−d+1
    >>> next.df
    5.0

    | setting | meaning | range |
    |---|---|---|
    | `mean` | μ₀, where μ is expected | finite |
    | `kappa` | how many rows that guess is worth | ≥ 0 |
    | `dof` | ν, how many rows the guess of the covariance is worth | ≥ −1 |
    | `scale` | T, ν times that guess of the covariance, or a number for its diagonal | positive semidefinite |
    | `statistics` | `Moments` of the rows so far; `update` sets them | |

    A prior is a distribution for κ > 0, ν > d−1 and a definite T. Limits that are none, all with κ = 0 and
    T = 0: ν = d makes the mode the maximum likelihood (x̄ and the covariance that divides by n), ν = 0 the
    mean, and ν = −1 makes the predictive the classical one. A row with a missing cell is left out.

    Reference: Murphy, Conjugate Bayesian analysis of the Gaussian distribution (2007), 8.
    """

    about = "the mean μ and the precision matrix Λ = Σ⁻¹ of rows"

    def __init__(self, mean: Any, kappa: float, dof: float, scale: Any, *, statistics: Moments | None = None):
        center = checked_vector("NormalWishart", "mean", mean)
        d = len(center)
        prior = {
            "mean": center,
            "kappa": checked_number("NormalWishart", "kappa", kappa, Real(0)),
            "dof": checked_number("NormalWishart", "dof", dof, Real(-1)),
            "scale": checked_matrix("NormalWishart", "scale", scale, d, singular=True),
        }
        super().__init__(prior, statistics, Moments(0, 0.0, np.full(d, np.nan), np.zeros((d, d))))

    @property
    def parameters(self) -> dict[str, Any]:
        start, kappa = self._prior["mean"], self._prior["kappa"]
        n, apart = self.statistics.weight, self.statistics.distance_from(start)
        share = n / (kappa + n) if n > 0 else 0.0
        return {
            "mean": start + apart * share,
            "kappa": kappa + n,
            "dof": self._prior["dof"] + n,
            "scale": self._prior["scale"] + self.statistics.scatter + np.outer(apart, apart) * (kappa * share),
        }

    def mean(self) -> MeanAndPrecision:
        """E[μ] = μₙ (NaN for νₙ ≤ d, where there is none) and E[Λ] = νₙ·Tₙ⁻¹."""
        center, dof = self._center(), self.parameters["dof"]
        return MeanAndPrecision(center if dof > self.width else np.full(self.width, np.nan), self._precision(dof))

    def map(self) -> MeanAndPrecision:
        """The pair (μ, Λ) of highest density: μₙ and (νₙ − d)·Tₙ⁻¹."""
        return MeanAndPrecision(self._center(), self._precision(self.parameters["dof"] - self.width))

    def _center(self) -> Array:
        if self.parameters["kappa"] == 0:
            raise InputError(
                "There is no estimate of the mean: kappa is 0 and nothing has been observed. "
                "Update with observations, or give a kappa above 0."
            )
        center: Array = self.parameters["mean"]
        return center

    def _precision(self, above: float) -> Array:
        scale = self.parameters["scale"]
        if above <= 0 or not is_definite(scale):
            reason = (
                self._singular() if above > 0 else f"{number(self.parameters['dof'])} degrees of freedom are too few"
            )
            raise InputError(
                f"There is no estimate of the precision matrix: {reason}. "
                "Update with more observations, or give a definite scale and more dof."
            )
        precision = above * np.linalg.inv(scale)
        symmetric: Array = (precision + precision.T) / 2
        return symmetric

    def predictive(self) -> Any:
        """The next row: `scipy.stats.multivariate_t`, νₙ−d+1 degrees of freedom, shape Tₙ(κₙ+1)/(κₙ(νₙ−d+1))."""
        self._check_proper()
        return student(*self._next())

    def _next(self) -> tuple[Array, Array, float]:
        """Location, shape and degrees of freedom of the next row."""
        p = self.parameters
        free = p["dof"] - self.width + 1
        return p["mean"], p["scale"] * ((p["kappa"] + 1) / (p["kappa"] * free)), free

    def credible_interval(self, level: float = 0.95) -> Intervals:
        """Low and high end of the μ_j, the Λ_jj and the variances Σ_jj, each by itself, a row per coordinate."""
        from scipy import stats

        p, level = self.posterior, checked_level(level)
        free, variance = p.dof - self.width + 1, np.diagonal(p.scale)
        marginals = (
            stats.t(free, p.location, np.sqrt(variance / (p.kappa * free))),
            stats.gamma(p.dof / 2, scale=2 * np.diagonal(p.mean().precision) / p.dof),
            stats.invgamma(free / 2, scale=variance / 2),
        )
        return Intervals(*(np.column_stack(marginal.interval(level)) for marginal in marginals))

    def plot(self, ax: Any = None) -> Any:
        """Every coordinate of μ with its 95 % interval, before and after the data; returns the matplotlib axes."""
        from learnt.bayes.estimate.pictures import draw_intervals

        return draw_intervals(self, [printable(name) for name in self.columns], "μ", ax)

    def _improper(self) -> str:
        p = self.parameters
        if p["kappa"] == 0:
            return "kappa is 0 and must be above 0"
        if p["dof"] <= self.width - 1:
            return f"dof is {number(p['dof'])} and must be above {self.width - 1} for {self.width} columns"
        return "" if is_definite(p["scale"]) else self._singular()

    def _singular(self) -> str:
        flat = [name for name, t in zip(self.columns, np.diagonal(self.parameters["scale"]), strict=True) if t == 0]
        where = (
            f"column {flat[0]!r} is constant" if flat and self.statistics.weight > 0 else "some columns repeat others"
        )
        return f"the scale matrix is singular ({where}, or there are fewer rows than columns)"

    def _distribution(self) -> NormalWishartDistribution:
        return NormalWishartDistribution(**self.parameters)

    def _log_evidence(self) -> float:
        n, d = float(self.statistics.weight), self.width
        return _log_normalizer(self.parameters, d) - _log_normalizer(self._prior, d) - n * d / 2 * math.log(math.pi)

    def _words(self) -> dict[str, str]:
        def name_distribution(p: dict[str, Any]) -> str:
            return "μ, Λ ~ Normal–Wishart(" + ", ".join(f"{name} {vector(value)}" for name, value in p.items()) + ")"

        return {
            "prior": name_distribution(self._prior),
            "data": sample(self.statistics, self.statistics.weight) + moments(self.statistics),
            "posterior": name_distribution(self.parameters),
        }

    def _answers(self) -> dict[str, str]:
        (location, shape, free), of = self._next(), self.credible_interval()
        has_mode = self.parameters["dof"] > self.width
        return {
            "mean": f"μ {vector(self.mean().mean)}, Λ {vector(self.mean().precision)}",
            "MAP": f"μ {vector(self.map().mean)}, Λ {vector(self.map().precision)}" if has_mode else "none",
            "95 % of μ": coordinates(self.columns, of.mean),
            "… of Σ_jj": coordinates(self.columns, of.variance),
            "next": f"Student t({number(free)} degrees of freedom, location {vector(location)}, shape {vector(shape)})",
        }


def _log_normalizer(p: dict[str, Any], d: int) -> float:
    """ln Γ_d(ν/2) − ν/2·ln|T| − d/2·ln κ: the integral of the density, without powers of 2 and π."""
    from scipy.special import multigammaln

    log_det = np.linalg.slogdet(p["scale"]).logabsdet
    return float(multigammaln(p["dof"] / 2, d) - p["dof"] / 2 * log_det - d / 2 * math.log(p["kappa"]))
