"""The leaderboard: each finished learner's mean, how sure it is, and with whom it is tied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.metrics.intervals import proportion_interval

if TYPE_CHECKING:
    from learnt.evaluate.comparison.outcome import Outcome
    from learnt.evaluate.metrics.scoring import Metric
    from learnt.evaluate.significance import Ties
    from learnt.evaluate.significance.sampling import SamplingErrors

LEVEL = 0.95


@dataclass(frozen=True)
class Standing:
    """A line of the leaderboard.

    Learners that share a letter are not significantly different, all pairs taken together. `may_be_best` is the answer
    to another question, who the best is, which fewer comparisons settle: a learner may share a letter with the best
    and still be shown not to be it.
    """

    place: int
    name: str
    mean: float
    standard_error: float
    low: float
    high: float
    letters: str
    may_be_best: bool
    fit_seconds: float
    predict_seconds: float
    model_bytes: int | None
    readable: bool
    simplicity: float
    means: dict[str, float]


def standings(done: Sequence[Outcome], metric: Metric, ties: Ties | None) -> list[Standing]:
    errors = None if ties is None else ties.errors
    rows = []
    for place, outcome in enumerate(done, start=1):
        mean = outcome.mean(metric.name)
        if ties is None or errors is None:
            scores, sizes = outcome.scores[metric.name], fold_sizes([outcome])
            error, _ = fold_error(scores, *sizes)
            low, high = mean_interval(scores, *sizes, metric)
        else:
            error = float(errors.standard_errors[ties.names.index(outcome.name)])
            low, high = score_interval(mean, error, errors, metric)
        rows.append(
            Standing(
                place=place,
                name=outcome.name,
                mean=mean,
                standard_error=error,
                low=low,
                high=high,
                letters="" if ties is None else ties.letters.get(outcome.name, ""),
                may_be_best=ties is None or outcome.name in ties.with_best,
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


def fold_error(scores: Array, n_train: float, n_test: float) -> tuple[float, int]:
    """The standard error of a cross-validated mean from its folds, and its degrees of freedom; NaN for one fold.

        √((1/k + n_test/n_train) · s²)

    Folds share training rows, so their scores are not independent, and 1/k alone would promise too much
    (C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003).
    """
    seen = scores[~np.isnan(scores)]
    k = len(seen)
    if k < 2:
        return float("nan"), 0
    return float(np.sqrt((1 / k + n_test / n_train) * seen.var(ddof=1))), k - 1


def mean_interval(scores: Array, n_train: float, n_test: float, metric: Metric) -> tuple[float, float]:
    """The 95 % interval of a cross-validated mean from its folds alone; NaN with fewer than two."""
    seen = scores[~np.isnan(scores)]
    error, freedom = fold_error(scores, n_train, n_test)
    return _t_interval(float(seen.mean()) if len(seen) else float("nan"), error, freedom, metric)


def _t_interval(mean: float, error: float, freedom: int, metric: Metric) -> tuple[float, float]:
    """mean ± t standard errors, clipped to what the metric can be; NaN without a standard error."""
    from scipy.special import stdtrit

    if np.isnan(error):
        return float("nan"), float("nan")
    half = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    return max(mean - half, metric.low), min(mean + half, metric.high)


def score_interval(mean: float, error: float, errors: SamplingErrors, metric: Metric) -> tuple[float, float]:
    """The 95 % interval of a score whose error comes from rows.

    A score between 0 and 1 gets Wilson's interval for as many rows as would be as sure as it is, which neither leaves
    the range nor shrinks to a point where every row was answered right.
    """
    if (metric.low, metric.high) != (0, 1):
        return _t_interval(mean, error, errors.degrees_of_freedom, metric)
    spread = mean * (1 - mean)
    rows = spread / error**2 if error > 0 and spread > 0 else errors.effective
    found = proportion_interval(min(max(mean, 0.0), 1.0) * rows, rows, level=LEVEL)
    return found.low, found.high
