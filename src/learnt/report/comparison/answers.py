"""What the answers and probabilities of one learner are worth: the confusion matrix, the ROC curve and the gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.evaluate.curves import ConfusionMatrix, RocCurve, gain, roc
from learnt.report.comparison.figures.ranking import gain_picture, roc_picture
from learnt.report.comparison.words import interval, label, name, score
from learnt.show.numbers import number, percent
from learnt.show.words import short_name

if TYPE_CHECKING:
    from learnt.data.table import Array
    from learnt.report.comparison.insights.subject import Subject

MOST_CLASSES = 12
MOST_CURVES = 8
SHARE = 0.1  # of the rows, for the lift
SHADES = 5


def confusion_table(subject: Subject) -> dict[str, Any] | None:
    """Truth against answer, with the share found of each class and how far each answer is to be trusted."""
    classes, answer = subject.problem.classes, subject.held_out[0]
    if classes is None or not 2 <= len(classes) <= MOST_CLASSES:
        return None
    asked = answer >= 0
    k = len(classes)
    counts = np.bincount(subject.problem.target[asked] * k + answer[asked], minlength=k * k).reshape(k, k)
    matrix = ConfusionMatrix(tuple(classes.tolist()), counts)
    shade = np.ceil(SHADES * np.nan_to_num(matrix.shares)).astype(int)
    return {
        "classes": [label(c, 24) for c in classes.tolist()],
        "rows": [
            [{"count": f"{n:,}", "shade": s} for n, s in zip(line, shades, strict=True)]
            for line, shades in zip(counts.tolist(), shade.tolist(), strict=True)
        ],
        "recall": [_share(x) for x in matrix.recall],
        "precision": [_share(x) for x in matrix.precision],
        "accuracy": _share(matrix.accuracy),
    }


def _share(x: float) -> str:
    return "–" if np.isnan(x) else percent(float(x), 0)


def ranking(subject: Subject) -> dict[str, Any] | None:
    """The curves of two classes, or a small one of each of several; None without probabilities."""
    classes, probabilities = subject.problem.classes, subject.held_out[1]
    if classes is None or probabilities is None or not 2 <= len(classes) <= MOST_CURVES:
        return None
    return _of_two(subject, classes[1]) if len(classes) == 2 else _of_more(subject, classes, probabilities)


def _of_two(subject: Subject, positive: Any) -> dict[str, Any]:
    several = [(one, one.held_out[1]) for one in (subject, subject.readable) if one is not None]
    asked = [(one, probabilities) for one, probabilities in several if probabilities is not None]
    curves = [_curves(one, probabilities, 1) for one, probabilities in asked]
    words = short_name(positive, 40)
    lift = float(curves[0][1].at(SHARE))
    return {
        "positive": label(positive),
        "roc": roc_picture([c[0] for c in curves], f"ROC curve of {words}, area {number(curves[0][0].auc)}"),
        "gain": gain_picture([c[1] for c in curves], f"Gain of {words}: {percent(lift, 0)} found in a tenth"),
        "areas": [(name(one.name), _area(curve)) for (one, _), (curve, _) in zip(asked, curves, strict=True)],
        "share": percent(SHARE, 0),
        "found": percent(lift, 0),
        "lift": number(float(f"{lift / SHARE:.2g}")),
        "most": number(float(f"{1 / max(curves[0][1].prevalence, SHARE):.2g}")),
        "small": [],
    }


def _of_more(subject: Subject, classes: Array, probabilities: Array) -> dict[str, Any]:
    small = []
    for c, one in enumerate(classes.tolist()):
        curve, _ = _curves(subject, probabilities, c)
        words = f"ROC curve of {short_name(one, 40)} against the others, area {number(curve.auc)}"
        small.append((label(one, 24), _area(curve), roc_picture([curve], words, small=True)))
    return {"small": small}


def _curves(subject: Subject, probabilities: Array, c: int) -> tuple[RocCurve, Any]:
    """Of the class with code c against the others, over all folds together."""
    problem = subject.problem
    rows = np.isfinite(probabilities).all(axis=1)
    weights = None if problem.weights is None else problem.weights[rows]
    given = (problem.target[rows] == c, probabilities[rows, c])
    return roc(*given, pos_label=True, sample_weight=weights), gain(*given, pos_label=True, sample_weight=weights)


def _area(curve: RocCurve) -> str:
    spread = "" if curve.interval is None else f" ({interval(curve.interval.low, curve.interval.high)})"
    return f"{score(curve.auc)}{spread}"
