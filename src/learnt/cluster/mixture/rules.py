"""What the M-step of a mixture is told: shapes, priors, and what is not to be learnt."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnt.data.table import Array

#: Less is nothing: a component without rows stays as it is, and the logarithm of its share is finite.
LEAST = 1e-300


@dataclass(frozen=True)
class Rules:
    """`blur` is the variance, in z, of the noise that every number is taken to have (see `GaussianMixture`).

    `rows_of_prior` rows with the variance `target` in every direction are added to each component; `concentration`
    − 1 rows to each weight; `smoothing` rows, spread as in the whole table (`frequency`), to each table of
    probabilities.
    """

    shape: str  # "full", "tied", "diag", "spherical"
    blur: float
    concentration: float = 1.0
    rows_of_prior: float = 0.0
    target: float = 1.0
    equal_weights: bool = False
    variance: float | None = None  # known, and the same everywhere
    smoothing: float = 0.0
    frequency: Array | None = None

    def shares(self, weight: Array) -> Array:
        """The components' weights, from the weight of their rows."""
        if self.equal_weights:
            return np.full(len(weight), 1 / len(weight))
        more = weight + (self.concentration - 1)
        share: Array = more / more.sum()
        return share

    def gently(self, rows: float) -> Rules:
        """The same with a twentieth of so many rows as prior at least: a start from a few rows is not a spike."""
        return replace(self, rows_of_prior=max(self.rows_of_prior, rows / 20), smoothing=max(self.smoothing, rows / 20))

    def log_prior_of_shares(self, share: Array) -> float:
        if self.equal_weights or self.concentration == 1:
            return 0.0
        return (self.concentration - 1) * float(np.log(np.maximum(share, LEAST)).sum())


def log_shares(share: Array) -> Array:
    logs: Array = np.log(np.maximum(share, LEAST))
    return logs
