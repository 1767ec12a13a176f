"""Forests that predict a class: the mean of the shares in the leaves."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.forest.explain import explain_shares
from learnt.ensemble.forest.growth import Coded
from learnt.ensemble.forest.learner import DOMAINS, ForestLearner
from learnt.ensemble.vote_margins import VotesHaveMargins
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Classifier
from learnt.learner.class_weights import CLASS_WEIGHTS, class_factors
from learnt.learner.fields import setting
from learnt.learner.parameters import Domain, OneOf
from learnt.statistics.counts import weigh_codes

CLASS_DOMAINS: dict[str, Domain] = {
    "criterion": OneOf("gini", "entropy", "log_loss"),
    **DOMAINS,
    "class_weight": OneOf("balanced_subsample") | CLASS_WEIGHTS,
}


class ForestClassifier(ForestLearner, VotesHaveMargins, Classifier, abstract=True):
    """Averages the class shares of the leaves a row comes to."""

    abilities: ClassVar[frozenset[str]] = frozenset(
        {"missing", "nominal", "weights", "sparse", "passes", "probabilities"}
    )
    search_space: ClassVar[dict[str, Any]] = {"min_samples_leaf": (1, 5, 20), "max_features": ("sqrt", 0.5, 1.0)}

    n_estimators: int = setting(CLASS_DOMAINS["n_estimators"], "trees", default=100)
    criterion: str = setting(
        CLASS_DOMAINS["criterion"], 'what tests lower, or "entropy" (also called "log_loss")', default="gini"
    )
    max_depth: int | None = setting(CLASS_DOMAINS["max_depth"], "most tests on the way to a leaf", default=None)
    min_samples_split: Any = setting(
        CLASS_DOMAINS["min_samples_split"],
        "least rows of a node that is split, or their share of all",
        default=2,
        bounds="≥ 2, or (0, 1]",
    )
    min_samples_leaf: Any = setting(
        CLASS_DOMAINS["min_samples_leaf"],
        "least rows of each branch, or their share of all",
        default=1,
        bounds="≥ 1, or (0, 1)",
    )
    max_features: Any = setting(
        CLASS_DOMAINS["max_features"],
        'columns drawn for each test: a number, a share, "sqrt" or "log2"; None: all',
        default="sqrt",
    )
    max_leaf_nodes: int | None = setting(
        CLASS_DOMAINS["max_leaf_nodes"], "grow the most useful node first, up to so many leaves", default=None
    )
    bootstrap: bool = setting(
        CLASS_DOMAINS["bootstrap"], "draw rows; otherwise all trees get all of them", default=True
    )
    oob_score: bool = setting(
        CLASS_DOMAINS["oob_score"], "estimate the accuracy from the rows each tree did not draw", default=False
    )
    max_samples: Any = setting(
        CLASS_DOMAINS["max_samples"],
        "rows drawn for a tree: a number or a share; None: as many as there are",
        default=None,
    )
    class_weight: Any = setting(
        CLASS_DOMAINS["class_weight"],
        'weights by class; "balanced": all weigh the same; "balanced_subsample": in every tree',
        default=None,
    )
    warm_start: bool = setting(
        CLASS_DOMAINS["warm_start"], "whether `fit` adds trees to those of the last one", default=False
    )
    random_state: Any = setting(CLASS_DOMAINS["random_state"], "seed of all draws", default=0)

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

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self.trees_.n_outputs != len(self.classes_):
            raise SavedModelError("The leaves of the trees do not fit the classes.")
