"""The bootstrap that studentizes: each resample says by how many of its own standard errors it is off.

Percentiles of resamples, corrected or not, are too narrow where few rows are skewed, as squared errors are: a resample
that misses the large ones has a small mean *and* a small spread. Dividing by that spread mends it, on a scale on which
the spread hardly depends on the mean: of mean squares, the logarithm.

Reference: P. Hall, Theoretical comparison of bootstrap confidence intervals, The Annals of Statistics 16, 1988.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from learnt.data.table import Array

#: Cells of resamples that are held at a time: they stay in the processor's cache.
CELLS = 1 << 16


def at_a_time(n: int, times: int) -> Iterator[int]:
    """`times` resamples of n rows in pieces: how many each has."""
    step = max(1, CELLS // max(n, 1))
    return (min(step, times - start) for start in range(0, times, step))


def drawn_rows(rng: np.random.Generator, n: int, times: int) -> Iterator[Array]:
    """The numbers of n rows drawn anew, `times` times: resamples × n, piece by piece."""
    return (rng.integers(0, n, (count, n)) for count in at_a_time(n, times))


def mean_square_factors(
    errors: Array, truth: Array | None, tail: float, n_resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """How many times the mean squared error of new rows may be that of these, at least and at most; with `truth`, the
    mean squared error as a share of its variance. 1 and 1 where nothing varies."""
    columns = [np.square(_within_one(errors))]
    if truth is not None:
        columns.append(_within_one(truth - truth.mean()))
    log, error = (float(found[0]) for found in _log_and_error([values[None] for values in columns]))
    if not error > 0:
        return 1.0, 1.0
    off = []
    for rows in drawn_rows(rng, len(errors), n_resamples):
        logs, own = _log_and_error([values[rows] for values in columns])
        off.append((logs[own > 0] - log) / own[own > 0])  # the others are of one row alone, or without any error
    known = np.concatenate(off)
    if not len(known):
        return 1.0, 1.0
    ends = np.quantile(known, [1 - tail, tail]) * -error
    with np.errstate(over="ignore"):  # of very few rows some resamples vary hardly at all: there is no upper end
        low, high = np.exp(ends).tolist()
    return low, high


def _within_one(values: Array) -> Array:
    """In units of the largest, so that no square is too large or too small a number."""
    largest = float(np.abs(values).max(initial=0.0))
    return values / largest if largest > 0 else values


def _log_and_error(columns: list[Array]) -> tuple[Array, Array]:
    """Of each resample of squared errors the logarithm of their mean, or of its share of the variance of the truth
    beside them, and the standard error of that by the delta method; NaN where a mean is 0, which has no logarithm."""
    lost = columns[0]
    mean = _or_nan(lost.mean(axis=1))
    log, moves = np.log(mean), lost / mean[:, None] - 1
    for truth in columns[1:]:
        there = np.square(truth - truth.mean(axis=1, keepdims=True))
        variance = _or_nan(there.mean(axis=1))
        log -= np.log(variance)
        moves -= there / variance[:, None] - 1
    return log, np.sqrt(np.einsum("ij,ij->i", moves, moves)) / lost.shape[1]


def _or_nan(mean: Array) -> Array:
    return np.where(mean > 0, mean, np.nan)
