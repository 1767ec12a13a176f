"""What scores are worth as an order of the rows: counts above each threshold, and areas under curves."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.metrics.weighing import dot


def counts_above(positive: Array, score: Array, weights: Array | None = None) -> tuple[Array, Array, Array]:
    """For each distinct score, highest first: positives and negatives (or their weight) that reach it; and itself."""
    if weights is not None and not weights.all():  # rows without weight are not there: they make no threshold either
        kept = weights != 0
        positive, score, weights = positive[kept], score[kept], weights[kept]
    order = np.argsort(score)[::-1]
    score, positive = score[order], positive[order]
    last = np.flatnonzero(np.append(score[1:] != score[:-1], len(score) > 0))
    if weights is None:
        true = np.cumsum(positive)[last].astype(np.float64)
        return true, last + 1 - true, score[last]
    weights = weights[order].astype(np.float64)
    above = weights * positive
    return np.cumsum(above)[last], np.cumsum(weights - above)[last], score[last]


def auc_of(positive: Array, score: Array, weights: Array | None = None) -> float:
    """P(a positive scores above a negative) + ½·P(they tie); NaN unless there are both."""
    if weights is None:
        hits, misses = np.sort(score[positive]), np.sort(score[~positive])
        if not len(hits) or not len(misses):
            return float("nan")
        few, many, flipped = (hits, misses, False) if len(hits) <= len(misses) else (misses, hits, True)
        below = int(np.searchsorted(many, few, "left").sum()) + int(np.searchsorted(many, few, "right").sum())
        share = below / (2 * len(few) * len(many))
        return 1 - share if flipped else share
    true, false, _ = counts_above(positive, score, weights)
    if not len(true) or true[-1] <= 0 or false[-1] <= 0:
        return float("nan")
    width = np.diff(false, prepend=0.0)
    height = true + np.concatenate([[0.0], true[:-1]])
    return dot(width, height) / float(2 * true[-1] * false[-1])


def average_precision_of(positive: Array, score: Array, weights: Array | None = None) -> float:
    """Σ (recall_i − recall_{i−1})·precision_i from the highest score down; 0 without positives."""
    true, false, _ = counts_above(positive, score, weights)
    if not len(true) or true[-1] <= 0:
        return 0.0
    precision = np.divide(true, true + false, out=np.zeros_like(true), where=true + false > 0)
    return dot(np.diff(true, prepend=0.0), precision) / float(true[-1])
