"""The leaderboard: each finished learner's mean, how sure it is, and with whom it is tied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array

if TYPE_CHECKING:
    from learnt.evaluate.comparison.outcome import Outcome
    from learnt.evaluate.metrics.scoring import Metric
    from learnt.evaluate.significance import Ties

LEVEL = 0.95


@dataclass(frozen=True)
class Standing:
    """A line of the leaderboard. Learners that share a letter are not significantly different."""

    place: int
    name: str
    mean: float
    low: float
    high: float
    letters: str
    tied_with_best: bool
    fit_seconds: float
    predict_seconds: float
    model_bytes: int | None
    readable: bool
    simplicity: float
    means: dict[str, float]


def standings(done: Sequence[Outcome], metric: Metric, ties: Ties | None) -> list[Standing]:
    rows = []
    for place, outcome in enumerate(done, start=1):
        n_train, n_test = fold_sizes([outcome])
        low, high = mean_interval(outcome.scores[metric.name], n_train, n_test, metric)
        rows.append(
            Standing(
                place=place,
                name=outcome.name,
                mean=outcome.mean(metric.name),
                low=low,
                high=high,
                letters="" if ties is None else ties.letters.get(outcome.name, ""),
                tied_with_best=ties is None or place == 1 or outcome.name in ties.with_best,
                fit_seconds=outcome.fit_seconds,
                predict_seconds=outcome.predict_seconds,
                model_bytes=outcome.model_bytes,
                readable=outcome.readable,
                simplicity=outcome.simplicity,
                means={name: outcome.mean(name) for name in outcome.scores},
            )
        )
    return rows


def fold_sizes(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Rows a fold was trained on and tested on, on average."""
    results = [r for o in outcomes for r in o.results]
    if not results:
        return float("nan"), float("nan")
    return float(np.mean([r.n_train for r in results])), float(np.mean([len(r.test) for r in results]))


def mean_interval(scores: Array, n_train: float, n_test: float, metric: Metric) -> tuple[float, float]:
    """The 95 % interval of a cross-validated mean, clipped to what the metric can be; NaN with fewer than two folds.

        mean ± t · √((1/k + n_test/n_train) · s²)

    Folds share training rows, so their scores are not independent, and 1/k alone would promise too much
    (C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003).
    """
    from scipy.special import stdtrit

    seen = scores[~np.isnan(scores)]
    k = len(seen)
    if k < 2:
        return float("nan"), float("nan")
    half = float(stdtrit(k - 1, (1 + LEVEL) / 2)) * float(np.sqrt((1 / k + n_test / n_train) * seen.var(ddof=1)))
    return max(float(seen.mean()) - half, metric.low), min(float(seen.mean()) + half, metric.high)
