"""Stumps: trees of a single test."""

from __future__ import annotations

from typing import Any, ClassVar

from learnt.data.table import Array, Table
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf
from learnt.tree.base import TreeClassifier, TreeRegressor
from learnt.tree.grow.cart import CRITERIA
from learnt.tree.grow.exact import GrowOptions, grow
from learnt.tree.prune.pruned import Pruned
from learnt.tree.settings import MISSING, SHARE_OR_COUNT, least_weight
from learnt.tree.smoothing import SMOOTHING, Smoothing


class DecisionStumpClassifier(TreeClassifier):
    """Ask the one question behind which the classes are mixed least: a threshold, or one value against the others.

        x_j ≤ t / x_j > t        x_j = v / otherwise

    >>> table = {"age": [22, 25, 47, 52], "town": ["Bern", "Bern", "Bern", "Basel"]}
    >>> print(DecisionStumpClassifier().fit(table, ["no", "no", "no", "yes"]))
    age ≤ 49.5: no (3)
    age > 49.5: yes (1)

    One sorted pass over each column. Of equally good columns the first is asked about.

    {settings}

    Attributes: `tree_`, of one or three nodes; `classes_`; `feature_importances_`.

    Reference: R. C. Holte, Very simple classification rules perform well on most commonly used datasets, 1993.
    """

    fit_cost = 3.0
    simplicity = 1.0
    search_space: ClassVar[dict[str, Any]] = {"criterion": ("gini", "entropy", "misclassification")}

    criterion: str = setting(
        OneOf("gini", "entropy", "log_loss", "gain_ratio", "misclassification"),
        'or "entropy" (also called "log_loss"), "gain_ratio", "misclassification"',
        default="gini",
    )
    min_samples_leaf: Any = setting(
        SHARE_OR_COUNT, "least weight of each side, or its share of all", default=1, bounds="≥ 1, or (0, 1)"
    )
    missing: Any = setting(MISSING, "where missing cells go, as in `DecisionTreeClassifier`", default="learned")
    smoothing: Smoothing = setting(
        SMOOTHING, 'of leaf probabilities: "laplace", or the m of an m-estimate', default=None, bounds="≥ 0"
    )

    def _grown_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        return _one_test(self, table, target, weights, len(self.classes_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one question tells two classes apart, not three
        return tags


class DecisionStumpRegressor(TreeRegressor):
    """Ask the one question behind which the numbers lie closest together: a threshold, or one value against the others.

        x_j ≤ t / x_j > t        x_j = v / otherwise

    >>> table = {"rooms": [2, 3, 7, 8], "town": ["Bern", "Basel", "Bern", "Basel"]}
    >>> print(DecisionStumpRegressor().fit(table, [100.0, 120.0, 250.0, 270.0]))
    rooms ≤ 5: 110 (2/100)
    rooms > 5: 260 (2/100)

    One sorted pass over each column. Of equally good columns the first is asked about.

    {settings}

    Attributes: `tree_`, of one or three nodes; `feature_importances_`.

    Reference: R. C. Holte, Very simple classification rules perform well on most commonly used datasets, 1993.
    """

    fit_cost = 3.0
    simplicity = 1.0
    search_space: ClassVar[dict[str, Any]] = {"criterion": ("squared_error", "absolute_error")}

    criterion: str = setting(
        OneOf("squared_error", "absolute_error", "mse", "mae"),
        'or "absolute_error"; "mse" and "mae" for short',
        default="squared_error",
    )
    min_samples_leaf: Any = setting(
        SHARE_OR_COUNT, "least weight of each side, or its share of all", default=1, bounds="≥ 1, or (0, 1)"
    )
    missing: Any = setting(
        OneOf("learned", "fractional", "majority"),
        'where missing cells go: "learned", "majority" or "fractional"',
        default="learned",
    )

    def _grown_tree(self, table: Table, target: Array, weights: Array | None) -> Pruned:
        return _one_test(self, table, target, weights, None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # it knows two numbers
        return tags


def _one_test(learner: Any, table: Table, target: Array, weights: Array | None, n_classes: int | None) -> Pruned:
    leaf = least_weight(learner.min_samples_leaf, float(table.n_rows if weights is None else weights.sum()), free=1)
    options = GrowOptions(
        criterion=CRITERIA.get(learner.criterion, learner.criterion),
        nominal="equals",
        missing=learner.missing,
        max_depth=1,
        min_samples_split=2 * leaf,
        min_samples_leaf=leaf,
    )
    return Pruned(grow(table, target, weights, options, n_classes=n_classes), ())
