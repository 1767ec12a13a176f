"""What the models of unknown mean and precision answer with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class MeanAndPrecision(NamedTuple):
    """A value of μ with a value of the precision: λ = 1/σ², or the matrix Λ = Σ⁻¹."""

    mean: Any
    precision: Any

    @property
    def variance(self) -> Any:
        """The variance 1/λ that the precision stands for. (Not the posterior mean of the variance.)"""
        with np.errstate(divide="ignore"):
            return 1.0 / np.asarray(self.precision)[()]

    @property
    def covariance(self) -> Any:
        """The covariance Λ⁻¹ that a precision matrix stands for. (Not the posterior mean of Σ.)"""
        return np.linalg.inv(self.precision)


class Intervals(NamedTuple):
    """Credible intervals, low and high end: of a matrix those of its diagonal, a row per coordinate."""

    mean: Any
    precision: Any
    variance: Any
