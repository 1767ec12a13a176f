"""Intervals for any metric by drawing the rows anew, again and again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.metrics.counting import Tallies, confusion_counts
from learnt.evaluate.metrics.influence import row_losses
from learnt.evaluate.metrics.inputs import scores_of, weights_of
from learnt.evaluate.metrics.intervals import Interval, known_figure, need_rows, tail_of, widened_tail
from learnt.evaluate.metrics.labels import code_labels, ordered_classes
from learnt.evaluate.metrics.regression import checked_numbers
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.metrics.scoring import metric as metric_of
from learnt.evaluate.metrics.studentized import drawn_rows
from learnt.learner.parameters import Seed, Whole, check_parameters, seed_from

#: Rows are left out in at most this many groups to see how skewed a metric is.
GROUPS = 200


def bootstrap_interval(
    metric: str | Metric | Callable[..., Any],
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    method: str = "bca",
    n_resamples: int = 2000,
    random_state: Any = 0,
) -> Interval:
    """An interval for any metric: rows are drawn anew with replacement, and the metric computed each time.

    >>> print(bootstrap_interval("f1", [0, 1, 1, 1, 0, 1, 0, 1] * 10, [0, 1, 0, 1, 0, 1, 1, 1] * 10))
    0.8  [0.7045, 0.8842]  (95 %, bca)

    `y_pred` is what the metric needs: answers, numbers, or probabilities (rows × classes, or those of the second of
    two classes). "percentile" takes quantiles of the resampled values; "bca" moves them for bias and skewness
    (Efron). Few rows drawn anew vary less than new rows would, so the quantiles are taken a little further out, as
    Student's t lies further out than the Gaussian (Hesterberg). For metrics of answers the counts of the confusion
    matrix are drawn, which is the same and takes no time, for means of losses the losses; others cost `n_resamples`
    computations. Resamples for which the metric is undefined are left out.

    Reference: B. Efron, Better bootstrap confidence intervals, JASA 82, 1987; T. Hesterberg, What teachers should know
    about the bootstrap, The American Statistician 69, 2015.
    """
    if method not in ("bca", "percentile"):
        raise ParameterError(f"method={method!r} is not allowed. Expected 'bca' or 'percentile'.")
    settings = {"n_resamples": n_resamples, "random_state": random_state}
    check_parameters("bootstrap_interval", {"n_resamples": Whole(2), "random_state": Seed()}, settings)
    figure = metric_of(metric)
    sample = _sample(figure, y_true, y_pred, labels, sample_weight)
    need_rows(sample.n_rows, 2)
    tail, estimate = widened_tail(tail_of(level), sample.n_rows), known_figure(figure.name, sample.value())
    drawn = sample.resampled(np.random.default_rng(seed_from(random_state)), n_resamples)
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        known_figure(figure.name, math.nan)
    shares = [tail, 1 - tail] if method == "percentile" else _bca(estimate, drawn, sample.left_out(), tail)
    low, high = np.quantile(drawn, shares).tolist()
    return Interval(estimate, low, high, level, method)


def _bca(estimate: float, drawn: Array, left_out: tuple[Array, Array], tail: float) -> list[float]:
    """Which quantiles to take, corrected for bias (z₀) and for the skewness of the metric (a)."""
    from scipy.special import ndtr, ndtri

    below = (np.mean(drawn < estimate) + np.mean(drawn <= estimate)) / 2
    values, counts = left_out
    if below in (0.0, 1.0) or not len(values):  # all resamples on one side, or no row can be left out
        return [tail, 1 - tail]
    bias = float(ndtri(below))
    gap = np.average(values, weights=counts) - values
    cubes, squares = float(np.sum(counts * gap**3)), float(np.sum(counts * gap**2))
    skew = cubes / (6 * squares**1.5) if squares > 0 else 0.0
    shares = []
    for z in (float(ndtri(tail)), -float(ndtri(tail))):
        room = 1 - skew * (bias + z)
        moved = (bias + z) / room if room > 0 else math.copysign(math.inf, z)  # all the resamples are within
        shares.append(float(ndtr(bias + moved)))
    return shares


class _Sample:
    """Rows that can be drawn anew."""

    n_rows: int

    def value(self) -> float:
        raise NotImplementedError

    def resampled(self, rng: np.random.Generator, times: int) -> Array:
        raise NotImplementedError

    def left_out(self) -> tuple[Array, Array]:
        """The metric without each row, or each group of rows; and how many rows each value stands for."""
        raise NotImplementedError


class _Counts(_Sample):
    """Rows of which a metric sees only the cell of the confusion matrix: drawing rows is drawing counts."""

    def __init__(self, metric: Metric, counts: Array):
        self.metric, self.counts, self.n_rows = metric, counts, int(counts.sum())

    def value(self) -> float:
        return self._of(self.counts)

    def _of(self, counts: Array) -> float:
        return float(self.metric.function(Tallies(np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0))))

    def resampled(self, rng: np.random.Generator, times: int) -> Array:
        n = self.n_rows
        draws = rng.multinomial(n, self.counts.ravel() / n, size=times).reshape(times, *self.counts.shape)
        return np.array([self._of(counts) for counts in draws])

    def left_out(self) -> tuple[Array, Array]:
        cells = np.argwhere(self.counts > 0)
        values = []
        for row, column in cells.tolist():
            fewer = self.counts.copy()
            fewer[row, column] -= 1
            values.append(self._of(fewer))
        found, sizes = np.array(values), self.counts[self.counts > 0]
        return found[~np.isnan(found)], sizes[~np.isnan(found)]


class _Losses(_Sample):
    """Rows of which a metric is the mean loss."""

    def __init__(self, losses: Array):
        self.losses, self.n_rows = losses, len(losses)

    def value(self) -> float:
        return float(self.losses.mean())

    def resampled(self, rng: np.random.Generator, times: int) -> Array:
        return np.concatenate([self.losses[rows].mean(axis=1) for rows in drawn_rows(rng, self.n_rows, times)])

    def left_out(self) -> tuple[Array, Array]:
        return (self.losses.sum() - self.losses) / (self.n_rows - 1), np.ones(self.n_rows)


class _Rows(_Sample):
    """Rows in general."""

    def __init__(self, metric: Metric, truth: Array, answer: Array, weights: Array | None, n_classes: int | None):
        self.metric, self.n_classes = metric, n_classes
        self.truth, self.answer, self.weights, self.n_rows = truth, answer, weights, len(truth)

    def value(self) -> float:
        return self._of(slice(None))

    def _of(self, rows: Any) -> float:
        weights = None if self.weights is None else self.weights[rows]
        answer = self.answer[rows]
        given = (answer, None) if self.metric.needs != "probabilities" else (self.truth[rows], answer)
        return self.metric.score(self.truth[rows], given[0], given[1], weights, self.n_classes)

    def resampled(self, rng: np.random.Generator, times: int) -> Array:
        n = len(self.truth)
        return np.array([self._of(rng.integers(0, n, n)) for _ in range(times)])

    def left_out(self) -> tuple[Array, Array]:
        groups = np.array_split(np.arange(len(self.truth)), min(GROUPS, len(self.truth)))
        kept = np.ones(len(self.truth), bool)
        values = []
        for group in groups:
            kept[group] = False
            values.append(self._of(kept))
            kept[group] = True
        found, sizes = np.array(values), np.array([len(group) for group in groups])
        return found[~np.isnan(found)], sizes[~np.isnan(found)]


def _sample(metric: Metric, y_true: Any, y_pred: Any, labels: Any, sample_weight: Any) -> _Sample:
    if metric.needs == "numbers":
        truth, answer, weights = checked_numbers(y_true, y_pred, sample_weight)
        return _losses_or_rows(metric, truth, answer, weights, None)
    if metric.needs == "labels":
        pair = code_labels(y_true=y_true, y_pred=y_pred)
        weights = weights_of(sample_weight, len(pair.truth))
        if weights is not None:
            return _Rows(metric, pair.truth, pair.answer, weights, pair.n_classes)
        return _Counts(metric, confusion_counts(pair.truth, pair.answer, pair.n_classes))
    found = code_labels(y_true=y_true)
    p = scores_of(y_pred, "y_pred", len(found.truth))
    if p.ndim == 1:
        p = np.column_stack([1 - p, p])
    truth = ordered_classes(labels, found, p.shape[1], "y_pred")
    return _losses_or_rows(metric, truth, p, weights_of(sample_weight, len(truth)), p.shape[1])


def _losses_or_rows(
    metric: Metric, truth: Array, answer: Array, weights: Array | None, n_classes: int | None
) -> _Sample:
    """Means of losses take a small part of the time of computing a metric again and again."""
    losses = row_losses(metric, truth, answer, answer if n_classes else None) if weights is None else None
    return _Rows(metric, truth, answer, weights, n_classes) if losses is None else _Losses(losses)
