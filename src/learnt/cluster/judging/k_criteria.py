"""What speaks for a number of clusters: the elbow, the gap statistic, and a test of one cluster against two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread

#: Fits k clusters to rows with weights; returns the inertia and the labels.
Fit = Callable[[Array, "Array | None", int], tuple[float, Array]]
#: Draws a table without clusters.
Draw = Callable[[np.random.Generator], Array]


def elbow(k: Sequence[int], inertia: Array) -> int:
    """Where inertia bends most: the k farthest below the straight line from the first to the last.

    >>> elbow([1, 2, 3, 4, 5], np.array([100.0, 60.0, 12.0, 10.0, 8.0]))
    3
    """
    fall = inertia[0] - inertia[-1]
    if len(k) < 3 or not fall > 0:
        return k[0]
    across = (np.asarray(k) - k[0]) / (k[-1] - k[0])
    below = (1 - across) - (inertia - inertia[-1]) / fall
    return k[int(below.argmax())]


@dataclass(frozen=True)
class Gap:
    """Per k how far log inertia lies below that of tables without clusters, and the error of that mean.

        gap_k = mean of log W*_k − log W_k        error_k = sd of log W*_k · √(1 + 1/B)

    Reference: R. Tibshirani, G. Walther and T. Hastie, Estimating the number of clusters in a data set via the gap
    statistic, 2001.
    """

    value: Array
    error: Array

    def best(self, k: Sequence[int]) -> int:
        """The smallest k whose gap is within one error of the next one's."""
        for at in range(len(k) - 1):
            if self.value[at] >= self.value[at + 1] - self.error[at + 1]:
                return k[at]
        return k[-1]


def gap_statistic(
    inertia: Array, k: Sequence[int], fit: Fit, draw: Draw, weights: Array | None, count: int, rng: np.random.Generator
) -> Gap:
    """The gap of given inertias, by `count` tables from `draw` that are clustered in the same way."""
    logs = np.empty((count, len(k)))
    for b in range(count):
        reference = draw(rng)
        logs[b] = [_log(fit(reference, weights, number)[0]) for number in k]
    value = logs.mean(axis=0) - np.array([_log(w) for w in inertia])
    return Gap(value, logs.std(axis=0) * np.sqrt(1 + 1 / count))


def _log(inertia: float) -> float:
    """Of an inertia that may be 0, as where rows repeat: then of the least number there is."""
    return float(np.log(max(inertia, np.finfo(np.float64).tiny)))


def uniform_rows(x: Array, numeric: Array) -> Draw:
    """Tables without clusters: numbers uniform over the box of their principal axes, each other column of the table
    (`numeric` False) drawn anew from its own cells, a block of indicators at a time.

    `numeric` holds, per column of x, the number of the column of the table it encodes, and −1 for numbers.
    """
    plain = numeric < 0
    center = x[:, plain].mean(axis=0)
    with one_blas_thread():  # the same bits for any number of threads
        _, _, axes = np.linalg.svd(x[:, plain] - center, full_matrices=False)
        turned = (x[:, plain] - center) @ axes.T
    low, high = turned.min(axis=0, initial=0.0), turned.max(axis=0, initial=0.0)

    def draw(rng: np.random.Generator) -> Array:
        out = np.empty_like(x)
        with one_blas_thread():
            out[:, plain] = rng.uniform(low, high, (len(x), len(low))) @ axes + center
        for j in np.unique(numeric[~plain]):
            block = numeric == j
            out[:, block] = x[np.ix_(rng.integers(len(x), size=len(x)), block)]
        return out

    return draw


@dataclass(frozen=True)
class Split:
    """One cluster against its split in two: the share of its inertia that is left, beside what a single normal
    distribution of the same covariance leaves; `p_value` is small where the split gains more than chance."""

    rows: int
    share: float
    expected: float
    p_value: float
    kept: bool


def split_clusters(
    x: Array, weights: Array | None, fit: Fit, *, most: int, level: float, draws: int, rng: np.random.Generator
) -> tuple[int, tuple[Split, ...]]:
    """Split in two what is significantly better as two, the cluster of most inertia first, up to `most` clusters.

    Reference: Y. Liu et al., Statistical significance of clustering for high-dimension, low-sample size data, 2008.
    """
    waiting = [np.arange(len(x))]
    done, tests = 0, []
    while waiting:
        if done + len(waiting) >= most:
            done += len(waiting)
            break
        rows = waiting.pop(0)
        test, labels = _split_cluster(x[rows], None if weights is None else weights[rows], fit, level, draws, rng)
        tests.append(test)
        if test.kept:
            waiting += [rows[labels == 0], rows[labels == 1]]
            waiting.sort(key=lambda part: -_inertia(x[part], None if weights is None else weights[part]))
        else:
            done += 1
    return done, tuple(tests)


def _split_cluster(
    x: Array, weights: Array | None, fit: Fit, level: float, draws: int, rng: np.random.Generator
) -> tuple[Split, Array]:
    n, whole = len(x), _inertia(x, weights)
    if n < 4 or not whole > 0:
        return Split(n, 1.0, 1.0, 1.0, False), np.zeros(n, np.int32)
    left, labels = fit(x, weights, 2)
    mean = np.average(x, axis=0, weights=weights)
    w = np.ones(n) if weights is None else weights
    root = np.sqrt(w / w.sum())[:, None] * (x - mean)
    with one_blas_thread():
        size = np.linalg.svd(root, compute_uv=False)
    use = size > 1e-12 * size[0]
    shares = np.empty(draws)
    for b in range(draws):
        normal = rng.standard_normal((n, int(use.sum()))) * size[use]  # distances are the same without turning back
        shares[b] = fit(normal, weights, 2)[0] / _inertia(normal, weights)
    from scipy.special import stdtr

    spread = max(float(shares.std(ddof=1)), 1e-9) * np.sqrt(1 + 1 / draws)
    p_value = float(stdtr(draws - 1, (left / whole - shares.mean()) / spread))
    return Split(n, left / whole, float(shares.mean()), p_value, p_value < level), labels


def _inertia(x: Array, weights: Array | None) -> float:
    apart = x - np.average(x, axis=0, weights=weights)
    return float(np.einsum("ij,ij,i->", apart, apart, np.ones(len(x)) if weights is None else weights))
