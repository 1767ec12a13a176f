"""Scores of the folds a learner has finished, by every metric of the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.comparison.costs import EXPECTED_COST, cheapest, cost_metric
from learnt.evaluate.metrics.scoring import DEFAULTS, METRICS, Metric
from learnt.evaluate.scores import fitting_metric, score_of
from learnt.learner.loss_matrix import LossMatrix
from learnt.show.numbers import percent

if TYPE_CHECKING:
    from learnt.evaluate.folds import FoldResult
    from learnt.evaluate.problem import Problem

_CLASSES = ("accuracy", "balanced_accuracy", "f1", "matthews", "auc", "log_loss", "brier")
#: What is computed besides the metric that ranks.
SHOWN = {"binary": _CLASSES, "multiclass": _CLASSES, "regression": ("rmse", "mae", "r2", "median_absolute_error")}

UNEVEN = 2 / 3  # the share of the commonest class from which on accuracy says little
ENOUGH = 20  # rows of the rarest class, so that nearly every fold of ten has some


def chosen_metrics(wanted: Any, problem: Problem, loss: LossMatrix | None) -> tuple[Metric, ...]:
    """All metrics of a comparison, the one that ranks first."""
    costs = [] if loss is None else [cost_metric(loss)]
    by_cost = bool(costs) and wanted in (None, EXPECTED_COST)
    first = costs[0] if by_cost else fitting_metric(wanted or usual_metric(problem), problem)
    every = [first, *costs, *(METRICS[name] for name in SHOWN[problem.task])]
    return tuple({m.name: m for m in reversed(every)}[name] for name in dict.fromkeys(m.name for m in every))


def usual_metric(problem: Problem) -> str:
    """What ranks unless something is asked for.

    Accuracy and RMSE are what people expect. Where one class has most of the rows, though, always answering it scores
    so well that accuracy tells learners hardly apart: there the order they give the rows counts (AUC), or, where a
    class has too few rows for an order within each fold, their probabilities (log loss).
    """
    if problem.classes is None:
        return DEFAULTS[problem.task]
    tally = np.bincount(problem.target, problem.weights, problem.n_classes)
    if tally.max() <= UNEVEN * tally.sum():
        return DEFAULTS[problem.task]
    rows = np.bincount(problem.target, minlength=problem.n_classes)
    return "auc" if rows.min() >= ENOUGH else "log_loss"


def why_ranked(wanted: Any, metric: Metric, problem: Problem) -> list[str]:
    """A sentence where another metric than the expected one was taken by itself."""
    if wanted is not None or problem.classes is None or metric.name not in ("auc", "log_loss"):
        return []
    tally = np.bincount(problem.target, problem.weights, problem.n_classes)
    share = percent(float(tally.max() / tally.sum()), 0)
    return [
        f"Ranked by {metric.title}, since {share} of the rows are of one class: always answering that class would have "
        f"an accuracy of {share}. metric='accuracy' ranks by that."
    ]


class Scorer:
    """Turns results of folds into scores; answers are chosen by the loss first, where there is one."""

    def __init__(
        self, problem: Problem, metrics: Sequence[Metric], loss: LossMatrix | None, keys: Sequence[tuple[int, int]]
    ) -> None:
        """`keys` are repeat and number of all folds, in order."""
        self.problem, self.metrics, self.loss = problem, tuple(metrics), loss
        self._places = {key: place for place, key in enumerate(keys)}

    @property
    def n_folds(self) -> int:
        return len(self._places)

    def decided_result(self, result: FoldResult) -> FoldResult:
        """The result with the answers that count in this comparison."""
        return result if self.loss is None else cheapest(result, self.loss)

    def score(self, metric: Metric, result: FoldResult) -> float:
        """The score of a fold whose answers are decided."""
        return score_of(metric, self.problem, result)

    def table(self, results: Sequence[FoldResult]) -> dict[str, Array]:
        """By metric a score per fold of the comparison, NaN where it was not run."""
        scores = {m.name: np.full(self.n_folds, np.nan) for m in self.metrics}
        for result in results:
            for m in self.metrics:
                scores[m.name][self._places[result.repeat, result.number]] = self.score(m, result)
        return scores
