"""Weighted means and centred products of columns: what least squares and principal components have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array

#: Rows encoded at a time: the matrix of a mixed table never exists as a whole.
ENCODED_ROWS = 16_384
_SAMPLED_ROWS = 256


def joined_products(a: Any, b: Any) -> tuple[float, Array, Array]:
    """Weight W, mean m and Σ w (x − m)(x − m)ᵀ of the rows of two statistics that have these three, W > 0."""
    weight = a.weight + b.weight
    share, apart = b.weight / weight, b.mean - a.mean
    return weight, a.mean + share * apart, a.products + b.products + share * a.weight * np.outer(apart, apart)


def centred_products(gram: Array, shift: Array) -> tuple[Array, Array]:
    """Mean and centred products from Σ w (1, x − shift)(1, x − shift)ᵀ, whose weight is above 0."""
    weight = float(gram[0, 0])
    offset = gram[0, 1:] / weight
    with np.errstate(invalid="ignore", over="ignore"):  # the caller asks whether they are finite
        products = gram[1:, 1:] - weight * np.outer(offset, offset)
    return shift + offset, products


def sample_mean(x: Array, weights: Array | None) -> Array:
    """The mean of a few rows; rows without weight may lie anywhere and are left out."""
    step = max(1, len(x) // _SAMPLED_ROWS)
    some = np.array(x[::step], dtype=np.float64, order="C")  # the layout of a table must not show in a bit
    if weights is not None:
        some = some[weights[::step] > 0]
    with np.errstate(invalid="ignore", over="ignore"):
        mean = some.mean(axis=0) if len(some) else np.zeros(x.shape[1])
    return np.where(np.isfinite(mean), mean, 0.0)


def dense(x: Any) -> Array:
    """A matrix with all its zeros."""
    array: Array = x if isinstance(x, np.ndarray) else x.toarray()
    return array
