"""Precision, recall, F and Jaccard: figures of one class, or averaged over the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics.counting import Tallies, tallies
from learnt.evaluate.metrics.inputs import weights_of
from learnt.evaluate.metrics.labels import Coded, chosen_labels, code_labels
from learnt.evaluate.metrics.undefined import warn_undefined, zero_division_value
from learnt.show.words import spell

AVERAGES = (None, "binary", "micro", "macro", "weighted")


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision P, recall R, F and the number of rows of each class.

        P = hits / answered,   R = hits / true,   F = (1 + β²)·P·R / (β²·P + R)

    >>> precision_recall_fscore_support(list("aabb"), list("aaab"), average="macro")[:2]
    (0.8333333333333333, 0.75)

    | `average` | what is returned |
    |---|---|
    | None | an array, one number per label |
    | `"binary"` | the numbers of `pos_label`, for two classes |
    | `"macro"` | the mean over the labels |
    | `"weighted"` | the mean by the rows of each label |
    | `"micro"` | the numbers of all hits, answers and rows added up |

    `labels` chooses and orders the labels. 0/0 becomes `zero_division`: 0, 1 or NaN (left out of means); "warn" is
    0 and says so. With an average there is no support (None).
    """
    check_beta(beta)
    tally = class_tallies(y_true, y_pred, labels, pos_label, average, sample_weight)
    shares = (
        divide_counts(tally.hits, tally.answered, zero_division, "Precision"),
        divide_counts(tally.hits, tally.true, zero_division, "Recall"),
        divide_counts(*f_parts(tally, beta), zero_division, "F"),
    )
    precision, recall, f = (average_shares(share, tally.true, average) for share in shares)
    return precision, recall, f, tally.true if average is None else None


def check_beta(beta: float) -> None:
    if not isinstance(beta, (int, float)) or not beta >= 0:
        raise ParameterError(f"beta={spell(beta)} is not allowed. Expected a number of 0 or more.")


def f_parts(tally: Tallies, beta: float) -> tuple[Array, Array]:
    """(1+β²)·P·R/(β²·P+R) as a fraction of counts, which is defined where P or R alone is not."""
    if np.isinf(beta):
        return tally.hits, tally.true
    if beta == 0:
        return tally.hits, tally.answered
    return (1 + beta**2) * tally.hits, beta**2 * tally.true + tally.answered


def class_tallies(
    y_true: Any, y_pred: Any, labels: Any, pos_label: Any, average: str | None, sample_weight: Any
) -> Tallies:
    """The tallies of the labels asked for, added up for the average "micro"."""
    if average not in AVERAGES:
        raise ParameterError(f"average={average!r} is not allowed. Expected one of {', '.join(map(repr, AVERAGES))}.")
    pair = code_labels(y_true=y_true, y_pred=y_pred)
    tally = tallies(pair.truth, pair.answer, pair.n_classes, weights_of(sample_weight, len(pair.truth)))
    if average == "binary" or labels is not None:
        places = _positive_place(pos_label, pair) if average == "binary" else chosen_labels(labels, pair.labels)[1]
        hits, true, answered = (np.append(t, 0)[places] for t in (tally.hits, tally.true, tally.answered))
        tally = Tallies(hits, true, answered)
    if average == "micro":
        tally = Tallies(*(t.sum(keepdims=True) for t in (tally.hits, tally.true, tally.answered)))
    return tally


def _positive_place(pos_label: Any, pair: Coded) -> Array:
    known = pair.labels.tolist()
    if len(known) > 2:
        raise InputError(
            f"There are {len(known)} classes, but average='binary' is for two. Choose average='macro', 'micro', "
            "'weighted' or None."
        )
    if len(known) == 2 and pos_label not in known:
        raise InputError(
            f"pos_label={spell(pos_label)} is not a label of these rows. Give pos_label={spell(known[1])} or "
            f"{spell(known[0])}."
        )
    return np.array([known.index(pos_label) if pos_label in known else -1])


def divide_counts(part: Array, whole: Array, zero_division: Any, name: str) -> Array:
    """part/whole, and for 0/0 what `zero_division` says; "warn" is 0, said aloud."""
    zero = zero_division_value(zero_division, name)
    empty = whole == 0
    if isinstance(zero_division, str) and empty.any():
        warn_undefined(f"{name} is 0/0 for {int(empty.sum())} label(s), and set to 0. Set zero_division to choose.")
    shares: Array = np.divide(part, whole, out=np.full(len(whole), zero), where=~empty)
    return shares


def average_shares(shares: Array, rows: Array, average: str | None) -> Any:
    """One number out of those of the labels; NaN ones are left out."""
    if average is None:
        return shares
    there = ~np.isnan(shares)
    if not there.any():
        return float("nan")
    if average == "weighted" and rows[there].any():
        return float(np.average(shares[there], weights=rows[there]))
    return float(shares[there].mean())


def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Of the rows answered with a class, the share that is of it; see `precision_recall_fscore_support`."""
    tally = class_tallies(y_true, y_pred, labels, pos_label, average, sample_weight)
    return average_shares(divide_counts(tally.hits, tally.answered, zero_division, "Precision"), tally.true, average)


def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Of the rows of a class, the share that is answered with it; see `precision_recall_fscore_support`."""
    tally = class_tallies(y_true, y_pred, labels, pos_label, average, sample_weight)
    return average_shares(divide_counts(tally.hits, tally.true, zero_division, "Recall"), tally.true, average)


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """F_β = (1 + β²)·P·R / (β²·P + R): recall counts β times as much as precision.

    >>> fbeta_score([0, 1, 1, 1], [0, 0, 1, 1], beta=2)
    0.7142857142857143

    The settings are those of `precision_recall_fscore_support`.
    """
    check_beta(beta)
    tally = class_tallies(y_true, y_pred, labels, pos_label, average, sample_weight)
    return average_shares(divide_counts(*f_parts(tally, beta), zero_division, "F"), tally.true, average)


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """F₁ = 2·P·R / (P + R), the harmonic mean of precision and recall; see `precision_recall_fscore_support`."""
    tally = class_tallies(y_true, y_pred, labels, pos_label, average, sample_weight)
    return average_shares(divide_counts(*f_parts(tally, 1), zero_division, "F"), tally.true, average)


def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Of the rows that are of a class or answered with it, the share that is both."""
    tally = class_tallies(y_true, y_pred, labels, pos_label, average, sample_weight)
    either = tally.true + tally.answered - tally.hits
    return average_shares(divide_counts(tally.hits, either, zero_division, "Jaccard"), tally.true, average)
