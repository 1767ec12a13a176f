"""The area under the ROC curve with its uncertainty, by DeLong: exact variances in n log n."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.metrics.areas import one_score
from learnt.evaluate.metrics.intervals import Interval, proportion_interval, tail_of, widened_tail
from learnt.evaluate.metrics.labels import set_apart
from learnt.evaluate.metrics.ranking import auc_of
from learnt.evaluate.metrics.studentized import at_a_time
from learnt.learner.parameters import Seed, Whole, check_parameters, seed_from
from learnt.show.numbers import number

METHODS = ("wilson", "delong", "bootstrap")


def placements(positive: Array, score: Array) -> tuple[Array, Array]:
    """For each positive the share of negatives it beats, for each negative the share of positives that beat it.

    Ties count half. The mean of either is the area under the curve; their variances give its variance.
    """
    hits, misses = score[positive], score[~positive]
    ordered_hits, ordered_misses = np.sort(hits), np.sort(misses)

    def below(ordered: Array, values: Array) -> Array:
        share: Array = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
        return share / (2 * len(ordered))

    return below(ordered_misses, hits), 1 - below(ordered_hits, misses)


def auc_interval(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    level: float = 0.95,
    method: str = "wilson",
    n_resamples: int = 2000,
    random_state: Any = 0,
) -> Interval:
    """An interval for the area under the ROC curve of scores for `pos_label` (the second of two classes).

    >>> print(auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.3, 0.9]))
    0.7778  [0.2624, 0.9718]  (95 %, wilson)

    | method | what it is |
    |---|---|
    | `"wilson"` | Wilson's interval of a share, of as many rows as would give it DeLong's variance |
    | `"delong"` | the area ± z of DeLong's standard errors, cut at 0 and 1: too narrow for few rows and near 1 |
    | `"bootstrap"` | rows of each class drawn anew, and percentiles |

    Where every positive scores above every negative (or below), DeLong's variance is 0, which says too much: there it
    is Wilson's interval for as many rows as the smaller class has. Near there, and with few rows of a class, the
    variance is most often too small, too; Wilson's takes it for that of n rows of the smaller class and one that varies
    as a share of n does.

    Reference: E. DeLong, D. DeLong, D. Clarke-Pearson, Biometrics 44, 1988; X. Sun, W. Xu, 2014.
    """
    from scipy.special import ndtri

    if method not in METHODS:
        raise ParameterError(f"method={method!r} is not allowed. Expected 'wilson', 'delong' or 'bootstrap'.")
    positive, _ = set_apart(y_true, pos_label)
    score = one_score(y_score, len(positive))
    tail = tail_of(level)
    if method == "bootstrap":
        return _by_bootstrap(positive, score, level, tail, n_resamples, random_state)
    above, beaten = placements(positive, score)
    area, variance = float(above.mean()), _variance(above) + _variance(beaten)
    if area in (0.0, 1.0) or (variance == 0 and method == "wilson"):
        few = min(len(above), len(beaten))
        low, high = proportion_interval(area * few, few, level=level)
        return Interval(area, low, high, level, "wilson")
    if method == "wilson":
        rows = area * (1 - area) / _cautious(variance, area, min(len(above), len(beaten)))
        low, high = proportion_interval(area * rows, rows, level=level)
    else:
        half = float(-ndtri(tail)) * math.sqrt(variance)
        low, high = max(0.0, area - half), min(1.0, area + half)
    return Interval(area, low, high, level, method)


def _variance(shares: Array) -> float:
    """Of their mean; a class of one row says nothing about its own spread, which then counts as none."""
    return float(shares.var(ddof=1)) / len(shares) if len(shares) > 1 else 0.0


def _cautious(variance: float, area: float, n: int) -> float:
    """A variance drawn to that of a share of n rows, the smaller class, by the weight of one of them."""
    return max(variance, (n * variance + area * (1 - area) / n) / (n + 1))


def _by_bootstrap(
    positive: Array, score: Array, level: float, tail: float, n_resamples: int, random_state: Any
) -> Interval:
    settings = {"n_resamples": n_resamples, "random_state": random_state}
    check_parameters("auc_interval", {"n_resamples": Whole(2), "random_state": Seed()}, settings)
    rng = np.random.default_rng(seed_from(random_state))
    levels, place = np.unique(score, return_inverse=True)
    classes = place[positive], place[~positive]
    areas = np.concatenate(
        [_areas(*(_tallies(rng, rows, len(levels), n) for rows in classes)) for n in at_a_time(len(score), n_resamples)]
    )
    tail = widened_tail(tail, len(score))
    low, high = np.quantile(areas, [tail, 1 - tail]).tolist()
    return Interval(auc_of(positive, score), low, high, level, "bootstrap")


def _tallies(rng: np.random.Generator, place: Array, n_levels: int, times: int) -> Array:
    """Rows at these levels drawn anew: how many there are at each, resamples × levels."""
    cells = place[rng.integers(0, len(place), (times, len(place)))] + n_levels * np.arange(times)[:, None]
    return np.bincount(cells.ravel(), minlength=times * n_levels).reshape(times, n_levels)


def _areas(hits: Array, misses: Array) -> Array:
    """The area of each resample, from how many positives and negatives are at each level of the score."""
    beaten = np.cumsum(misses, axis=1) - misses / 2
    found: Array = np.einsum("ij,ij->i", hits, beaten) / (hits[0].sum() * misses[0].sum())
    return found


@dataclass(frozen=True)
class DelongTest:
    """Whether two scores of the same rows have the same area under the ROC curve.

    `interval` is that of the difference; `p_value` that of a difference as large in either direction.
    """

    auc_a: float
    auc_b: float
    z: float
    p_value: float
    interval: Interval

    @property
    def difference(self) -> float:
        return self.auc_a - self.auc_b

    @property
    def significant(self) -> bool:
        return self.p_value < 1 - self.interval.level

    def __str__(self) -> str:
        said = "differ" if self.significant else "cannot be told apart"
        return (
            f"AUC {number(self.auc_a)} and {number(self.auc_b)} {said} at the level "
            f"{number(1 - self.interval.level)}: difference {self.interval}, z = {number(self.z)}, "
            f"p = {number(self.p_value)}"
        )


def delong_test(
    y_true: Any, y_score_a: Any, y_score_b: Any, *, pos_label: Any = None, level: float = 0.95
) -> DelongTest:
    """DeLong's test for two scores of the same rows: z = (A − B) / √(var A + var B − 2·cov(A, B))."""
    from scipy.special import ndtr, ndtri

    positive, _ = set_apart(y_true, pos_label)
    tail = tail_of(level)
    pairs = [
        placements(positive, one_score(s, len(positive), name))
        for s, name in ((y_score_a, "y_score_a"), (y_score_b, "y_score_b"))
    ]
    a, b = (float(above.mean()) for above, _ in pairs)
    # The variance of the difference is that of the row-wise differences: covariances are in it.
    error = math.sqrt(sum(_variance(pairs[0][i] - pairs[1][i]) for i in (0, 1)))
    z = (a - b) / error if error else (0.0 if a == b else math.copysign(math.inf, a - b))
    half = float(-ndtri(tail)) * error
    gap = Interval(a - b, a - b - half, a - b + half, level, "delong")
    return DelongTest(a, b, z, 2 * float(ndtr(-abs(z))), gap)
