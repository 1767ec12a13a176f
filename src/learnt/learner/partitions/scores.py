"""The score of a learner on a Dask collection: a number, from what each partition adds to it.

Scores that are means or sums of rows are put together from those of partitions; R² from sums of squares.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np

from learnt.data.dask.collections import cut_as
from learnt.data.dask.kinds import CALLED, collection_kind
from learnt.data.files.pieces import count_rows
from learnt.data.files.scan import Scan
from learnt.data.table import Array, Table
from learnt.engine.training import checked_weights
from learnt.errors import InputError
from learnt.learner.partitions.answers import own_cores
from learnt.learner.partitions.sent import Sent, as_delayed, frozen


@dataclass(frozen=True)
class MeanScore:
    """A mean over rows, and the weight of these."""

    mean: float
    weight: float

    def __add__(self, other: Self) -> Self:
        weight = self.weight + other.weight
        return type(self)((self.mean * self.weight + other.mean * other.weight) / weight, weight)

    def score(self) -> float:
        return self.mean


@dataclass(frozen=True)
class SumScore:
    """A sum over rows."""

    total: float

    def __add__(self, other: Self) -> Self:
        return type(self)(self.total + other.total)

    def score(self) -> float:
        return self.total


@dataclass(frozen=True)
class SquaredErrors:
    """What R² is made of: mean squares of errors and of the target's distance from its mean."""

    rows: int
    weight: float
    mean: float
    variance: float
    residual: float

    @classmethod
    def of(cls, truth: Array, answer: Array, weights: Array | None) -> Self:
        if weights is not None and not weights.any():
            return cls(len(truth), 0.0, 0.0, 0.0, 0.0)
        mean = np.average(truth, weights=weights)
        return cls(
            len(truth),
            float(len(truth) if weights is None else weights.sum()),
            float(mean),
            float(np.average((truth - mean) ** 2, weights=weights)),
            float(np.average((truth - answer) ** 2, weights=weights)),
        )

    def __add__(self, other: Self) -> Self:
        rows, weight = self.rows + other.rows, self.weight + other.weight
        if not self.weight or not other.weight:
            return replace(self if self.weight else other, rows=rows)
        a, b = self.weight / weight, other.weight / weight
        return type(self)(
            rows,
            weight,
            self.mean + b * (other.mean - self.mean),
            a * self.variance + b * other.variance + a * b * (self.mean - other.mean) ** 2,
            a * self.residual + b * other.residual,
        )

    def score(self) -> float:
        if self.rows < 2:
            return float("nan")
        if self.variance == 0:
            return 1.0 if self.residual == 0 else 0.0
        return 1 - self.residual / self.variance


Part = MeanScore | SumScore | SquaredErrors


def mean_of_part(learner: Any, X: Any, y: Any, weights: Any) -> MeanScore:
    """The score of a learner whose score is a mean."""
    return MeanScore(float(learner.score(X, y, weights)), weight_of(X, weights))


def sum_of_part(learner: Any, X: Any, y: Any, weights: Any) -> SumScore:
    """The score of a learner whose score is a sum."""
    return SumScore(float(learner.score(X, y, weights)))


def weight_of(X: Any, weights: Any) -> float:
    """The rows by weight."""
    if isinstance(X, Scan):
        name = X.weight if weights is None else weights
        return float(count_rows(X) if name is None else sum(batch[name].values.sum() for batch in X.batches([name])))
    if weights is None:
        return float(len(X))
    given = Table(X)[weights] if isinstance(weights, str) else weights
    return float(checked_weights(given, len(X)).sum())


def score_of_partitions(learner: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
    """The score on all rows: computed at once, each partition where it lies; the sums alone come back."""
    from dask.delayed import delayed

    rows = partitions_of(X, "X")
    chunks = X.chunks if collection_kind(X) == "array" else None
    targets = _beside(y, "y", len(rows), chunks)
    weights = _beside(sample_weight, "sample_weight", len(rows), chunks)
    sent = as_delayed(frozen(learner))
    ask = delayed(_score_of_part, pure=False)
    parts = [ask(sent, x, t, w) for x, t, w in zip(rows, targets, weights, strict=True)]
    whole: Any = delayed(list, pure=False)
    found = whole(parts).compute()
    seen = [part for part in found if part is not None]
    if not seen:
        raise InputError(f"The {CALLED[collection_kind(X) or 'frame']} has no rows that count, and so no score.")
    return float(reduce(add, seen).score())


def _score_of_part(sent: Sent, X: Any, y: Any, weights: Any) -> Part | None:
    """What a partition adds to the score; None where it has no rows that count."""
    if len(X) == 0 or not weight_of(X, weights):
        return None
    with own_cores():
        part: Part = sent.learner._part_of_score(X, y, weights)
    return part


def partitions_of(X: Any, what: str) -> list[Any]:
    """The partitions of a collection, each delayed."""
    kind = collection_kind(X)
    if kind == "frame":
        parts: list[Any] = X.to_delayed()
        return parts
    if kind == "array":
        whole = X.rechunk({1: -1}) if X.ndim == 2 else X
        return list(whole.to_delayed().ravel())
    if kind is None:
        raise InputError(
            f"X is spread over partitions, but {what} is a {type(X).__name__}. Expected a collection with the same "
            "partitions, or the name of a column."
        )
    return list(X) if kind == "frames" else [X]


def _beside(values: Any, what: str, n: int, chunks: Any = None) -> list[Any]:
    """What stands beside the rows of each partition: values of their own, the same names for all, or nothing."""
    if values is None or isinstance(values, str) or (isinstance(values, list) and isinstance(values[0], str)):
        return [values] * n
    parts = partitions_of(cut_as(values, chunks) if collection_kind(values) == "array" else values, what)
    if len(parts) != n:
        raise InputError(
            f"X has {n} partitions, but {what} has {len(parts)}. Expected the same rows in each partition. Cut both "
            "alike, for instance by taking both from one frame."
        )
    return parts
