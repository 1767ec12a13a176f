"""Classes by gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.training import Training
from learnt.ensemble.boosting.course import Boosted
from learnt.ensemble.boosting.explain import explain_leads, score_parts
from learnt.ensemble.boosting.learner import GradientBoosting
from learnt.ensemble.boosting.losses import class_loss
from learnt.ensemble.staged_classes import StagedClasses
from learnt.ensemble.trees.forest import Forest
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.explain.class_parts import ClassParts
from learnt.learner.class_weights import CLASS_WEIGHTS
from learnt.learner.fields import setting


class GradientBoostingClassifier(GradientBoosting, StagedClasses):
    """Add up small trees, each grown to lower the loss that those before it have left.

        F(x) = F₀ + Σ_t f_t(x)      f_t at a leaf: −η Σg / (Σh + λ)      p(c | x) = softmax F_c(x)

    with g = p − y and h = p (1 − p) over the rows of the leaf. Two classes have one score, the log-odds of the second;
    more have one each, and as many trees a round.

    >>> table = {"age": [22, 25, 47, 52, 46, 56], "town": ["Bern", "Bern", "Basel", "Basel", None, "Bern"]}
    >>> model = GradientBoostingClassifier(min_samples_leaf=1).fit(table, ["no", "no", "yes", "yes", "yes", "yes"])
    >>> model.predict({"age": [24, 50], "town": ["Bern", None]}).tolist()
    ['no', 'yes']

    Numbers are put into at most `max_bins` bins first; categories are split into two sets, those of
    columns that have very many by the share of a class in each; missing cells go to the side where they lower the loss
    most; categories never seen go where missing cells go. A `scan` of files larger than memory gives the same trees.

    {settings}

    Attributes: `trees_`; `n_iter_`; `train_score_` and `validation_score_`, minus the mean loss before the first round
    and after each; `feature_importances_`.

    Reference: J. H. Friedman, Greedy function approximation: a gradient boosting machine, 2001.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse"})

    class_weight: Any = setting(
        CLASS_WEIGHTS, 'weights by class, or "balanced": all classes weigh the same', default=None, before="warm_start"
    )

    # Fitting

    def _plan(self, training: Training) -> Plan:
        task = self._task(training, class_loss(len(self.classes_)), self.class_weight)
        if len(self.classes_) == 1:
            self._keep(Boosted(Forest.empty(), np.zeros(1), (0.0,), (), task.of_rows(0).of_weight(0).care))
            return
        yield from self._boosted(training, task)

    # Using

    def _probabilities(self, table: Table) -> Array:
        return self._shares(self._raw(table))

    def decision_function(self, X: Any) -> Array:
        """The raw score of each class; of two classes that of the second alone, its log-odds."""
        still = self._still()
        return _narrow(still._over(X, still._raw))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """`decision_function` after each round."""
        return map(_narrow, self._staged_raw(X))

    def _explain(self, table: Table) -> Explanations:
        return explain_leads(self.trees_, self._start, table, self.classes_.tolist())

    def _class_parts(self, row: Table) -> ClassParts | None:
        return score_parts(self.trees_, self._start, row, len(self.classes_))

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k = len(self.classes_)
        if len(self._start) != (k if k > 2 else 1):
            raise SavedModelError("The scores do not fit the classes.")


def _narrow(raw: Array) -> Array:
    return raw[:, 0] if raw.shape[1] == 1 else raw
