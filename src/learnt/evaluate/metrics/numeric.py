"""Errors of numbers, over checked float64 arrays: what the public functions and the scores of folds share."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.metrics.weighing import mean_of, sum_of, weighted_mean
from learnt.statistics.quantiles import weighted_quantile


def _square(truth: Array, answer: Array | float) -> Array:
    error: Array = truth - answer
    error *= error
    return error


def _size(truth: Array, answer: Array) -> Array:
    error: Array = truth - answer
    return np.abs(error, out=error)


def mse_of(truth: Array, answer: Array, weights: Array | None = None) -> float:
    return mean_of(_square, truth, answer, weights=weights)


def mae_of(truth: Array, answer: Array, weights: Array | None = None) -> float:
    return mean_of(_size, truth, answer, weights=weights)


def median_error_of(truth: Array, answer: Array, weights: Array | None = None) -> float:
    return weighted_quantile(_size(truth, answer), weights, 0.5)


def percentage_error_of(truth: Array, answer: Array, weights: Array | None = None) -> float:
    """Mean |error| / |truth|; a truth of 0 counts as the smallest step above it."""
    least = np.finfo(np.float64).eps
    return mean_of(lambda t, a: _size(t, a) / np.maximum(np.abs(t), least), truth, answer, weights=weights)


def max_error_of(truth: Array, answer: Array, weights: Array | None = None) -> float:
    return float(_size(truth, answer).max()) if len(truth) else float("nan")


def variance_of(values: Array, weights: Array | None = None) -> float:
    """The mean square around the mean, by weight."""
    middle = weighted_mean(values, weights)
    return mean_of(lambda v: _square(v, middle), values, weights=weights)


def explained_share(lost: float, there: float, *, force_finite: bool = True) -> float:
    """1 − lost/there. Without anything to explain: 1 if nothing was lost, else 0 (unless −∞ may be said)."""
    if there == 0 or (force_finite and lost == 0):
        if force_finite:
            return 1.0 if lost == 0 else 0.0
        return float("-inf") if lost > 0 else float("nan")
    return 1 - lost / there


def r2_of(truth: Array, answer: Array, weights: Array | None = None, *, force_finite: bool = True) -> float:
    if len(truth) < 2:
        return float("nan")
    middle = weighted_mean(truth, weights)
    there = sum_of(lambda t: _square(t, middle), truth, weights=weights)
    return explained_share(sum_of(_square, truth, answer, weights=weights), there, force_finite=force_finite)


def explained_variance_of(
    truth: Array, answer: Array, weights: Array | None = None, *, force_finite: bool = True
) -> float:
    lost = variance_of(truth - answer, weights)
    return explained_share(lost, variance_of(truth, weights), force_finite=force_finite)


def pearson_of(truth: Array, answer: Array, weights: Array | None = None) -> float:
    """Covariance over the product of the standard deviations; NaN where one of them is 0."""
    means = [weighted_mean(v, weights) for v in (truth, answer)]
    spreads = [float(np.sqrt(variance_of(v, weights))) for v in (truth, answer)]
    for spread, values in zip(spreads, (truth, answer), strict=True):
        # A constant's mean may differ from it in the last digit, which would look like a spread.
        if not spread > 1e-13 * float(np.abs(values).max(initial=0.0)):
            return float("nan")
    together = mean_of(lambda t, a: (t - means[0]) * (a - means[1]), truth, answer, weights=weights)
    return max(-1.0, min(1.0, together / (spreads[0] * spreads[1])))


def ranks(values: Array) -> Array:
    """Places from 1, equal values sharing the mean of theirs."""
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right") + 1) / 2


def weighted_ranks(values: Array, weights: Array | None) -> Array:
    """The weight below each value and half of that which is equal to it: `ranks` for rows that count by weight."""
    if weights is None:
        return ranks(values)
    levels, place = np.unique(values, return_inverse=True)
    mass = np.bincount(place, weights, len(levels))
    middle: Array = (np.cumsum(mass) - mass / 2)[place]
    return middle


def spearman_of(truth: Array, answer: Array, weights: Array | None = None) -> float:
    return pearson_of(weighted_ranks(truth, weights), weighted_ranks(answer, weights), weights)
