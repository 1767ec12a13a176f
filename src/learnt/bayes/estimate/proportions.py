"""Proportions that sum to 1: what the Beta and the Dirichlet distribution share."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError


def mean_of_proportions(alpha: Array) -> Array:
    """α/Σα, also in the limit where some α are 0."""
    total = alpha.sum()
    if total == 0:
        raise InputError(
            "There is no mean: the prior says nothing (all alpha are 0) and nothing has been observed. "
            "Update with observations, or give an alpha above 0."
        )
    mean: Array = alpha / total
    return mean


def has_mode(alpha: Array) -> bool:
    """Whether one value is more probable than all others."""
    return bool((alpha > 1).any() or (alpha == 1).sum() == 1)


def mode_of_proportions(alpha: Array) -> Array:
    """θ_k = (α_k − 1)/Σ(α − 1) over the α above 1; labels with α below 1 pile up at θ_k = 0."""
    if not has_mode(alpha):
        shape = "flat" if (alpha == 1).any() else "highest at every end"
        raise InputError(
            f"There is no single most probable value: the posterior is {shape}. "
            "A mode needs an alpha above 1. Update with observations, or take mean()."
        )
    above = np.maximum(alpha - 1, 0)
    if not above.any():
        above = (alpha == 1).astype(np.float64)  # one α of 1 among smaller ones: all others go to 0
    mode: Array = above / above.sum()
    return mode


def log_beta(alpha: Array) -> float:
    """ln B(α) = Σ ln Γ(α_k) − ln Γ(Σα)."""
    from scipy.special import gammaln

    return float(gammaln(alpha).sum() - gammaln(alpha.sum()))
