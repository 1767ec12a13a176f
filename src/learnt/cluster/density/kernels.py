"""Kernels of densities: their shapes, how much of space they fill, and draws from them."""

from __future__ import annotations

import math

import numpy as np

from learnt.data.table import Array

#: As functions of the distance in bandwidths; all but the first two are 0 beyond 1.
KERNELS = ("gaussian", "exponential", "tophat", "epanechnikov", "linear", "cosine", "tricube")

#: Points at which the radius of a draw is looked up.
_RADII = 4097


def log_kernel(kernel: str, square: Array) -> Array:
    """log K of squared distances; −inf where a kernel has ended."""
    if kernel == "gaussian":
        return square / -2
    d = np.sqrt(square)
    if kernel == "exponential":
        return -d
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Array = np.where(square < 1, np.log(np.maximum(_shape(kernel, np.minimum(d, 1.0)), 0.0)), -np.inf)
    return found


def _shape(kernel: str, d: Array) -> Array:
    """K within its end."""
    if kernel == "tophat":
        return np.ones_like(d)
    if kernel == "epanechnikov":
        return 1 - d**2
    if kernel == "linear":
        return 1 - d
    if kernel == "cosine":
        return np.cos(np.pi / 2 * d)
    shape: Array = (1 - d**3) ** 3
    return shape


def log_volume(kernel: str, dimensions: int) -> float:
    """log ∫ K over a space of so many dimensions: what densities are divided by. 0 of none."""
    p = dimensions
    if p == 0:
        return 0.0
    if kernel == "gaussian":
        return p / 2 * math.log(2 * math.pi)
    ball = p / 2 * math.log(math.pi) - math.lgamma(p / 2 + 1)
    if kernel == "tophat":
        return ball
    if kernel == "epanechnikov":
        return ball + math.log(2 / (p + 2))
    if kernel == "linear":
        return ball - math.log(p + 1)
    sphere = ball + math.log(p)
    if kernel == "exponential":
        return sphere + math.lgamma(p)
    if kernel == "tricube":
        return sphere + math.log(1 / p - 3 / (p + 3) + 3 / (p + 6) - 1 / (p + 9))
    nodes, weights = np.polynomial.legendre.leggauss(64 + p)
    r = (nodes + 1) / 2
    return sphere + math.log(float(weights @ (_shape(kernel, r) * r ** (p - 1))) / 2)


def draw_offsets(kernel: str, n: int, dimensions: int, rng: np.random.Generator) -> Array:
    """n draws from the kernel around 0, in bandwidths."""
    direction = rng.normal(size=(n, dimensions))
    if kernel == "gaussian" or dimensions == 0:
        return direction
    direction /= np.sqrt((direction**2).sum(axis=1, keepdims=True))
    if kernel == "exponential":
        return direction * rng.gamma(dimensions, size=(n, 1))
    r = np.linspace(0, 1, _RADII)
    middle = (r[:-1] + r[1:]) / 2
    mass = np.concatenate([[0.0], np.cumsum(_shape(kernel, middle) * middle ** (dimensions - 1))])
    radius: Array = np.interp(rng.random(n), mass / mass[-1], r)
    return direction * radius[:, None]
