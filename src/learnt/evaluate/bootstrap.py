"""The .632 and .632+ bootstrap: the optimistic training score and the pessimistic one of rows left out, weighed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.folds import Fold, FoldResult, run_fold
from learnt.evaluate.foreign import check_learner, learner_task
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.problem import Problem, problem
from learnt.evaluate.scores import fitting_metric, score_of
from learnt.evaluate.splits.k_folds import seeds
from learnt.evaluate.splits.shuffled import Bootstrap632
from learnt.evaluate.words import check_call
from learnt.evaluate.workers.running import run_folds
from learnt.learner.parameters import seed_from
from learnt.show.numbers import number
from learnt.show.text_table import aligned

#: Rows of which all pairs are looked at for the no-information score.
MOST_PAIRED = 1000
LEFT_OUT = 0.368


@dataclass(frozen=True, eq=False)
class BootstrapEstimate:
    """What a learner is worth, estimated from resamples.

    | field | meaning |
    |---|---|
    | `estimate` | the .632+ estimate, or the .632 one if `plus` is False |
    | `point_632` | .368 · apparent + .632 · left out |
    | `apparent` | the score on the very rows learnt from |
    | `left_out` | the mean score on the rows that a resample left out |
    | `no_information` | the score if answers had nothing to do with the truth |
    | `overfitting` | the relative overfitting rate R, from 0 (none) to 1 (nothing learnt) |
    | `weight` | of `left_out` in the estimate, .632 to 1 |
    | `scores` | of each resample, on the rows it left out |
    """

    learner: Any
    metric: Metric
    plus: bool
    estimate: float
    point_632: float
    apparent: float
    left_out: float
    no_information: float
    overfitting: float
    weight: float
    scores: Array

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Where this share of the resamples' own estimates lie, each weighed like the whole."""
        own = (1 - self.weight) * self.apparent + self.weight * self.scores
        low, high = np.nanquantile(own, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = self.interval()
        name = ".632+" if self.plus else ".632"
        rows = [
            ["training rows", number(self.apparent)],
            ["rows left out", number(self.left_out)],
            ["no information", number(self.no_information)],
            [f"{name} estimate", number(self.estimate)],
        ]
        return (
            f"{self.learner!r}: {self.metric.title} from {len(self.scores)} bootstrap "
            f"resamples\n{aligned(rows, (0,))}\n95 % of the resamples: {number(low)} … {number(high)}. Relative "
            f"overfitting {number(self.overfitting)}, weight of the rows left out {number(self.weight)}."
        )

    def __repr__(self) -> str:
        return f"<BootstrapEstimate of {self.learner!r}: {self.metric.title} {number(self.estimate)}>"

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores of the resamples and where the estimate lies; returns the matplotlib axes."""
        from learnt.plot.resampling import plot_bootstrap

        return plot_bootstrap(self, ax)


def bootstrap_632(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    metric: Any = None,
    n: int = 200,
    plus: bool = True,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> BootstrapEstimate:
    """Estimate a score from `n` resamples with replacement, without the bias of either end.

        .632  = .368 · apparent + .632 · left out
        .632+ = (1 − w) · apparent + w · left out,   w = .632 / (1 − .368 R),
                R = (left out − apparent) / (no information − apparent)

    Training rows flatter; rows left out are judged by a model that saw only 63.2 % of the rows. The .632 estimate
    weighs the two, which still flatters a learner that memorises: .632+ (`plus`) shifts the weight by how much it
    overfits. The no-information score pairs all answers with all targets (of at most 1000 rows).

    >>> from learnt.baseline import MajorityClassifier
    >>> estimate = bootstrap_632(MajorityClassifier(), {"x": range(20), "y": ["no"] * 15 + ["yes"] * 5}, "y", n=20)
    >>> estimate.apparent
    0.75

    Reference: B. Efron, R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method, 1997.
    """
    check_learner(learner)
    check_call("bootstrap_632", n=n, random_state=random_state)
    task = problem(X, y, sample_weight=sample_weight, task=learner_task(learner))
    measured = fitting_metric(metric, task)
    seed = seed_from(random_state)
    whole = run_fold(learner, task, whole_fold(task, seed))
    cut = resamples(task, n, seed)
    results = run_folds(learner, task, cut, n, n_jobs=n_jobs, what="bootstrap")
    scores = np.array([score_of(measured, task, r) for r in results])
    apparent, left_out = score_of(measured, task, whole), float(np.nanmean(scores))
    nothing = no_information(measured, task, whole, seed)
    overfitting = _overfitting(apparent, left_out, nothing, measured)
    weight = (1 - LEFT_OUT) / (1 - LEFT_OUT * overfitting) if plus else 1 - LEFT_OUT
    # Rows left out that score worse than no information at all are bad luck.
    bounded = nothing if plus and measured.better(nothing, left_out) else left_out
    return BootstrapEstimate(
        learner=learner,
        metric=measured,
        plus=plus,
        estimate=(1 - weight) * apparent + weight * bounded,
        point_632=LEFT_OUT * apparent + (1 - LEFT_OUT) * left_out,
        apparent=apparent,
        left_out=left_out,
        no_information=nothing,
        overfitting=overfitting,
        weight=weight,
        scores=scores,
    )


def whole_fold(task: Problem, seed: int) -> Fold:
    """All rows to train on, and the same to test."""
    rows = np.arange(task.n_rows)
    return Fold(0, 0, rows, rows, seed % 2**32)


def resamples(task: Problem, n: int, seed: int) -> Iterator[Fold]:
    """Bootstrap samples to train on, the rows they leave out to test."""
    pairs = Bootstrap632(n, random_state=np.random.default_rng(seed)).split(task.target)
    for number_, ((train, test), own) in enumerate(zip(pairs, seeds(seed, n), strict=True)):
        yield Fold(0, number_, train, test, own)


def no_information(metric: Metric, task: Problem, whole: FoldResult, seed: int) -> float:
    """The score of every answer against every truth."""
    rows = np.arange(task.n_rows)
    if task.n_rows > MOST_PAIRED:
        rows = np.random.default_rng(seed).choice(task.n_rows, MOST_PAIRED, replace=False)
    targets, answers = (grid.ravel() for grid in np.meshgrid(rows, rows, indexing="ij"))
    weights = None if task.weights is None else task.weights[targets] * task.weights[answers]
    probabilities = None if whole.probabilities is None else whole.probabilities[answers]
    return metric.score(task.target[targets], whole.answer[answers], probabilities, weights, task.n_classes or None)


def _overfitting(apparent: float, left_out: float, nothing: float, metric: Metric) -> float:
    if metric.better(nothing, left_out):
        left_out = nothing
    if not (metric.better(apparent, left_out) and metric.better(apparent, nothing)):
        return 0.0
    return float(np.clip((left_out - apparent) / (nothing - apparent), 0, 1))
