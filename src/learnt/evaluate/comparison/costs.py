"""Comparing by what answers cost: the loss as a metric, and probabilities turned into the cheapest answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.folds import FoldResult
from learnt.evaluate.metrics.scoring import Metric
from learnt.evaluate.metrics.weighing import weighted_mean
from learnt.evaluate.problem import Problem
from learnt.learner.loss_matrix import LossMatrix, loss_matrix
from learnt.show.words import label

EXPECTED_COST = "expected_cost"


def loss_of(loss: Any, problem: Problem) -> LossMatrix:
    """A loss in any form that `loss_matrix` takes, for the classes of the problem."""
    if problem.classes is None:
        raise ParameterError("A loss came, but the target is a number. Losses are costs of classes; leave it out.")
    matrix = loss_matrix(loss, problem.classes.tolist())
    if list(matrix.actions) != list(matrix.classes):
        other = next(a for a in matrix.actions if a not in matrix.classes)
        raise ParameterError(
            f"The loss knows the answer {label(other)}, which is not a class. A comparison scores answers that are "
            "classes. Leave it out, and use with_loss on the learner you choose."
        )
    return matrix


@dataclass(frozen=True, eq=False)
class _MeanCost:
    """The mean cost of answers, truth and answer being codes."""

    costs: Array

    def __call__(self, truth: Array, answer: Array, weights: Array | None) -> float:
        return weighted_mean(self.by_row(truth, answer), weights)

    def by_row(self, truth: Array, answer: Array) -> Array:
        costs: Array = self.costs[truth, answer]
        return costs


def cost_metric(loss: LossMatrix) -> Metric:
    """Mean cost of the answers given; less is better."""
    return Metric(
        EXPECTED_COST,
        "expected cost",
        frozenset({"binary", "multiclass"}),
        "numbers",  # called with the codes themselves, since it asks who was taken for whom
        False,
        _MeanCost(loss.costs),
        float(loss.costs.min()),
        float(loss.costs.max()),
    )


def cheapest(result: FoldResult, loss: LossMatrix) -> FoldResult:
    """The same fold, with the answers that cost least by its probabilities; as it was where it has none.

    Deciding afterwards gives what `with_loss` would, and the fitted models stay those that people know.
    """
    if result.probabilities is None:
        return result
    from learnt.bayes.decision.decisions import decide  # a family: loaded where there are costs

    decision = decide(result.probabilities, loss, classes=list(loss.classes))
    return replace(result, answer=np.asarray(decision.chosen, dtype=np.int32))
