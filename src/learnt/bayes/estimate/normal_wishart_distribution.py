"""The Normal–Wishart distribution: a random mean and a random precision matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.bayes.estimate.results import MeanAndPrecision
from learnt.bayes.estimate.settings import checked_matrix, checked_number, checked_vector
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.learner.parameters import Real, seed_from
from learnt.show.numbers import number


class NormalWishartDistribution:
    """The distribution of a pair (μ, Λ): Λ ~ Wishart(ν, T⁻¹), and given it μ ~ N(m, (κΛ)⁻¹).

        p(μ, Λ) ∝ |Λ|^((ν−d)/2) · exp(−½ tr(TΛ) − ½κ(μ−m)ᵀΛ(μ−m))

    >>> pair = NormalWishartDistribution(mean=[0, 0], kappa=2, dof=4, scale=[[2, 0], [0, 1]])
    >>> pair.mean().precision
    array([[2., 0.],
           [0., 4.]])

    T has the units of a covariance: E[Λ] = ν·T⁻¹. `scipy.stats.wishart` calls T⁻¹ its scale. Arrays of
    several pairs have the coordinates last: μ (…, d), Λ (…, d, d).
    """

    def __init__(self, mean: Any, kappa: float, dof: float, scale: Any):
        owner = "NormalWishartDistribution"
        self.location = checked_vector(owner, "mean", mean)
        d = len(self.location)
        self.kappa = checked_number(owner, "kappa", kappa, Real(above=0))
        self.dof = checked_number(owner, "dof", dof, Real(above=d - 1))
        self.scale = checked_matrix(owner, "scale", scale, d)

    @property
    def width(self) -> int:
        return len(self.location)

    def logpdf(self, mean: Any, precision: Any) -> Any:
        """ln p(μ, Λ), of one pair or many; −∞ where Λ is not positive definite."""
        from scipy.special import multigammaln

        d, k, v = self.width, self.kappa, self.dof
        mu, lam = np.asarray(mean, dtype=float), np.asarray(precision, dtype=float)
        if mu.shape[-1:] != (d,) or lam.shape[-2:] != (d, d):
            raise InputError(
                f"A mean of shape {mu.shape} and a precision of shape {lam.shape} came. "
                f"Expected (…, {d}) and (…, {d}, {d}). Put the coordinates last."
            )
        if not np.allclose(lam, lam.swapaxes(-1, -2)):
            raise InputError("The precision is not symmetric. Expected the inverse of a covariance. Correct it.")
        eigenvalues = np.linalg.eigvalsh(lam)
        inside = eigenvalues.min(axis=-1) > 0
        log_det = np.log(np.where(inside[..., None], eigenvalues, 1)).sum(axis=-1)
        apart = mu - self.location
        quadratic = np.einsum("...i,...ij,...j->...", apart, lam, apart)
        trace = np.einsum("ij,...ji->...", self.scale, lam)
        constant = 0.5 * d * (math.log(k / (2 * math.pi)) - v * math.log(2)) - multigammaln(v / 2, d)
        constant += 0.5 * v * np.linalg.slogdet(self.scale).logabsdet
        density = constant + 0.5 * ((v - d) * log_det - trace - k * quadratic)
        return np.where(inside, density, -np.inf)[()]

    def pdf(self, mean: Any, precision: Any) -> Any:
        """p(μ, Λ), of one pair or many."""
        return np.exp(self.logpdf(mean, precision))

    def mean(self) -> MeanAndPrecision:
        """E[μ] = m (NaN for ν ≤ d, where there is none) and E[Λ] = ν·T⁻¹."""
        center = self.location.copy() if self.dof > self.width else np.full(self.width, np.nan)
        return MeanAndPrecision(center, self.dof * self._inverse())

    def mode(self) -> MeanAndPrecision:
        """The pair of highest density: μ = m, Λ = (ν − d)·T⁻¹; none for ν ≤ d."""
        if self.dof <= self.width:
            raise InputError(
                f"The density has no highest point: dof is {number(self.dof)} for {self.width} columns, and it grows "
                "towards a singular precision. A mode needs more degrees of freedom than columns. "
                "Take mean(), or observe more."
            )
        return MeanAndPrecision(self.location.copy(), (self.dof - self.width) * self._inverse())

    def var(self) -> MeanAndPrecision:
        """The variance of every entry: of μ, T_jj/(κ(ν−d−1)) (∞ for ν ≤ d+1), of Λ, ν(V_ij² + V_ii·V_jj), V = T⁻¹."""
        rest, v = self.dof - self.width - 1, self._inverse()
        of_mean = np.diagonal(self.scale) / (self.kappa * rest) if rest > 0 else np.full(self.width, np.inf)
        return MeanAndPrecision(of_mean, self.dof * (v**2 + np.outer(np.diagonal(v), np.diagonal(v))))

    def rvs(self, size: int | tuple[int, ...] = 1, random_state: Any = None) -> MeanAndPrecision:
        """Random pairs: a vector and a matrix for size 1, else arrays with `size` in front of their shapes."""
        from scipy import stats

        rng = np.random.default_rng(seed_from(random_state))
        shape = () if size == 1 else np.empty(size).shape
        drawn = stats.wishart(self.dof, self._inverse()).rvs(size, random_state=rng)
        precision = np.reshape(drawn, (*shape, self.width, self.width))
        # Λ = LLᵀ, so that L⁻ᵀz has covariance Λ⁻¹ for a standard normal z.
        upper = np.linalg.cholesky(precision).swapaxes(-1, -2)
        z = rng.standard_normal((*shape, self.width, 1))
        return MeanAndPrecision(self.location + np.linalg.solve(upper, z)[..., 0] / math.sqrt(self.kappa), precision)

    def marginal_mean(self) -> Any:
        """μ by itself: `scipy.stats.multivariate_t`, ν−d+1 degrees of freedom, shape T/(κ(ν−d+1))."""
        free = self.dof - self.width + 1
        return student(self.location, self.scale / (self.kappa * free), free)

    def marginal_precision(self) -> Any:
        """Λ by itself: `scipy.stats.wishart(ν, T⁻¹)`."""
        from scipy import stats

        return stats.wishart(self.dof, self._inverse())

    def marginal_covariance(self) -> Any:
        """Σ = Λ⁻¹ by itself: `scipy.stats.invwishart(ν, T)`."""
        from scipy import stats

        return stats.invwishart(self.dof, self.scale)

    def _inverse(self) -> Array:
        inverse = np.linalg.inv(self.scale)
        symmetric: Array = (inverse + inverse.T) / 2
        return symmetric

    def __repr__(self) -> str:
        from learnt.bayes.estimate.conjugate import setting_text

        center, scale = setting_text(self.location), setting_text(self.scale)
        return f"NormalWishartDistribution(mean={center}, kappa={self.kappa:g}, dof={self.dof:g}, scale={scale})"


def student(location: Array, shape: Array, dof: Any) -> Any:
    """`scipy.stats.multivariate_t`, which can be had only for columns of comparable units."""
    from scipy import stats

    try:
        return stats.multivariate_t(location, shape, dof)
    except np.linalg.LinAlgError as error:
        spread = np.diagonal(shape)
        raise InputError(
            f"The variances of the columns reach from {spread.min():.3g} to {spread.max():.3g}, or columns nearly "
            "repeat others. SciPy's Student t needs them within nine powers of ten. "
            "Give the columns in other units, or leave some out."
        ) from error
