"""Optimism: by how much the score on the training rows flatters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.bootstrap import resamples, whole_fold
from learnt.evaluate.folds import Fold, run_fold
from learnt.evaluate.foreign import check_learner, learner_task
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.problem import problem
from learnt.evaluate.scores import fitting_metric, score_of
from learnt.evaluate.words import check_call
from learnt.evaluate.workers.running import run_folds
from learnt.learner.parameters import seed_from
from learnt.show.numbers import number


@dataclass(frozen=True, eq=False)
class Optimism:
    """The score on the training rows, how much of it is flattery, and what is left.

    `optimism` is positive where training rows score better than they should, whichever direction is better;
    `differences` are those of the single resamples.
    """

    learner: Any
    metric: Metric
    apparent: float
    optimism: float
    corrected: float
    differences: Array

    @property
    def standard_error(self) -> float:
        """Of `optimism`, from the resamples."""
        return float(self.differences.std(ddof=1) / np.sqrt(len(self.differences)))

    def __str__(self) -> str:
        return (
            f"{self.learner!r}: the {self.metric.title} of {number(self.apparent)} on its own training rows is too "
            f"good by {number(self.optimism)}; expect {number(self.corrected)} on new rows."
        )

    def __repr__(self) -> str:
        return f"<Optimism of {self.learner!r}: {self.metric.title} {number(self.optimism)}>"


def optimism(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    metric: Any = None,
    n: int = 100,
    sample_weight: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Optimism:
    """How much better a learner scores on the rows it learnt from than on others, by `n` bootstrap resamples.

        optimism = mean over resamples of (score on the resample − score on all rows)

    A model fitted on a resample stands to all rows as the model of all rows stands to the world. The apparent score
    minus the optimism is the corrected one. A learner that memorises repeats its resample without fault, and as most
    rows are in it, its optimism is found too small: use `bootstrap_632` for such.

    >>> from learnt.baseline import MajorityClassifier
    >>> print(optimism(MajorityClassifier(), {"x": range(20), "y": ["no"] * 15 + ["yes"] * 5}, "y", n=20))
    MajorityClassifier(): the accuracy of 0.75 on its own training rows is too good by ...

    Reference: B. Efron, Estimating the error rate of a prediction rule, JASA 78, 1983; F. Harrell, Regression Modeling
    Strategies, 2015, section 5.3.
    """
    check_learner(learner)
    check_call("optimism", n=n, random_state=random_state)
    task = problem(X, y, sample_weight=sample_weight, task=learner_task(learner))
    measured = fitting_metric(metric, task)
    seed = seed_from(random_state)
    apparent = score_of(measured, task, run_fold(learner, task, whole_fold(task, seed)))

    def cut() -> Iterator[Fold]:
        for fold in resamples(task, n, seed):
            yield replace(fold, test=np.arange(task.n_rows), ask_training=True)

    results = run_folds(learner, task, cut(), n, n_jobs=n_jobs, what="bootstrap")
    pairs = [(score_of(measured, task, r.training), score_of(measured, task, r)) for r in results if r.training]
    sign = 1 if measured.higher_is_better else -1
    differences = np.array([sign * (seen - all_rows) for seen, all_rows in pairs])
    differences = differences[~np.isnan(differences)]
    flattery = float(differences.mean()) if len(differences) else float("nan")
    return Optimism(learner, measured, apparent, flattery, apparent - sign * flattery, differences)
