"""How much each row moves a score: the empirical influence function of every metric that has one.

A score over n rows is nearly its true value plus the mean of the influences of the rows, so that the variance of one
score, and the covariance of several scores of the same rows, can be read from them.

| metric | influence of a row |
|---|---|
| a mean of losses (accuracy, log loss, Brier, MAE, MSE, MAPE, cost) | its loss, less the mean |
| RMSE, R², explained variance, Pearson's r | by the delta method from the means they are made of |
| area under the ROC curve | its placement among the rows of the other class (DeLong), less the mean |
| metrics of the table of counts (balanced accuracy, F₁, κ, …) | n times the derivative by the row's cell of the table |

Reference: F. Hampel, The influence curve and its role in robust estimation, JASA 69, 1974; E. DeLong, D. DeLong,
D. Clarke-Pearson, Biometrics 44, 1988.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.metrics import numeric
from learnt.evaluate.metrics.proper import brier_losses, log_losses

if TYPE_CHECKING:
    from learnt.evaluate.metrics.scoring import Metric

#: The step of a numeric derivative, as a share of the rows.
STEP = 1e-5


def row_losses(metric: Metric, truth: Array, answer: Array, probabilities: Array | None = None) -> Array | None:
    """A number per row whose weighted mean is the score; None where the metric is not such a mean."""
    losses: Array | None = None
    if metric.name == "accuracy":
        losses = (truth == answer).astype(np.float64)
    elif metric.name == "log_loss" and probabilities is not None:
        losses = log_losses(truth, probabilities)
    elif metric.name == "brier" and probabilities is not None:
        losses = brier_losses(truth, probabilities)
        losses = losses / 2 if probabilities.shape[1] == 2 else losses
    elif metric.name == "mae":
        losses = np.abs(truth - answer)
    elif metric.name == "mse":
        losses = (truth - answer) ** 2
    elif metric.name == "mape":
        losses = np.abs(truth - answer) / np.maximum(np.abs(truth), np.finfo(np.float64).eps)
    elif hasattr(metric.function, "by_row"):  # such as the cost of an answer
        losses = metric.function.by_row(truth, answer)
    return losses


def influences(
    metric: Metric,
    truth: Array,
    answer: Array,
    probabilities: Array | None = None,
    weights: Array | None = None,
    n_classes: int | None = None,
) -> Array | None:
    """The influence of each row on the score of all, with a weighted mean of 0; None where the metric has none."""
    weights = np.ones(len(truth)) if weights is None else weights.astype(np.float64)
    losses = row_losses(metric, truth, answer, probabilities)
    if losses is not None:
        return losses - _mean(losses, weights)
    if metric.name in _OF_NUMBERS:
        return _OF_NUMBERS[metric.name](truth, answer, weights)
    if metric.name == "auc" and probabilities is not None:
        return _of_areas(truth, probabilities, weights)
    if metric.needs == "labels":
        return _of_counts(metric, truth, answer, weights, n_classes)
    return None


def _mean(values: Array, weights: Array) -> float:
    return float(values @ weights / weights.sum())


# Of numbers


def _of_rmse(truth: Array, answer: Array, weights: Array) -> Array:
    squares = (truth - answer) ** 2
    mse = _mean(squares, weights)
    return np.zeros(len(truth)) if mse == 0 else (squares - mse) / (2 * np.sqrt(mse))


def _of_r2(truth: Array, answer: Array, weights: Array) -> Array:
    return _of_share((truth - answer) ** 2, (truth - _mean(truth, weights)) ** 2, weights)


def _of_explained_variance(truth: Array, answer: Array, weights: Array) -> Array:
    error = truth - answer
    return _of_share((error - _mean(error, weights)) ** 2, (truth - _mean(truth, weights)) ** 2, weights)


def _of_share(lost: Array, there: Array, weights: Array) -> Array:
    """Of 1 − mean lost / mean there."""
    whole = _mean(there, weights)
    return np.zeros(len(lost)) if whole == 0 else (there * (_mean(lost, weights) / whole) - lost) / whole


def _of_pearson(truth: Array, answer: Array, weights: Array) -> Array | None:
    r = numeric.pearson_of(truth, answer, weights)
    if np.isnan(r):
        return None
    t, a = (
        (values - _mean(values, weights)) / np.sqrt(numeric.variance_of(values, weights)) for values in (truth, answer)
    )
    found: Array = t * a - r / 2 * (t * t + a * a)
    return found


_OF_NUMBERS: dict[str, Callable[[Array, Array, Array], Array | None]] = {
    "rmse": _of_rmse,
    "r2": _of_r2,
    "explained_variance": _of_explained_variance,
    "pearson": _of_pearson,
}


# Of probabilities


def _of_areas(truth: Array, probabilities: Array, weights: Array) -> Array:
    """For the second class of two; else the mean over the classes that some, but not all, rows belong to."""
    classes = [1] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    found, counted = np.zeros(len(truth)), 0
    for c in classes:
        positive = truth == c
        if weights[positive].sum() > 0 and weights[~positive].sum() > 0:
            found += _of_area(positive, probabilities[:, c], weights)
            counted += 1
    return found / max(counted, 1)


def _of_area(positive: Array, score: Array, weights: Array) -> Array:
    """Each row's placement: the share of the other class that it is on the right side of, ties half.

    A class's rows move the area through their own mean alone, so theirs is stretched by how rare the class is.
    """
    found = np.empty(len(score))
    total = weights.sum()
    for own, sign in ((positive, 1.0), (~positive, -1.0)):
        share = _share_below(score[~own], weights[~own], score[own])
        share = share if sign > 0 else 1 - share
        found[own] = (share - _mean(share, weights[own])) * (total / weights[own].sum())
    return found


def _share_below(others: Array, weights: Array, values: Array) -> Array:
    """The share of the weight of others that lies below each value; of what is equal to it, half."""
    order = np.argsort(others, kind="stable")
    others, mass = others[order], np.concatenate([[0.0], np.cumsum(weights[order])])
    left, right = (np.searchsorted(others, values, side) for side in ("left", "right"))
    share: Array = (mass[left] + mass[right]) / (2 * mass[-1])
    return share


# Of the table of counts


def _of_counts(metric: Metric, truth: Array, answer: Array, weights: Array, n_classes: int | None) -> Array:
    """n · ∂score/∂(weight of the row's cell): rows of one cell are alike, so there is one derivative per cell."""
    k = n_classes or int(max(truth.max(initial=-1), answer.max(initial=-1))) + 1
    cells, place = np.unique(truth.astype(np.int64) * k + answer, return_inverse=True)
    counts = np.bincount(place, weights, len(cells))
    true, answered = cells // k, cells % k
    total = counts.sum()

    def score(cell: int, step: float) -> float:
        moved = counts.copy()
        moved[cell] += step
        return metric.score(true, answered, None, moved, k)

    derivatives = np.zeros(len(cells))
    for cell in range(len(cells)):
        step = min(STEP * total, counts[cell] / 2)
        if step > 0:
            derivatives[cell] = (score(cell, step) - score(cell, -step)) / (2 * step)
    derivatives *= total
    return derivatives[place]
