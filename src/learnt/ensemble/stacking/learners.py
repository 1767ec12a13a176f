"""Stacking: a learner on top that learns how far to trust each of the others."""

from __future__ import annotations

from typing import Any

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.ensemble.members import CLASSIFIER, REGRESSOR, aligned_probabilities
from learnt.ensemble.stacking.base import Stack
from learnt.ensemble.stacking.explain import explain_classes, explain_numbers, final_scores
from learnt.ensemble.stacking.pool import LogarithmicPool
from learnt.ensemble.voting.defaults import default_classifiers, default_regressors
from learnt.ensemble.voting.named import Named, TableLearners
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.base import Classifier, Regressor
from learnt.learner.fields import setting
from learnt.linear import LogisticRegression, Ridge
from learnt.show.words import label


class StackingClassifier(Stack, Classifier):
    """Fit different classifiers to the same rows, and another one to what they say of rows they have not seen.

        p(c | x) = f(p_1(· | x), …, p_M(· | x))        f learnt from answers of members fitted without the row
        f ∝ e^(b_c) · Π_m (p_m(c | x) + ε)^(w_m)       unless another is given; w ≥ 0, b and w near 0 and 1/M

    >>> table = {"age": [22, 25, 31, 47, 52, 58] * 2, "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"] * 2}
    >>> model = StackingClassifier().fit(table, ["no", "no", "no", "yes", "yes", "yes"] * 2)
    >>> model.names_
    ('boosting', 'forest', 'extra trees', 'logistic')

    The rows are cut into `cv` parts; each is asked about by members fitted to the others, so that a member that only
    remembers its rows gains nothing by it. Then all members are fitted to all rows. Each gives its probabilities of all
    classes but the first, which follows from the others. Without `estimators` these are stacked: gradient boosting, a
    random forest, extra trees and a logistic regression.

    {settings}

    Attributes: `estimators_` and `names_`; `final_estimator_`; `contributions_`, how far each member moves the final
    score, up or down, as shares (None of a final learner that is not linear); `classes_`. `print(model)` shows them.

    References: D. Wolpert, Stacked generalization, 1992; K. M. Ting, I. H. Witten, Issues in stacked generalization,
    1999; C. Genest, J. V. Zidek, Combining probability distributions, 1986.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})

    estimators: Any = setting(
        TableLearners(Classifier),
        "classifiers, or (name, classifier); None: four good ones",
        default=None,
        kw_only=False,
    )
    final_estimator: Any = setting(
        CLASSIFIER,
        "learns from their answers; None: powers of their probabilities, or a `LogisticRegression` with passthrough",
        default=None,
        kw_only=False,
    )

    def _default_learners(self, n_rows: int | None, schema: Schema) -> Named:
        return default_classifiers(schema)

    def _default_final(self) -> Classifier:
        return LogisticRegression() if self.passthrough or len(self.classes_) == 1 else LogarithmicPool()

    def _fitted_final(self, final: Any, level_one: Batch) -> Any:
        if not isinstance(final, LogarithmicPool):
            return super()._fitted_final(final, level_one)
        return LogarithmicPool.fitted_to(level_one, self.names_, self.classes_)

    def _kept_classes(self) -> slice:
        """Which probabilities the final learner gets: they add up to 1, so one is redundant."""
        return slice(1 if len(self.classes_) > 1 else 0, None)

    def _level_one(self, member: Any, table: Table) -> Array:
        return aligned_probabilities(member, table, self.classes_)[:, self._kept_classes()]

    def _answer_names(self, name: str) -> list[str]:
        return [f"{name}: {label(c)}" for c in self.classes_.tolist()[self._kept_classes()]]

    def _probabilities(self, table: Table) -> Array:
        return aligned_probabilities(self.final_estimator_, self._asked(table), self.classes_)

    def _explain(self, table: Table) -> Explanations:
        return explain_classes(self, table)

    def _class_parts(self, row: Table) -> ClassParts | None:
        found = final_scores(self, row, self._asked(row))
        return None if found is None or found[1] else found[0]


class StackingRegressor(Stack, Regressor):
    """Fit different regressors to the same rows, and another one to what they say of rows they have not seen.

        f(x) = g(f_1(x), …, f_M(x))        g learnt from answers of members fitted without the row

    >>> table = {"rooms": [2, 3, 4, 6, 7, 8] * 2, "town": ["Bern", "Basel", "Bern", "Bern", None, "Basel"] * 2}
    >>> model = StackingRegressor().fit(table, [100.0, 120.0, 150.0, 230.0, 250.0, 270.0] * 2)
    >>> sorted(model.contributions_)
    ['boosting', 'extra trees', 'forest', 'ridge']

    The rows are cut into `cv` parts; each is asked about by members fitted to the others. Then all members are fitted
    to all rows. Without `estimators` these are stacked: gradient boosting, a random forest, extra trees and a ridge
    regression.

    {settings}

    Attributes: `estimators_` and `names_`; `final_estimator_`; `contributions_`, how far each member moves the
    prediction, up or down, as shares (None of a final learner that is not linear). `print(model)` shows them.

    References: D. Wolpert, Stacked generalization, 1992; L. Breiman, Stacked regressions, 1996.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})

    estimators: Any = setting(
        TableLearners(Regressor), "regressors, or (name, regressor); None: four good ones", default=None, kw_only=False
    )
    final_estimator: Any = setting(
        REGRESSOR, "learns from their answers; None: a `Ridge` that chooses its penalty", default=None, kw_only=False
    )

    def _default_learners(self, n_rows: int | None, schema: Schema) -> Named:
        return default_regressors(n_rows, schema)

    def _default_final(self) -> Regressor:
        return Ridge(alpha="loo")

    def _level_one(self, member: Any, table: Table) -> Array:
        numbers: Array = member.predict(table)
        return numbers[:, None]

    def _answer_names(self, name: str) -> list[str]:
        return [name]

    def _predict(self, table: Table) -> Array:
        numbers: Array = self.final_estimator_.predict(self._asked(table))
        return numbers

    def _explain(self, table: Table) -> Explanations:
        return explain_numbers(self, table)
