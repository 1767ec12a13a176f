"""Forests that predict a class: the mean of the shares in the leaves."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.forest.explain import explain_shares
from learnt.ensemble.forest.growth import Coded
from learnt.ensemble.forest.learner import ForestLearner
from learnt.ensemble.vote_margins import VotesHaveMargins
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.base import Classifier
from learnt.learner.class_weights import CLASS_WEIGHTS, class_factors
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf
from learnt.statistics.counts import weigh_codes


class ForestClassifier(ForestLearner, VotesHaveMargins, Classifier, abstract=True):
    """Averages the class shares of the leaves a row comes to."""

    abilities: ClassVar[frozenset[str]] = frozenset(
        {"missing", "nominal", "weights", "sparse", "passes", "probabilities"}
    )
    search_space: ClassVar[dict[str, Any]] = {"min_samples_leaf": (1, 5, 20), "max_features": ("sqrt", 0.5, 1.0)}

    criterion: str = setting(
        OneOf("gini", "entropy", "log_loss"),
        'what tests lower, or "entropy" (also called "log_loss")',
        default="gini",
        before="max_depth",
    )
    class_weight: Any = setting(
        OneOf("balanced_subsample") | CLASS_WEIGHTS,
        'weights by class; "balanced": all weigh the same; "balanced_subsample": in every tree',
        default=None,
        before="warm_start",
    )

    def _labels(self) -> list[Any]:
        labels: list[Any] = self.classes_.tolist()
        return labels

    def _factors(self, coded: Coded) -> Array | None:
        if self.class_weight == "balanced_subsample":
            return None
        counts = weigh_codes(coded.target, len(self.classes_), coded.weights)
        return class_factors(self.class_weight, self.classes_, counts, type(self).__name__)

    def _keep_out_of_bag(self, said: Array, coded: Coded, covered: Array) -> None:
        right = said[covered].argmax(axis=1) == coded.target[covered]
        self.oob_decision_function_ = said
        self.oob_score_ = float(np.average(right, weights=None if coded.weights is None else coded.weights[covered]))

    def _probabilities(self, table: Table) -> Array:
        return self.trees_.mean_shares(table)

    def _explain(self, table: Table) -> Explanations:
        return explain_shares(self.trees_, table, self.classes_.tolist())

    def _class_parts(self, row: Table) -> ClassParts | None:
        average = self.trees_.expected(shares=True)
        return ClassParts(average, self.trees_.contributions(row, shares=True)[0], "probability")

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self.trees_.n_outputs != len(self.classes_):
            raise SavedModelError("The leaves of the trees do not fit the classes.")
