"""Derivatives of losses by the scores, the losses themselves, and samples of rows by gradient."""

from __future__ import annotations

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.statistics.sample import hash_rows


def gradients(
    loss: str,
    scores: Array,
    target: Array,
    weights: Array | None,
    parameter: float,
    gradient: Array,
    hessian: Array,
) -> None:
    """Overwrite `gradient` and `hessian` (outputs × rows, float32 or float64) with the derivatives of the loss."""
    _core.boost_gradients(loss, scores, *_target(loss, target), weights, parameter, gradient, hessian)


def total_loss(
    loss: str,
    scores: Array,
    target: Array,
    weights: Array | None = None,
    parameter: float = 0.0,
    kept: Array | None = None,
) -> tuple[float, float]:
    """The weighted sum of the losses of all rows, or of those kept, and of their weights."""
    found: tuple[float, float] = _core.boost_loss(loss, scores, *_target(loss, target), weights, parameter, flags(kept))
    return found


def _target(loss: str, target: Array) -> tuple[Array | None, Array | None]:
    if loss in ("logistic", "softmax"):
        return None, np.ascontiguousarray(target, np.int32)
    return np.ascontiguousarray(target, np.float64), None


def flags(kept: Array | None) -> Array | None:
    """Booleans as kernels take them."""
    return None if kept is None else np.ascontiguousarray(kept, bool).view(np.uint8)


def subsample_rows(n: int, share: float, seed: int, tree_number: int, first_row: int = 0) -> Array:
    """Which rows a tree sees: each with probability `share`, hashed from seed, tree and row."""
    mixed = (seed * 0x9E3779B97F4A7C15 + (tree_number + 1) * 0xD1342543DE82EF95) & (1 << 64) - 1
    kept: Array = hash_rows(mixed, first_row, n) < share
    return kept


def magnitudes(gradients: Array) -> Array:
    """How many rows have a gradient of each size, in buckets that rise with it; adds over batches."""
    found: Array = _core.boost_magnitudes(gradients)
    return found


def goss_threshold(magnitudes: Array, top_share: float) -> int:
    """The bucket from which on the rows of largest gradients make up the share, or a little more."""
    above = np.cumsum(magnitudes[::-1])
    return int(len(magnitudes) - 1 - np.searchsorted(above, top_share * above[-1]))


def goss_rows(
    gradients: Array,
    hessians: Array,
    threshold: int,
    other_share: float,
    seed: int,
    tree_number: int,
    first_row: int = 0,
) -> Array:
    """Which rows a tree sees: all of large gradients, and each other one with probability `other_share`, whose
    gradients and hessians are divided by that chance, in place."""
    kept = np.empty(gradients.shape[1], np.uint8)
    _core.boost_goss(gradients, hessians, threshold, other_share, seed, tree_number, first_row, kept)
    return kept.view(bool)
