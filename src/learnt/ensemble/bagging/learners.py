"""Bagging: the same learner on many samples of the rows, and the mean of what they say."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.ensemble.bagging.base import Bag
from learnt.ensemble.bagging.explain import explain_bag_of_classifiers, explain_bag_of_regressors
from learnt.ensemble.members import CLASSIFIER, REGRESSOR, votes
from learnt.ensemble.vote_margins import VotesHaveMargins
from learnt.explain import Explanations
from learnt.learner.base import Classifier, Regressor
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf
from learnt.tree import DecisionTreeClassifier, DecisionTreeRegressor


class VotingBag(Bag, VotesHaveMargins, Classifier, abstract=True):
    """A bag of classifiers: probabilities averaged ("soft"), or answers counted ("hard")."""

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})

    estimator: Any = setting(
        CLASSIFIER, "any classifier; None for a `DecisionTreeClassifier`", default=None, kw_only=False
    )
    vote: str = setting(
        OneOf("soft", "hard"),
        '"soft": average probabilities; "hard": count answers',
        default="soft",
        before="oob_score",
    )

    def _default(self) -> Classifier:
        return DecisionTreeClassifier()

    def _answer(self, member: Any, table: Table) -> Array:
        return votes(member, table, self.classes_, soft=self.vote == "soft")

    def _probabilities(self, table: Table) -> Array:
        return self._mean_answer(table)

    def _keep_out_of_bag(self, said: Array, batch: Batch, covered: Array) -> None:
        assert batch.target is not None
        right = said[covered].argmax(axis=1) == batch.target[covered]
        weights = None if batch.weights is None else batch.weights[covered]
        self.oob_decision_function_ = said
        self.oob_score_ = float(np.average(right, weights=weights))

    def _explain(self, table: Table) -> Explanations:
        return explain_bag_of_classifiers(self, table)


class BaggingClassifier(VotingBag):
    """Fit the same classifier to many samples drawn from the rows, and average what they say.

        p(c | x) = 1/M · Σ_m p_m(c | x)        vote="hard": the share of members that answer c

    >>> table = {"age": [22, 25, 31, 47, 52, 58], "town": ["Bern", "Basel", "Bern", "Bern", "Basel", "Basel"]}
    >>> model = BaggingClassifier(n_estimators=25, oob_score=True).fit(table, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict({"age": [24, 55], "town": ["Bern", "Bern"]}).tolist()
    ['no', 'yes']
    >>> model.oob_covered_
    6

    It helps learners that change much when rows change, as deep trees do, and not those that hardly change, such as
    nearest neighbours. About 37 % of the rows are in no sample of a member: what it says of them is the out-of-bag
    estimate.

    {settings}

    Attributes: `estimators_`; `estimators_features_`, the positions of their columns; `classes_`; with `oob_score`
    `oob_score_` (accuracy), `oob_decision_function_` (NaN where all members saw the row), `oob_covered_` (rows judged).

    Reference: L. Breiman, Bagging predictors, 1996.
    """

    abilities = VotingBag.abilities | {"order-dependent"}  # rows are drawn by their number
    fit_cost = 60.0
    simplicity = 65.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (10, 50), "max_features": (1.0, 0.5)}


class BaggingRegressor(Bag, Regressor):
    """Fit the same regressor to many samples drawn from the rows, and average their predictions.

        f(x) = 1/M · Σ_m f_m(x)

    >>> table = {"rooms": [2, 3, 4, 6, 7, 8]}
    >>> model = BaggingRegressor(n_estimators=25).fit(table, [100.0, 120.0, 150.0, 230.0, 250.0, 270.0])
    >>> bool(100 <= model.predict({"rooms": [2]})[0] <= 150)
    True

    {settings}

    Attributes: `estimators_`; `estimators_features_`, the positions of their columns; with `oob_score` `oob_score_`
    (R²), `oob_prediction_` (NaN where all members saw the row), `oob_covered_` (rows judged).

    Reference: L. Breiman, Bagging predictors, 1996.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "order-dependent"})
    fit_cost = 60.0
    simplicity = 65.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (10, 50), "max_features": (1.0, 0.5)}

    estimator: Any = setting(
        REGRESSOR, "any regressor; None for a `DecisionTreeRegressor`", default=None, kw_only=False
    )

    def _default(self) -> Regressor:
        return DecisionTreeRegressor()

    def _answer(self, member: Any, table: Table) -> Array:
        numbers: Array = member.predict(table)
        return numbers

    def _predict(self, table: Table) -> Array:
        return self._mean_answer(table)

    def _keep_out_of_bag(self, said: Array, batch: Batch, covered: Array) -> None:
        assert batch.target is not None
        weights = None if batch.weights is None else batch.weights[covered]
        truth = batch.target[covered]
        spread = np.average((truth - np.average(truth, weights=weights)) ** 2, weights=weights)
        off = np.average((truth - said[covered]) ** 2, weights=weights)
        self.oob_prediction_ = said
        self.oob_score_ = float(1 - off / spread) if spread > 0 else float(off == 0)

    def _explain(self, table: Table) -> Explanations:
        return explain_bag_of_regressors(self, table)
