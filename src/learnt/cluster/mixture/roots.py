"""Covariances taken apart: what whitens a difference, and the volume of an ellipsoid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread
from learnt.errors import InputError


@dataclass(frozen=True)
class Roots:
    """Of some columns: A with AᵀA = Σ⁻¹ and log |2πΣ|, for each covariance."""

    root: Array
    log_volume: Array

    @property
    def trace(self) -> Array:
        """tr Σ⁻¹."""
        found: Array = (self.root**2).sum(axis=(1, 2))
        return found


def roots_of(covariance: Array) -> Roots:
    p = covariance.shape[1]
    if p == 0:
        return Roots(np.zeros(covariance.shape), np.zeros(len(covariance)))
    with one_blas_thread():
        lower = _cholesky(covariance)
        logs = np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        return Roots(_inverses(lower), 2 * logs + p * np.log(2 * np.pi))


def _cholesky(spread: Array) -> Array:
    """Lower triangles L with L Lᵀ = Σ."""
    try:
        lower: Array = np.linalg.cholesky(spread)
    except np.linalg.LinAlgError:
        lower = np.full(spread.shape, np.nan)
    if np.isfinite(lower).all():
        return lower
    bad = next((g for g, sigma in enumerate(spread) if not np.linalg.eigvalsh(sigma)[0] > 0), 0)
    raise InputError(
        f"The covariance of component {bad} is not positive definite: columns repeat each other, or too few rows "
        "belong to it. Raise reg_covar, ask for fewer components, or use another covariance_type."
    )


def _inverses(lower: Array) -> Array:
    """Of lower triangles: all at once where they are small, as every pattern of missing cells has its own."""
    if lower.shape[1] <= 32:
        return np.tril(np.linalg.inv(lower))
    from scipy.linalg.lapack import dtrtri

    return np.stack([np.tril(dtrtri(triangle, lower=1)[0]) for triangle in lower])
