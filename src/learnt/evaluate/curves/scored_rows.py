"""What a curve is drawn from: rows of one class and of others with a score, from arrays or from a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.files.scan import Scan
from learnt.data.table import Array
from learnt.engine.training import Needs, Training, prepare
from learnt.errors import InputError, ParameterError
from learnt.evaluate.metrics.areas import one_score
from learnt.evaluate.metrics.inputs import weights_of
from learnt.evaluate.metrics.labels import set_apart
from learnt.show.words import label, spell


@dataclass(frozen=True)
class ScoredRows:
    """Which rows are of the class `positive`, the score each got for it, and their weights."""

    truth: Array
    score: Array
    weights: Array | None
    positive: Any

    @property
    def pair(self) -> tuple[Array, Array]:
        return self.truth, self.score


def scored_rows(y_true: Any, score: Any, pos_label: Any, sample_weight: Any) -> ScoredRows:
    """Checked rows; the class is the second of two unless it is given. Rows of it and of others must be there."""
    truth, positive = set_apart(y_true, pos_label)
    weights = weights_of(sample_weight, len(truth))
    counted = truth if weights is None else truth[weights > 0]
    if not counted.any() or counted.all():
        raise InputError(f"Rows of {label(positive)}, or all others, have no weight. Expected both to have some.")
    return ScoredRows(truth, one_score(score, len(truth), "score"), weights, positive)


def asked_rows(model: Any, X: Any, y: Any, sample_weight: Any, needs: Needs) -> Training:
    """The rows a model is asked about, with their targets."""
    if isinstance(X, Scan):
        raise ParameterError("A scan was given. A curve needs the rows in memory. Give a table of some rows.")
    return prepare(X, y, sample_weight, needs, type(model).__name__)


def scored_by(model: Any, X: Any, y: Any, pos_label: Any, sample_weight: Any) -> ScoredRows:
    """The rows of a table with the probability a fitted classifier gives the class."""
    if not hasattr(model, "predict_proba"):
        raise ParameterError(f"{type(model).__name__} gives no probabilities. Expected a fitted classifier.")
    rows = asked_rows(model, X, y, sample_weight, "classes")
    assert rows.classes is not None
    known = model.classes_.tolist()
    if pos_label is None and len(known) == 2:
        pos_label = known[1]
    if pos_label not in known:
        shown = ", ".join(label(c) for c in known[:6])
        raise ParameterError(
            f"pos_label={spell(pos_label)} is not a class of the model. Give one of {shown} as pos_label."
        )
    score = np.asarray(model.predict_proba(rows.source))[:, known.index(pos_label)]
    labels = rows.classes[np.asarray(rows.target)]
    return scored_rows(labels, score, pos_label, rows.weights)
