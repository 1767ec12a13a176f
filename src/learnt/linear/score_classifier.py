"""Linear classifiers whose scores are not log-odds: how steeply the scores turn into probabilities is fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Explanation
from learnt.learner.fields import attribute
from learnt.linear.weighted_sum import LinearClassifier, softmax

#: So many rows are enough to find one number.
_ENOUGH_ROWS = 4096
#: Times a score of 0 it is still 0; scores of 1e-305 are told apart no better.
STEEPEST = float(np.finfo(np.float64).max)


class ScoreClassifier(LinearClassifier, abstract=True):
    """Answers with the highest score. Probabilities are the softmax of `steepness_` times the scores."""

    steepness_: float = attribute()

    _score_words = "score"

    def _probabilities(self, table: Table) -> Array:
        with np.errstate(over="ignore"):  # scores beyond all numbers are as sure as large ones
            scores = np.clip(self.steepness_ * self._class_scores(table), -1e300, 1e300)
        return softmax(scores)

    def _explain_row(self, row: Table) -> Explanation:
        return replace(super()._explain_row(row), kind="score")


def steepness(scores: Array, codes: Array, weights: Array | None, n_classes: int) -> float:
    """The factor a > 0 that makes softmax(a · scores) most likely, found by bisection.

        Σ_i w_i Σ_c (p_ic − t_ic) s_ic = 0

    As in Platt's scaling the targets t stay short of 0 and 1, as if one more row of each class had been seen, so that
    classes which the scores separate have an answer too. `scores` are rows × classes, or one column for two classes.
    """
    if n_classes == 1:
        return 1.0
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
    w = np.ones(len(scores)) if weights is None else weights
    if len(scores) > _ENOUGH_ROWS:
        some = np.unique(np.linspace(0, len(scores) - 1, _ENOUGH_ROWS).astype(np.int64))
        if w[some].any():
            scores, codes, w = scores[some], codes[some], w[some]
    total = w.sum()
    size = float(np.abs(scores).max())
    if size == 0 or not np.isfinite(size):
        return 1.0
    scores = scores / size
    doubt = n_classes / (total / w[w > 0].min() + n_classes)
    target = np.full(scores.shape, doubt / n_classes)
    target[np.arange(len(codes)), codes] += 1 - doubt

    def derivative(a: float) -> float:
        return float((w[:, None] * (softmax(a * scores) - target) * scores).sum())

    low, high = 1e-3, 1.0
    if derivative(low) >= 0:  # the scores say nothing, or the opposite: keep their order, at probabilities near ½
        return min(low / size, STEEPEST)
    while derivative(high) < 0 and high < 1e6:
        low, high = high, 4 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) < 0 else (low, middle)
    return min(high / size, STEEPEST)
