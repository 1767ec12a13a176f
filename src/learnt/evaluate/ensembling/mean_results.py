"""What a vote would have answered on a fold, from what its members answered there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.folds import FoldResult


def mean_result(results: Sequence[FoldResult], weights: Sequence[float]) -> FoldResult:
    """The weighted mean of members' answers on one fold, as `VotingClassifier` and `VotingRegressor` give it.

    Its times are those of the members one after another. Members of weight 0 are not asked.
    """
    asked = [(result, w) for result, w in zip(results, weights, strict=True) if w > 0]
    first = asked[0][0]
    probabilities: Array | None = None
    if first.probabilities is None:
        answer = _mean([(result.answer, w) for result, w in asked])
    else:
        probabilities = _mean([(known_probabilities(result), w) for result, w in asked])
        answer = probabilities.argmax(axis=1).astype(np.int32)
    sizes = [result.model_bytes for result, _ in asked]
    return FoldResult(
        repeat=first.repeat,
        number=first.number,
        test=first.test,
        answer=answer,
        probabilities=probabilities,
        fit_seconds=sum(result.fit_seconds for result, _ in asked),
        predict_seconds=sum(result.predict_seconds for result, _ in asked),
        model_bytes=None if None in sizes else sum(size for size in sizes if size is not None),
        n_train=first.n_train,
    )


def known_probabilities(result: FoldResult) -> Array:
    """The probabilities of a learner that gives some."""
    assert result.probabilities is not None
    return result.probabilities


def _mean(answers: Sequence[tuple[Array, float]]) -> Array:
    """Added up as a vote does, to the same bits."""
    mean: Array = np.zeros_like(answers[0][0], dtype=np.float64)
    total = 0.0
    for answer, w in answers:
        total += w
        mean = mean + (answer - mean) * (w / total)
    return mean
