"""How well answers agree with the truth, over all classes at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics.counting import Tallies, confusion_counts, tallies
from learnt.evaluate.metrics.inputs import same_length, some_rows, weights_of
from learnt.evaluate.metrics.labels import chosen_labels, code_labels, label_cells
from learnt.evaluate.metrics.undefined import warn_undefined
from learnt.evaluate.metrics.weighing import weighted_mean
from learnt.show.words import label, spell


def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """The share of rows, by weight, that are answered right; their number (or weight) with `normalize=False`.

    >>> accuracy_score(["cat", "dog", "dog"], ["cat", "dog", "cat"], normalize=False)
    2.0
    """
    right = _right(y_true, y_pred)
    weights = weights_of(sample_weight, len(right))
    if normalize:
        return weighted_mean(right, weights)
    return float(np.count_nonzero(right)) if weights is None else float(weights[right].sum())


def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """The share of rows, by weight, that are answered wrong; their number (or weight) with `normalize=False`."""
    score = accuracy_score(y_true, y_pred, normalize=normalize, sample_weight=sample_weight)
    if normalize:
        return 1 - score
    weights = weights_of(sample_weight, len(y_true))
    return (len(y_true) if weights is None else float(weights.sum())) - score


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The share of labels that are wrong: with one label per row, the share of rows."""
    right = _right(y_true, y_pred)
    return weighted_mean(~right, weights_of(sample_weight, len(right)))


def _right(y_true: Any, y_pred: Any) -> Array:
    """Which rows are answered right; arrays of one sort are compared as they are, without codes."""
    truth, answer = label_cells(y_true, "y_true"), label_cells(y_pred, "y_pred")
    if isinstance(truth, np.ndarray) and isinstance(answer, np.ndarray):
        kinds = truth.dtype.kind + answer.dtype.kind
        if kinds == "UU" or set(kinds) <= set("biuf"):
            some_rows(len(truth))
            same_length(len(truth), len(answer), "y_pred")
            return np.equal(truth, answer)
    pair = code_labels(y_true=y_true, y_pred=y_pred)
    return np.equal(pair.truth, pair.answer)


def _tallies(y_true: Any, y_pred: Any, sample_weight: Any) -> Tallies:
    pair = code_labels(y_true=y_true, y_pred=y_pred)
    return tallies(pair.truth, pair.answer, pair.n_classes, weights_of(sample_weight, len(pair.truth)))


def balanced_accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False) -> float:
    """The mean over the classes of the share of their rows that is answered right.

    `adjusted=True` moves and stretches it, so that guessing gives 0 and being always right 1.
    """
    return _tallies(y_true, y_pred, sample_weight).balanced_accuracy(adjusted=adjusted)


def rebalanced_accuracy_score(
    y_true: Any, y_pred: Any, *, costs: Mapping[Any, float] | None = None, sample_weight: Any = None
) -> float:
    """Accuracy in which a row counts as much as its class costs.

        Σ_c cost_c · right_c / Σ_c cost_c · rows_c

    Without `costs` a class costs 1/its size (for two classes: a positive counts as N/P negatives), and this is the
    balanced accuracy. A class that `costs` leaves out costs 1.

    >>> rebalanced_accuracy_score(["ill", "well", "well"], ["well", "well", "well"], costs={"ill": 8})
    0.2
    """
    pair = code_labels(y_true=y_true, y_pred=y_pred)
    tally = tallies(pair.truth, pair.answer, pair.n_classes, weights_of(sample_weight, len(pair.truth)))
    if costs is None:
        return tally.balanced_accuracy()
    for c, cost in costs.items():
        if not np.isfinite(cost) or cost < 0:
            raise ParameterError(f"The cost of {label(c)} is {spell(cost)}. Expected a finite number of 0 or more.")
    known = pair.labels.tolist()
    strange = [c for c in costs if c not in known]
    if strange:
        raise ParameterError(f"costs names {label(strange[0])}, which no row holds. The classes are {known[:6]}.")
    by_class = np.array([float(costs.get(c, 1.0)) for c in known])
    total = float(by_class @ tally.true)
    if total == 0:
        raise InputError("No row has a class with a cost above 0. Give a cost to a class of these rows.")
    return float(by_class @ tally.hits) / total


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The correlation of truth and answer: 1 always right, 0 as by chance, or constant; for any number of classes."""
    return _tallies(y_true, y_pred, sample_weight).matthews()


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: str | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = float("nan"),
) -> float:
    """Agreement of two judges beyond what chance would give.

        κ = 1 − Σ d·observed / Σ d·expected

    d is 1 where they differ; `weights="linear"` takes how many labels lie between, "quadratic" the square of it.
    Where chance leaves nothing to disagree on, it is `replace_undefined_by`.
    """
    if weights not in (None, "linear", "quadratic"):
        raise ParameterError(f"weights={weights!r} is not allowed. Expected None, 'linear' or 'quadratic'.")
    if weights is None and labels is None:
        kappa = _tallies(y1, y2, sample_weight).kappa()
    else:
        counts = confusion_matrix(y1, y2, labels=labels, sample_weight=sample_weight).astype(np.float64)
        apart = np.abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts)))).astype(np.float64)
        cost = apart > 0 if weights is None else apart if weights == "linear" else apart**2
        total = counts.sum()
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total if total else counts
        by_chance = float((cost * expected).sum())
        kappa = 1 - float((cost * counts).sum()) / by_chance if by_chance else float("nan")
    if np.isnan(kappa):
        warn_undefined(f"By chance nothing could differ, and kappa is undefined. It is set to {replace_undefined_by}.")
        return replace_undefined_by
    return kappa


def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: str | None = None
) -> Array:
    """Rows, or their weight, by true class (down) and answer (across), classes sorted or in the order of `labels`.

    >>> confusion_matrix(["cat", "dog", "dog"], ["cat", "dog", "cat"])
    array([[1, 0],
           [1, 1]])

    `normalize` divides by the rows of each class ("true"), of each answer ("pred"), or by all ("all"); 0/0 is 0.
    With `labels`, rows whose truth or answer is another label are left out.
    """
    if normalize not in (None, "true", "pred", "all"):
        raise ParameterError(f"normalize={normalize!r} is not allowed. Expected 'true', 'pred', 'all' or None.")
    pair = code_labels(y_true=y_true, y_pred=y_pred)
    weights = weights_of(sample_weight, len(pair.truth))
    counts = confusion_counts(pair.truth, pair.answer, pair.n_classes, weights)
    if labels is not None:
        counts = _selected_counts(
            counts, *chosen_labels(labels, pair.labels), there=np.isin(np.arange(len(counts)), pair.truth)
        )
    if normalize is None:
        return counts
    whole = counts.sum(axis={"true": 1, "pred": 0, "all": None}[normalize], keepdims=True)
    shares: Array = np.divide(counts, whole, out=np.zeros(counts.shape), where=whole != 0)
    return shares


def _selected_counts(counts: Array, labels: Array, places: Array, there: Array) -> Array:
    if len(set(labels.tolist())) < len(labels):
        raise ParameterError(f"labels names a label twice: {labels.tolist()[:10]}. Expected each once.")
    known = places >= 0
    if not there[places[known]].any():
        raise InputError(f"None of the labels {labels.tolist()[:6]} is in y_true. Expected at least one of them.")
    chosen = np.zeros((len(labels), len(labels)), counts.dtype)
    chosen[np.ix_(known, known)] = counts[np.ix_(places[known], places[known])]
    return chosen
