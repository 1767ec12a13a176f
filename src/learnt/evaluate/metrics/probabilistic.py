"""How good probabilities are: logarithmic and Brier loss, top-k answers, calibration."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics.areas import one_score
from learnt.evaluate.metrics.inputs import scores_of, weights_of
from learnt.evaluate.metrics.labels import Coded, chosen_labels, code_labels, ordered_classes, positive_rows
from learnt.evaluate.metrics.numeric import explained_share
from learnt.evaluate.metrics.proper import brier_losses, log_losses
from learnt.evaluate.metrics.undefined import warn_undefined
from learnt.evaluate.metrics.weighing import dot, weighted_mean
from learnt.show.numbers import number
from learnt.show.words import label, spell


def log_loss(
    y_true: Any, y_proba: Any, *, normalize: bool = True, sample_weight: Any = None, labels: Any = None
) -> float:
    """The mean of −log p(true class); the sum with `normalize=False`.

    >>> round(log_loss(["spam", "ham", "ham"], [[0.1, 0.9], [0.9, 0.1], [0.8, 0.2]]), 4)
    0.1446

    `y_proba` is rows × classes, columns in ascending order of the labels, or for two classes the probability of the
    greater one. `labels` are all classes, if not all are in `y_true`. A probability of 0 counts as the smallest
    step above it (2.2e-16), so that the loss stays finite.
    """
    truth, p = _classes_and_probabilities(y_true, y_proba, labels)
    losses = log_losses(truth, p)
    weights = weights_of(sample_weight, len(truth))
    if normalize:
        return weighted_mean(losses, weights)
    return float(losses.sum()) if weights is None else dot(losses, weights)


def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: bool | str = "auto",
) -> float:
    """The mean square of what the probabilities lack: Σ_c (p_c − 1[c is true])², halved for two classes.

    >>> round(brier_score_loss([0, 1, 1], [0.1, 0.9, 0.6]), 4)
    0.06

    `y_proba` is the probability of `pos_label` (1, or the greater of two numbers), or rows × classes.
    """
    if scale_by_half not in ("auto", True, False):
        raise ParameterError(f"scale_by_half={scale_by_half!r} is not allowed. Expected True, False or 'auto'.")
    truth, p = _two_or_more(y_true, y_proba, pos_label, labels)
    loss = weighted_mean(brier_losses(truth, p), weights_of(sample_weight, len(truth)))
    half = p.shape[1] < 3 if scale_by_half == "auto" else scale_by_half
    return loss / 2 if half else loss


def d2_log_loss_score(y_true: Any, y_proba: Any, *, sample_weight: Any = None, labels: Any = None) -> float:
    """1 − log loss / log loss of always giving the classes' shares; NaN for one row."""
    if _one_row(y_true, sample_weight):
        return float("nan")
    truth, p = _classes_and_probabilities(y_true, y_proba, labels)
    return _d2(log_losses, truth, p, weights_of(sample_weight, len(truth)))


def d2_brier_score(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """1 − Brier loss / Brier loss of always giving the classes' shares; NaN for one row."""
    if _one_row(y_true, sample_weight):
        return float("nan")
    truth, p = _two_or_more(y_true, y_proba, pos_label, labels)
    return _d2(brier_losses, truth, p, weights_of(sample_weight, len(truth)))


def _one_row(y_true: Any, sample_weight: Any) -> bool:
    n_rows = len(code_labels(y_true=y_true).truth)
    weights_of(sample_weight, n_rows)
    if n_rows > 1:
        return False
    warn_undefined("One row leaves nothing to explain. The score is NaN.")
    return True


def _d2(losses: Any, truth: Array, p: Array, weights: Array | None) -> float:
    sizes = np.bincount(truth, weights, p.shape[1])
    shares = np.broadcast_to(sizes / sizes.sum(), p.shape)
    there = weighted_mean(losses(truth, shares), weights)
    return explained_share(weighted_mean(losses(truth, p), weights), there, force_finite=False)


def _two_or_more(y_true: Any, y_proba: Any, pos_label: Any, labels: Any) -> tuple[Array, Array]:
    """The truth as codes and probabilities with a column per class, from one column for two classes, or from all."""
    found = code_labels(y_true=y_true)
    p = scores_of(y_proba, "y_proba", len(found.truth))
    if p.ndim == 2:
        return _classes_and_probabilities(y_true, p, labels)
    if found.n_classes > 2:
        raise InputError(f"y_true holds {found.n_classes} classes, but y_proba one probability per row. Give all.")
    if pos_label is None and found.labels.dtype.kind in "biuf":
        pos_label = 1 if set(found.labels.tolist()) <= {-1, 0, 1} else found.labels[-1]
    _between(p)
    return positive_rows(y_true, pos_label).astype(np.intp), np.column_stack([1 - p, p])


def _classes_and_probabilities(y_true: Any, y_proba: Any, labels: Any) -> tuple[Array, Array]:
    found = code_labels(y_true=y_true)
    p = scores_of(y_proba, "y_proba", len(found.truth))
    _between(p)
    if p.ndim == 1:
        p = np.column_stack([1 - p, p])
    if labels is None and found.n_classes == 1:
        raise InputError(f"y_true holds one label, {label(found.labels[0])}. Give all classes as labels.")
    sums = p.sum(axis=1)
    if not np.allclose(sums, 1, rtol=float(np.sqrt(np.finfo(p.dtype).eps)), atol=0):
        warnings.warn("The rows of y_proba do not sum to 1. Expected probabilities.", stacklevel=3)
    return ordered_classes(_sorted(labels, found), found, p.shape[1], "y_proba"), p


def _sorted(labels: Any, found: Coded) -> Any:
    if labels is None:
        return None
    values = chosen_labels(labels, found.labels)[0].tolist()
    if len(values) < 2:
        raise ParameterError(f"labels are {values}. Expected at least two classes.")
    if sorted(values) != values:
        warnings.warn(f"labels are not in ascending order, but columns are taken to be: {sorted(values)}", stacklevel=4)
    return sorted(values)


def _between(p: Array) -> None:
    low, high = float(p.min()), float(p.max())
    if low < 0 or high > 1:
        raise InputError(f"y_proba holds {number(low if low < 0 else high)}. Expected probabilities from 0 to 1.")


def top_k_accuracy_score(
    y_true: Any, y_score: Any, *, k: int = 2, normalize: bool = True, sample_weight: Any = None, labels: Any = None
) -> float:
    """The share of rows whose class is among the k that score highest; of equal scores the later class comes first.

    `y_score` is rows × classes, or for two classes the score of the greater label, which is answered above ½ (above
    0 for scores that are not probabilities).
    """
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k={spell(k)} is not allowed. Expected a whole number ≥ 1.")
    found = code_labels(y_true=y_true)
    score = scores_of(y_score, "y_score", len(found.truth))
    two = found.n_classes <= 2 and (labels is None or len(labels) <= 2)
    if two and score.ndim == 2:
        raise InputError(
            f"There are two classes, but y_score has {score.shape[1]} columns. Give all classes as labels."
        )
    if not two and score.ndim == 1:
        raise InputError("y_score has one score per row, but there are more than two classes. Give rows × classes.")
    n_classes = score.shape[1] if score.ndim == 2 else 2
    codes = ordered_classes(labels, found, n_classes, "y_score")
    if k >= n_classes:
        warn_undefined(f"With k={k} and {n_classes} classes every row counts as right.")
    if k >= n_classes:
        hits = np.ones(len(codes), bool)
    elif score.ndim == 1:
        hits = (score > (0.5 if score.min() >= 0 and score.max() <= 1 else 0)) == codes
    else:
        own = score[np.arange(len(codes)), codes][:, None]
        later = np.arange(n_classes) > codes[:, None]
        hits = ((score > own) | ((score == own) & later)).sum(axis=1) < k
    weights = weights_of(sample_weight, len(codes))
    if normalize:
        return weighted_mean(hits, weights)
    return float(hits.sum() if weights is None else weights[hits].sum())


def calibration_curve(
    y_true: Any,
    y_prob: Any,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: str = "uniform",
    sample_weight: Any = None,
) -> tuple[Array, Array]:
    """The share of positives and the mean probability in each bin of probabilities that holds rows.

    `strategy` "uniform" makes bins of one width, "quantile" bins of as many rows.
    """
    positive, p, weights = _positives(y_true, y_prob, pos_label, sample_weight)
    mass, hits, sums = calibration_bins(positive, p, weights, n_bins, strategy)[:3]
    there = mass > 0
    return hits[there] / mass[there], sums[there] / mass[there]


def _positives(y_true: Any, y_prob: Any, pos_label: Any, sample_weight: Any) -> tuple[Array, Array, Array | None]:
    positive = positive_rows(y_true, pos_label)
    if pos_label is not None and code_labels(y_true=y_true).n_classes > 2:
        raise InputError("y_true holds more than two classes. Expected two. Set one class against the rest first.")
    p = one_score(y_prob, len(positive), "y_prob")
    _between(p)
    return positive, p, weights_of(sample_weight, len(positive))


def calibration_bins(
    positive: Array, p: Array, weights: Array | None, n_bins: int, strategy: str
) -> tuple[Array, Array, Array, Array]:
    """Per bin: the weight of rows, that of positives, the sum of probabilities; and the edges of the bins."""
    if not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise ParameterError(f"n_bins={n_bins!r} is not allowed. Expected a whole number ≥ 1.")
    if strategy not in ("uniform", "quantile"):
        raise ParameterError(f"strategy={strategy!r} is not allowed. Expected 'uniform' or 'quantile'.")
    shares = np.linspace(0, 1, n_bins + 1)
    edges = shares if strategy == "uniform" else np.percentile(p, shares * 100)
    bins = np.searchsorted(edges[1:-1], p)
    mass = np.bincount(bins, weights, n_bins).astype(np.float64)
    hits = np.bincount(bins, positive if weights is None else positive * weights, n_bins)
    sums = np.bincount(bins, p if weights is None else p * weights, n_bins)
    return mass, hits, sums, edges


def expected_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    pos_label: Any = None,
    labels: Any = None,
    n_bins: int = 10,
    strategy: str = "uniform",
    sample_weight: Any = None,
) -> float:
    """How far shares and probabilities lie apart: Σ_b (rows in bin b / all rows)·|share of hits − mean probability|.

    >>> round(expected_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.7, 0.9]), 4)
    0.2

    With one probability per row a hit is a row of the positive class. With rows × classes the probability is that
    of the answer, the most probable class, and a hit is a right answer.

    Reference: C. Guo, G. Pleiss, Y. Sun, K. Weinberger, On calibration of modern neural networks, 2017.
    """
    if np.ndim(y_prob) == 2 and np.shape(y_prob)[1] > 1:
        codes, p = _classes_and_probabilities(y_true, y_prob, labels)
        answer = p.argmax(axis=1)
        hit, confidence, weights = codes == answer, p.max(axis=1), weights_of(sample_weight, len(codes))
    else:
        hit, confidence, weights = _positives(y_true, y_prob, pos_label, sample_weight)
    mass, hits, sums, _ = calibration_bins(hit, confidence, weights, n_bins, strategy)
    return float(np.abs(hits - sums).sum() / mass.sum())
