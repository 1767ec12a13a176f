"""Curves over all thresholds of a score, and the areas under them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics.inputs import scores_of, weights_of
from learnt.evaluate.metrics.labels import Coded, code_labels, ordered_classes, positive_rows
from learnt.evaluate.metrics.ranking import auc_of, average_precision_of, counts_above
from learnt.evaluate.metrics.undefined import warn_undefined
from learnt.evaluate.metrics.weighing import dot
from learnt.show.words import spell


def roc_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = True
) -> tuple[Array, Array, Array]:
    """False positive rate, true positive rate and threshold, from the highest threshold (∞) down.

    A row is answered with the positive class where its score reaches the threshold. Points on a straight line
    between others are left out unless `drop_intermediate=False`. The rate of a class without rows is NaN.
    """
    true, false, thresholds = _above(y_true, y_score, pos_label, sample_weight)
    if drop_intermediate and len(true) > 2:
        corner = (np.diff(false, 2) != 0) | (np.diff(true, 2) != 0)
        kept = np.concatenate([[True], corner, [True]])
        true, false, thresholds = true[kept], false[kept], thresholds[kept]
    rates = []
    for counts, which in ((false, "negative"), (true, "positive")):
        if counts[-1] <= 0:
            warn_undefined(f"There are no {which} rows, and the rate of {which} ones answered positive is undefined.")
        full = np.concatenate([[0.0], counts])
        rates.append(full / full[-1] if full[-1] > 0 else np.full(len(full), np.nan))
    return rates[0], rates[1], np.concatenate([[np.inf], thresholds.astype(np.float64)])


def precision_recall_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = False
) -> tuple[Array, Array, Array]:
    """Precision, recall and threshold, from the lowest threshold up; one point more (1, 0) than thresholds.

    `drop_intermediate` leaves out points between others of the same recall. Without positives recall is 1.
    """
    true, false, thresholds = _above(y_true, y_score, pos_label, sample_weight)
    if drop_intermediate and len(true) > 2:
        change = np.diff(true) != 0
        kept = np.concatenate([[True], change[:-1] | change[1:], [True]])
        true, false, thresholds = true[kept], false[kept], thresholds[kept]
    answered = true + false
    precision = np.divide(true, answered, out=np.zeros_like(true), where=answered != 0)
    if true[-1] == 0:
        warn_undefined("There are no positive rows. Recall is set to 1 for every threshold.")
    recall = true / true[-1] if true[-1] else np.ones_like(true)
    return np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), thresholds[::-1]


def _above(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> tuple[Array, Array, Array]:
    positive = positive_rows(y_true, pos_label)
    return counts_above(positive, one_score(y_score, len(positive)), weights_of(sample_weight, len(positive)))


def one_score(y_score: Any, n_rows: int, name: str = "y_score") -> Array:
    """One score per row."""
    score = scores_of(y_score, name, n_rows)
    if score.ndim != 1:
        raise InputError(
            f"{name} has {score.shape[1]} columns. Expected one score per row. Give the column of the positive class."
        )
    return score


def auc(x: Any, y: Any) -> float:
    """The area under a curve of points whose x only grows or only falls, by trapezes."""
    x, y = scores_of(x, "x", len(x)), scores_of(y, "y", len(x))
    if len(x) < 2:
        raise InputError(f"There is an area under two or more points, but {len(x)} came.")
    steps = np.diff(x)
    if (steps < 0).any() and (steps > 0).any():
        raise InputError("x neither grows nor falls all the way. Sort the points by x.")
    return dot(np.abs(steps), y[1:] + y[:-1]) / 2


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """The area under the ROC curve: how likely a positive row scores above a negative one, ties counting half.

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75

    For two classes `y_score` is the score of the greater label; `max_fpr` takes the area up to there, standardised
    (McClish). For more it is probabilities, rows × classes: `multi_class="ovr"` sets each class against the rest,
    averaged by `average` ("macro", "weighted" by rows, "micro", or None for each), "ovo" each pair (Hand and Till).
    NaN, said aloud, where there is only one class.
    """
    found = code_labels(y_true=y_true)
    score = scores_of(y_score, "y_score", len(found.truth))
    weights = weights_of(sample_weight, len(found.truth))
    if max_fpr is not None and not 0 < max_fpr <= 1:
        raise ParameterError(f"max_fpr={max_fpr!r} is not allowed. Expected a number above 0 and at most 1.")
    if found.n_classes <= 2 and not (score.ndim == 2 and score.shape[1] > 2):
        positive: Array = found.truth == 1  # the greater of two labels
        area = _partial_auc(positive, one_score(score, len(score)), weights, max_fpr)
        if np.isnan(area):
            warn_undefined("y_true holds one class only, and the area under the ROC curve is undefined: it is NaN.")
        return area
    if max_fpr is not None and max_fpr != 1:
        raise ParameterError(f"max_fpr={max_fpr!r} came with more than two classes. Leave it out.")
    return _multiclass_auc(found, _shared_out(score), labels, multi_class, average, weights)


def _partial_auc(positive: Array, score: Array, weights: Array | None, max_fpr: float | None) -> float:
    if max_fpr is None or max_fpr == 1:
        return auc_of(positive, score, weights)
    true, false, _ = counts_above(positive, score, weights)
    if true[-1] <= 0 or false[-1] <= 0:
        return float("nan")
    x, y = (np.concatenate([[0.0], counts]) / counts[-1] for counts in (false, true))
    stop = int(np.searchsorted(x, max_fpr, "right"))
    end = np.interp(max_fpr, x[stop - 1 : stop + 1], y[stop - 1 : stop + 1])
    area = auc(np.append(x[:stop], max_fpr), np.append(y[:stop], end))
    least, most = max_fpr**2 / 2, max_fpr
    return 0.5 * (1 + (area - least) / (most - least))


def _shared_out(score: Array) -> Array:
    """Scores of more than two classes, which are compared with each other only as probabilities."""
    if score.ndim != 2:
        raise InputError("y_score has one score per row, but there are more than two classes. Give rows × classes.")
    if not np.allclose(score.sum(axis=1), 1):
        row = int(np.flatnonzero(~np.isclose(score.sum(axis=1), 1))[0])
        raise InputError(f"y_score sums to {score[row].sum()} in row {row}. Expected probabilities, which sum to 1.")
    return score


def _multiclass_auc(
    found: Coded, score: Array, labels: Any, multi_class: str, average: str | None, weights: Array | None
) -> Any:
    if multi_class not in ("ovr", "ovo"):
        raise ParameterError(f"multi_class={multi_class!r} came with more than two classes. Expected 'ovr' or 'ovo'.")
    allowed = (None, "micro", "macro", "weighted") if multi_class == "ovr" else ("macro", "weighted")
    if average not in allowed:
        raise ParameterError(f"average={average!r} is not allowed with {multi_class!r}. Expected one of {allowed}.")
    codes = ordered_classes(labels, found, score.shape[1], "y_score")
    if multi_class == "ovr":
        return averaged_over_classes(auc_of, codes, score, average, weights)
    if weights is not None:
        raise ParameterError("multi_class='ovo' takes no sample_weight. Use 'ovr', or leave the weights out.")
    areas, shares = [], []
    for a, b in combinations(np.unique(codes).tolist(), 2):
        rows = (codes == a) | (codes == b)
        own = codes[rows] == a
        areas.append((auc_of(own, score[rows, a]) + auc_of(~own, score[rows, b])) / 2)
        shares.append(float(rows.mean()))
    if not areas:
        warn_undefined("y_true holds one class only, and the area under the ROC curve is undefined: it is NaN.")
        return float("nan")
    return float(np.average(areas, weights=shares if average == "weighted" else None))


def averaged_over_classes(
    area: Callable[[Array, Array, Array | None], float],
    codes: Array,
    score: Array,
    average: str | None,
    weights: Array | None,
) -> Any:
    """The area of each class against the rest, or their average; NaN as soon as one that counts is undefined."""
    n_classes = score.shape[1]
    if average == "micro":
        indicator = codes[:, None] == np.arange(n_classes)
        return area(indicator.ravel(), score.ravel(), None if weights is None else np.repeat(weights, n_classes))
    areas = np.array([area(codes == c, score[:, c], weights) for c in range(n_classes)])
    if average is None:
        return areas
    if average == "macro":
        return float(areas.mean())
    sizes = np.bincount(codes, weights, n_classes)
    there = sizes > 0
    return float(np.average(areas[there], weights=sizes[there]))


def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """Precision averaged over the growth of recall as the threshold falls: Σ (R_i − R_{i−1})·P_i.

    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333

    For more than two classes `y_score` is rows × classes and `average` is "macro", "weighted", "micro" or None.
    """
    if average not in (None, "micro", "macro", "weighted"):
        raise ParameterError(f"average={average!r} is not allowed. Expected 'macro', 'weighted', 'micro' or None.")
    found = code_labels(y_true=y_true)
    weights = weights_of(sample_weight, len(found.truth))
    known = found.labels.tolist()
    if found.n_classes > 2:
        if pos_label != 1:
            raise ParameterError(f"pos_label={spell(pos_label)} came with {found.n_classes} classes. Leave it out.")
        score = scores_of(y_score, "y_score", len(found.truth))
        if score.ndim != 2:
            raise InputError("y_score has one score per row, but there are more than two classes. Give rows × classes.")
        codes = ordered_classes(None, found, score.shape[1], "y_score")
        return averaged_over_classes(average_precision_of, codes, score, average, weights)
    if found.n_classes == 2 and pos_label not in known:
        raise InputError(
            f"pos_label={spell(pos_label)} is not a label of y_true. Give pos_label={spell(known[1])} or "
            f"{spell(known[0])}."
        )
    positive: Array = found.truth == (known.index(pos_label) if pos_label in known else -1)
    if not positive.any():
        warn_undefined("There are no positive rows. The average precision is set to 0.")
    return average_precision_of(positive, one_score(y_score, len(positive)), weights)
