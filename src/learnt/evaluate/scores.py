"""Scores of folds: which metrics, and the figure of each result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.folds import FoldResult
from learnt.evaluate.metrics.scoring import DEFAULTS, METRICS, Metric, metric
from learnt.evaluate.problem import Problem

#: What is measured unless asked otherwise, the first being the one that counts.
SHOWN = {
    "binary": ("accuracy", "balanced_accuracy", "auc", "log_loss"),
    "multiclass": ("accuracy", "balanced_accuracy", "auc", "log_loss"),
    "regression": ("rmse", "mae", "r2"),
}


def chosen_metrics(wanted: Any, problem: Problem) -> tuple[Metric, ...]:
    """Metrics by name or function, one or several; None for the usual ones of the task."""
    if wanted is None:
        return tuple(METRICS[name] for name in SHOWN[problem.task])
    several = list(wanted) if isinstance(wanted, list | tuple | set | frozenset) else [wanted]
    if not several:
        raise ParameterError("metrics= is empty. Expected at least one, or None for the usual ones.")
    return tuple(fitting_metric(name, problem) for name in several)


def fitting_metric(wanted: Any, problem: Problem) -> Metric:
    """One metric that judges this task; the usual one for None."""
    found = metric(DEFAULTS[problem.task] if wanted is None else wanted)
    if problem.task not in found.tasks:
        names = ", ".join(repr(m.name) for m in METRICS.values() if problem.task in m.tasks)
        raise ParameterError(f"The metric {found.name!r} is not for {problem.task} tasks. Expected one of {names}.")
    return found


def score_of(metric: Metric, problem: Problem, result: FoldResult) -> float:
    """The figure of one result, by the weights of its rows; NaN where it needs probabilities and there are none."""
    if metric.needs == "probabilities" and result.probabilities is None:
        return float("nan")
    rows = result.test
    weights = None if problem.weights is None else problem.weights[rows]
    return metric.score(problem.target[rows], result.answer, result.probabilities, weights, problem.n_classes or None)


def scores_of(metrics: Sequence[Metric], problem: Problem, results: Sequence[FoldResult]) -> dict[str, Array]:
    """By metric one figure per result."""
    return {m.name: np.array([score_of(m, problem, r) for r in results]) for m in metrics}
