"""Losses of probabilities that are least when the probabilities are right: logarithmic and quadratic."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array


def log_losses(truth: Array, probabilities: Array) -> Array:
    """−log of the probability each row gave its own class, which counts as at least the smallest step above 0."""
    tiny = np.finfo(probabilities.dtype).eps
    own = np.clip(probabilities[np.arange(len(truth)), truth], tiny, 1 - tiny).astype(np.float64, copy=False)
    np.log(own, out=own)
    return np.negative(own, out=own)


def brier_losses(truth: Array, probabilities: Array) -> Array:
    """Σ_c (p_c − 1[c is the truth])² of each row."""
    rows = np.arange(len(truth))
    # (p − 1)² = p² − 2p + 1 would lose digits where p is near 1: the own class is taken apart instead.
    others = probabilities.astype(np.float64)
    lacking = 1 - others[rows, truth]
    others[rows, truth] = 0
    losses: Array = np.einsum("ij,ij->i", others, others)
    losses += lacking * lacking
    return losses
