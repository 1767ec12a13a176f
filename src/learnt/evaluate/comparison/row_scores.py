"""What each row contributed to the score of each learner, and how sure the scores are because of it.

The score of a learner is the mean over folds of a metric, and each row's share in it is its influence on its fold's
figure over the number of folds. Rows (or groups of rows, where they belong together) are what is independent: a row
tested in several repeats adds up to one contribution, since repeats bring no new rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.metrics.influence import influences, row_losses
from learnt.evaluate.significance.sampling import SamplingErrors

if TYPE_CHECKING:
    from learnt.evaluate.comparison.outcome import Outcome
    from learnt.evaluate.folds import FoldResult
    from learnt.evaluate.metrics.scoring import Metric
    from learnt.evaluate.problem import Problem

#: Fewer rows of a fold than this say too little about a figure that is not a mean, such as an area or an RMSE.
LEAST_ROWS = 5
#: Samples of rows drawn anew for metrics without an influence function.
SAMPLES = 200
#: Metrics that hang on a single row, which no drawing of rows tells the spread of.
EXTREMES = frozenset({"max_error"})


def sampling_errors(problem: Problem, done: Sequence[Outcome], metric: Metric) -> SamplingErrors | None:
    """The errors of the learners' scores, all on the same rows; None where rows cannot tell them."""
    sign = 1.0 if metric.higher_is_better else -1.0
    scores = np.array([o.mean(metric.name) for o in done])
    fold_scores = np.array([o.scores[metric.name] for o in done])
    scored = ~np.isnan(fold_scores)
    if not len(done) or not np.isfinite(scores).all() or not (scored == scored[0]).all() or _few_rows(done):
        return None
    tested = np.zeros(problem.n_rows, dtype=bool)
    for result in done[0].results:
        tested[result.test] = True
    stretch = 1 + float(tested.sum()) / float(np.mean([r.n_train for r in done[0].results]))
    units = _units(problem, tested)
    if units.max(initial=-1) < 1:
        return None
    found = _contributions(problem, done, metric, units, scored[0])
    if found is not None:
        contributions, lost = found
        if not np.isfinite(contributions).all():
            return None
        return SamplingErrors.from_rows(sign * scores, sign * contributions, stretch, lost)
    if metric.name in EXTREMES:
        return None
    replicates = _replicates(problem, done, metric, units)
    if not np.isfinite(replicates).all():
        return None
    return SamplingErrors.from_replicates(sign * scores, sign * replicates, stretch, int(units.max()) + 1)


def _few_rows(done: Sequence[Outcome]) -> bool:
    return not all(o.results and o.results[0].n_train > 0 for o in done)


def _units(problem: Problem, tested: Array) -> Array:
    """The number of the unit each row belongs to, −1 for a row that was never tested: groups, else rows."""
    units = np.full(problem.n_rows, -1, dtype=np.int64)
    if problem.groups is None:
        units[tested] = np.arange(int(tested.sum()))
    else:
        units[tested] = np.unique(problem.groups[tested], return_inverse=True)[1]
    return units


def _contributions(
    problem: Problem, done: Sequence[Outcome], metric: Metric, units: Array, scored: Array
) -> tuple[Array, int] | None:
    """Units × learners, a column summing to the error of a score; and the means that were taken out of it."""
    n_folds = int(scored.sum())
    found = np.zeros((int(units.max()) + 1, len(done)))
    mean = True
    for place, outcome in enumerate(done):
        for result, counts in zip(outcome.results, scored, strict=True):
            if not counts:
                continue
            truth = problem.target[result.test]
            weights = np.ones(len(truth)) if problem.weights is None else problem.weights[result.test]
            values = row_losses(metric, truth, result.answer, result.probabilities)
            if values is not None:
                values = values - outcome.mean(metric.name)
            else:
                mean = False
                if len(truth) < LEAST_ROWS:
                    return None
                values = influences(
                    metric, truth, result.answer, result.probabilities, weights, problem.n_classes or None
                )
                if values is None:
                    return None
            share = weights * (values / (weights.sum() * n_folds))
            found[:, place] += np.bincount(units[result.test], share, len(found))
    return found, 1 if mean else n_folds


def _replicates(problem: Problem, done: Sequence[Outcome], metric: Metric, units: Array) -> Array:
    """Samples × learners: the mean score over the folds, of units drawn anew with replacement."""
    rng = np.random.default_rng(19520321)
    n_units = int(units.max()) + 1
    found = np.empty((SAMPLES, len(done)))
    for sample in range(SAMPLES):
        times = np.bincount(rng.integers(0, n_units, n_units), minlength=n_units)
        for place, outcome in enumerate(done):
            scores = [
                _resampled_score(problem, metric, result, times[units[result.test]]) for result in outcome.results
            ]
            known = [score for score in scores if not np.isnan(score)]
            found[sample, place] = np.mean(known) if known else np.nan
    return found


def _resampled_score(problem: Problem, metric: Metric, result: FoldResult, times: Array) -> float:
    again = np.repeat(np.arange(len(times)), times)
    if not len(again) or (metric.needs == "probabilities" and result.probabilities is None):
        return float("nan")
    rows = result.test[again]
    return metric.score(
        problem.target[rows],
        result.answer[again],
        None if result.probabilities is None else result.probabilities[again],
        None if problem.weights is None else problem.weights[rows],
        problem.n_classes or None,
    )
