"""The minimum covariance determinant: where the densest half of the rows lies, and how it spreads."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array

#: Random starts, those that are followed to the end, and steps of each before that is decided.
STARTS, FOLLOWED, FIRST_STEPS = 50, 10, 2
#: Starts are tried on so many rows at most.
TRIED_ROWS = 2000
MOST_STEPS = 100
#: Of the variance that all rows have in a direction, a smaller share is none.
FLAT = 1e-8


@dataclass(frozen=True, eq=False)
class Spread:
    """A location, a covariance, and the logarithm of its determinant."""

    location: Array
    covariance: Array
    log_determinant: float


def plain_spread(z: Array, weights: Array) -> Spread:
    """The mean and the covariance over n."""
    total = float(weights.sum())
    location = (weights @ z) / total
    away = z - location
    covariance = (away * weights[:, None]).T @ away / total
    sign, log = np.linalg.slogdet(covariance)
    return Spread(location, covariance, float(log) if sign > 0 else -math.inf)


def squared_distances(z: Array, spread: Spread) -> Array:
    away = z - spread.location
    return np.asarray((away @ np.linalg.pinv(spread.covariance, hermitian=True) * away).sum(axis=1))


def robust_spread(z: Array, weights: Array, seed: int) -> tuple[Spread, Array]:
    """Of the half of the rows whose covariance has the least determinant, then of all rows that this spread does not
    call outliers (reweighted); and how much of each row is in that half.

    Both are multiplied by Croux and Haesbroeck's factors, which make them consistent for Gaussian rows. The half is
    sought by random starts and steps to the rows nearest to the last half, which never raise the determinant (Rousseeuw
    and Van Driessen, 1999). A direction in which that half does not vary, as where most of a column is 0, says nothing
    of how far away the others are: there the variance is that of all rows.
    """
    whole = plain_spread(z, weights)
    deviation = np.sqrt(np.diag(whole.covariance))
    deviation = np.where(deviation > 0, deviation, 1.0)
    values, vectors = np.linalg.eigh(whole.covariance / np.outer(deviation, deviation))
    varies = values > FLAT
    if not varies.any():
        return whole, weights
    root = np.sqrt(values[varies])
    back = vectors[:, varies] * root * deviation[:, None]
    found, taken = _robust_among((z - whole.location) / deviation @ (vectors[:, varies] / root), weights, seed)
    log = found.log_determinant + 2 * float(np.log(root).sum() + np.log(deviation).sum())
    return Spread(whole.location + back @ found.location, back @ found.covariance @ back.T, log), taken


def _robust_among(z: Array, weights: Array, seed: int) -> tuple[Spread, Array]:
    """The same of rows whose covariance is 1."""
    from scipy.stats import chi2

    p, total = z.shape[1], float(weights.sum())
    half = min(math.ceil(0.5 * (total + p + 1)), total)
    raw, taken = _densest_half(z, weights, half, seed)
    raw = Spread(raw.location, raw.covariance * _factor(p, half / total), raw.log_determinant)
    near = squared_distances(z, raw) < chi2.isf(0.025, p)
    found = _filled_spread(z[near], weights[near])
    return Spread(found.location, found.covariance * _factor(p, 0.975), found.log_determinant), taken


def _filled_spread(z: Array, weights: Array) -> Spread:
    """The plain one, with a variance of 1 in directions without any."""
    found = plain_spread(z, weights)
    values, vectors = np.linalg.eigh(found.covariance)
    flat = values < FLAT
    if not flat.any():
        return found
    values = np.where(flat, 1.0, values)
    return Spread(found.location, (vectors * values) @ vectors.T, float(np.log(values).sum()))


def _densest_half(z: Array, weights: Array, half: float, seed: int) -> tuple[Spread, Array]:
    n, p = z.shape
    rng = np.random.default_rng(seed)
    # Rows come in an order of their own, so that the first are as good as any; copies of one would be too few.
    upto = np.cumsum(weights)
    few = slice(0, n) if n <= TRIED_ROWS else slice(0, TRIED_ROWS)
    some, some_weights = z[few], weights[few]
    part = half * float(some_weights.sum()) / float(weights.sum())
    starts = []
    for _ in range(STARTS):
        drawn = np.searchsorted(np.cumsum(some_weights), rng.random(p + 1) * float(some_weights.sum()), side="right")
        spread = _filled_spread(some[np.minimum(drawn, len(some) - 1)], np.ones(p + 1))
        for _ in range(FIRST_STEPS):
            spread, _ = _step(some, some_weights, part, spread)
        starts.append(spread)
    starts.sort(key=lambda s: s.log_determinant)
    best: tuple[Spread, Array] | None = None
    for spread in starts[:FOLLOWED]:
        after, taken = _step(z, weights, half, spread)
        for _ in range(MOST_STEPS):
            last, (after, taken) = after, _step(z, weights, half, after)
            if not after.log_determinant < last.log_determinant - 1e-12:
                break
        if best is None or after.log_determinant < best[0].log_determinant:
            best = after, taken
    assert best is not None
    assert float(upto[-1]) >= half * (1 - 1e-9)
    return best


def _step(z: Array, weights: Array, half: float, spread: Spread) -> tuple[Spread, Array]:
    """The spread of the rows nearest by the last one, up to half of the weight."""
    order = np.argsort(squared_distances(z, spread), kind="stable")
    own = weights[order]
    taken = np.zeros(len(z))
    taken[order] = np.clip(half - (np.cumsum(own) - own), 0, own)
    there = taken > 0
    return _filled_spread(z[there], taken[there]), taken


def _factor(p: int, share: float) -> float:
    """Croux and Haesbroeck's: share / P(χ²_{p+2} ≤ the share's quantile of χ²_p)."""
    from scipy.stats import chi2

    return 1.0 if share >= 1 else float(share / chi2.cdf(chi2.ppf(share, p), p + 2))
