"""Voting: different learners on the same rows, and the mean of what they say."""

from __future__ import annotations

from typing import Any

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.ensemble.members import votes
from learnt.ensemble.vote_margins import VotesHaveMargins
from learnt.ensemble.voting.base import Vote
from learnt.ensemble.voting.defaults import default_classifiers, default_regressors
from learnt.ensemble.voting.explain import explain_classes, explain_numbers, weighed_members
from learnt.ensemble.voting.named import Named, TableLearners
from learnt.ensemble.weighed_members import mean_class_parts
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.base import Classifier, Regressor
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf


class VotingClassifier(Vote, VotesHaveMargins, Classifier):
    """Fit different classifiers to the same rows, and average what they say.

        p(c | x) = Σ_m w_m · p_m(c | x)        vote="hard": the share of members that answer c, by weight

    >>> table = {"age": [22, 25, 31, 47, 52, 58], "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"]}
    >>> model = VotingClassifier().fit(table, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.names_
    ('boosting', 'forest', 'extra trees', 'logistic')
    >>> model.predict({"age": [24, 55], "town": ["Bern", None]}).tolist()
    ['no', 'yes']

    Members that err in different places correct each other: the mean is seldom far from the best of them, without one
    having to know which that is. Without `estimators` these vote: gradient boosting, a random forest, extra trees and a
    logistic regression, all as they are set by default.

    {settings}

    Attributes: `estimators_`, `names_` and `weights_`, which sum to 1; `classes_`. Settings of members are reached by
    their names, as in `set_params(forest__max_depth=5)`.

    Reference: J. Kittler, M. Hatef, R. Duin, J. Matas, On combining classifiers, 1998.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})

    estimators: Any = setting(
        TableLearners(Classifier),
        "classifiers, or (name, classifier); None: four good ones",
        default=None,
        kw_only=False,
    )
    vote: str = setting(OneOf("soft", "hard"), '"soft": average probabilities; "hard": count answers', default="soft")

    def _default_learners(self, n_rows: int | None, schema: Schema) -> Named:
        return default_classifiers(schema)

    def _answer(self, member: Any, table: Table) -> Array:
        return votes(member, table, self.classes_, soft=self.vote == "soft")

    def _probabilities(self, table: Table) -> Array:
        return self._mean_answer(table)

    def _explain(self, table: Table) -> Explanations:
        return explain_classes(self, table)

    def _class_parts(self, row: Table) -> ClassParts | None:
        if self.vote == "hard":
            return None
        found, others = mean_class_parts(weighed_members(self), row, self.classes_)
        return None if others else found


class VotingRegressor(Vote, Regressor):
    """Fit different regressors to the same rows, and average their predictions.

        f(x) = Σ_m w_m · f_m(x)

    >>> table = {"rooms": [2, 3, 4, 6, 7, 8], "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"]}
    >>> model = VotingRegressor().fit(table, [100.0, 120.0, 150.0, 230.0, 250.0, 270.0])
    >>> bool(100 <= model.predict({"rooms": [3], "town": ["Bern"]})[0] <= 180)
    True

    Without `estimators` these vote: gradient boosting, a random forest, extra trees, and a ridge regression that
    chooses its penalty by leaving each row out.

    {settings}

    Attributes: `estimators_`, `names_` and `weights_`, which sum to 1. Settings of members are reached by their names,
    as in `set_params(forest__max_depth=5)`.

    Reference: L. Hansen, P. Salamon, Neural network ensembles, 1990.
    """

    abilities = frozenset({"missing", "nominal", "weights", "passes", "sparse"})

    estimators: Any = setting(
        TableLearners(Regressor), "regressors, or (name, regressor); None: four good ones", default=None, kw_only=False
    )

    def _default_learners(self, n_rows: int | None, schema: Schema) -> Named:
        return default_regressors(n_rows, schema)

    def _answer(self, member: Any, table: Table) -> Array:
        numbers: Array = member.predict(table)
        return numbers

    def _predict(self, table: Table) -> Array:
        return self._mean_answer(table)

    def _explain(self, table: Table) -> Explanations:
        return explain_numbers(self, table)
