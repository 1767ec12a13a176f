"""Whether more rows would help: the learning curve of one learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.errors import InputError
from learnt.evaluate.learning_curves import LearningCurve, learning_curve
from learnt.evaluate.significance import corrected_t_test
from learnt.report.comparison.insights.subject import Subject

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)
FOLDS = 5
LEAST = 10  # rows to start with


@dataclass(frozen=True, eq=False)
class Growth:
    """The curve, and what the last doubling of the rows gained: `gain` is positive where the score got better, NaN
    where scores are infinite."""

    curve: LearningCurve
    half: int
    gain: float
    low: float
    high: float
    p_value: float


def growth(subject: Subject) -> Growth:
    problem, comparison = subject.problem, subject.comparison
    if comparison.splitting.in_order:
        raise InputError(
            "The learners were compared on rows in the order of time, and a learning curve over parts of random folds "
            "would let them see the future"
        )
    cv = min(FOLDS, comparison.cv)
    most = problem.n_rows * (cv - 1) / cv
    least = max(LEAST, 2 * problem.n_classes)
    shares = [share for share in SHARES if share * most >= least or share >= 0.5]
    subject.affordable(cv * sum(shares))
    curve = learning_curve(
        _by_loss(subject), problem.table, _target(subject), sizes=shares, metric=comparison.metric, cv=cv,
        sample_weight=problem.weights, groups=problem.groups, random_state=comparison.random_state,
    )  # fmt: skip
    half = int(np.argmin(np.abs(curve.sizes - curve.sizes[-1] / 2)))
    scores = (1.0 if comparison.metric.higher_is_better else -1.0) * curve.test_scores
    if np.isinf(scores).any():
        return Growth(curve, int(curve.sizes[half]), np.nan, np.nan, np.nan, 1.0)
    test = corrected_t_test(scores[-1], scores[half], curve.n_train, curve.n_test)
    low, high = test.interval or (np.nan, np.nan)
    gain = np.nan if test.difference is None else test.difference
    return Growth(curve, int(curve.sizes[half]), gain, low, high, test.p_value)


def _by_loss(subject: Subject) -> Any:
    """The learner, answering by the loss of the comparison where there is one."""
    learner, loss = subject.outcome.learner, subject.comparison.loss
    return learner if loss is None or not hasattr(learner, "with_loss") else learner.with_loss(loss)


def _target(subject: Subject) -> Any:
    problem = subject.problem
    if problem.classes is None:
        return problem.target
    return problem.classes[problem.target] if problem.declared is None else problem.declared
