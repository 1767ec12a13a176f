"""From products by class to covariances: their shape, and how far they shrink to a sphere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.bayes.discriminant.class_products import ClassProducts
from learnt.data.table import Array


@dataclass(frozen=True)
class Covariances:
    """In the units of the table: one for all classes (`shared`) or one each, and what they shrank by."""

    raw: Array
    shared: bool
    shrinkage: Array


def covariances(products: ClassProducts, scale: Array, kind: str, shrinkage: float | str, ddof: int) -> Covariances:
    """`kind` is "spherical", "shared", "full" or "diagonal"; `scale` leads back to the units of the table."""
    deviation, weight = products.deviations(), products.weight
    counted = np.broadcast_to(weight, deviation.shape)
    present = (counted > 0).sum(axis=0)
    pooled = _divide_sums(deviation.sum(axis=0), counted.sum(axis=0) - ddof * present)
    if kind in ("shared", "spherical"):
        found = pooled[None]
    else:
        found = _divide_sums(deviation, counted - ddof)
        for c in range(len(found)):  # a class without a single cell of a column varies there as the others do
            none = np.flatnonzero(np.diagonal(counted[c]) == 0)
            found[c, none, none] = np.diagonal(pooled)[none]
    units = np.outer(scale, scale)
    raw, p = np.zeros(found.shape), len(scale)
    shares = np.zeros(len(found))
    for g, sigma in enumerate(found):
        part = sigma * units
        if kind in ("spherical", "diagonal"):
            part = np.diag(np.diag(part))
        if kind == "spherical":
            part = np.eye(p) * (np.trace(part) / max(p, 1))
        rows = float(products.class_weight.sum() if len(found) == 1 else products.class_weight[g])
        shares[g] = _oas(part, rows) if isinstance(shrinkage, str) else float(shrinkage)
        raw[g] = (1 - shares[g]) * part
        raw[g][np.diag_indices(p)] += shares[g] * (np.trace(part) / max(p, 1))
    return Covariances(raw, len(found) == 1, shares)


def _divide_sums(total: Array, weight: Array) -> Array:
    """Sums divided by weights, 0 where nothing is left to divide by."""
    return np.divide(total, weight, out=np.zeros(total.shape), where=weight > 0)


def _oas(sigma: Array, rows: float) -> float:
    """How far to shrink, by the oracle approximation of Chen, Wiesel, Eldar and Hero (2010)."""
    p = len(sigma)
    if p < 2:
        return 0.0
    sigma = sigma / max(float(np.abs(sigma).max()), np.finfo(np.float64).tiny)  # only ratios count
    mean_square, square_mean = float(np.mean(sigma**2)), (float(np.trace(sigma)) / p) ** 2
    below = (rows + 1) * (mean_square - square_mean / p)
    return 1.0 if below <= 0 else min((mean_square + square_mean) / below, 1.0)
