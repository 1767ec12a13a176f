"""The answers that need no columns: what every learner is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Statistic
from learnt.errors import SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Classifier, Regressor
from learnt.learner.fields import attribute
from learnt.learner.partial import OnePass
from learnt.statistics.counts import ClassWeights
from learnt.storable import storable

_ANY_TABLE = frozenset({"missing", "nominal", "weights", "passes", "sparse", "baseline"})


class MajorityClassifier(OnePass, Classifier):
    """Always predict the most frequent class, with the class shares as probabilities.

        p(c) = Σ_i w_i [y_i = c] / Σ_i w_i

    >>> table = {"sky": ["sun", "rain", "sun"], "play": ["yes", "no", "yes"]}
    >>> MajorityClassifier().fit(table, "play").predict({"sky": ["rain"]})
    array(['yes'], dtype='<U3')

    It has no settings. Of equally frequent classes the first in `classes_` is predicted.

    Attributes: `classes_`, the labels in order; `class_weight_`, the weight of each; `class_prior_`,
    its share.
    """

    abilities = _ANY_TABLE | {"probabilities"}
    takes_text = "ignored"
    fit_cost = 1.0
    simplicity = 0.0

    class_weight_: Array = attribute()
    class_prior_: Array = attribute()

    def summarize(self, batch: Batch) -> ClassWeights:
        assert batch.target is not None
        return ClassWeights.of(batch.target, len(self.classes_), batch.weights)

    def solve(self, statistic: ClassWeights) -> None:
        self.class_weight_ = statistic.weight
        self.class_prior_ = statistic.weight / statistic.weight.sum()

    def _probabilities(self, table: Table) -> Array:
        return np.tile(self.class_prior_, (table.n_rows, 1))

    def _explain(self, table: Table) -> Explanations:
        order = np.argsort(-self.class_prior_, kind="stable")
        best, label = int(order[0]), self.classes_.tolist()
        share = float(self.class_prior_[best])
        answer = Explanation(
            prediction=label[best],
            kind="frequency",
            base=share,
            base_words=f"{self.class_weight_[best]:g} of {self.class_weight_.sum():g} rows have it",
            evidence=(),
            total=share,
            total_words="share of the class",
            alternatives=tuple((label[c], float(self.class_prior_[c])) for c in order[1:]),
        )
        return Explanations(table.n_rows, lambda i: answer)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k = len(self.classes_)
        if self.class_prior_.shape != (k,) or self.class_weight_.shape != (k,) or k == 0:
            raise SavedModelError("The class shares do not fit the classes.")


@storable
@dataclass(frozen=True)
class TargetSum(Statistic):
    """Weight and mean of the target."""

    rows: int
    weight: float
    mean: float

    def _merge(self, other: TargetSum) -> TargetSum:
        weight = self.weight + other.weight
        share = other.weight / weight if weight > 0 else 0.0
        return TargetSum(self.rows + other.rows, weight, self.mean + share * (other.mean - self.mean))


class MeanRegressor(OnePass, Regressor):
    """Always predict the mean of the target.

        ŷ = Σ_i w_i y_i / Σ_i w_i

    >>> MeanRegressor().fit({"rooms": [2, 3, 7]}, [100, 120, 260]).predict({"rooms": [4]})
    array([160.])

    It has no settings. Attributes: `mean_`, and `weight_`, the weight it rests on.
    """

    abilities = _ANY_TABLE
    takes_text = "ignored"
    squares_target = False
    fit_cost = 1.0
    simplicity = 0.0

    mean_: float = attribute()
    weight_: float = attribute()

    def summarize(self, batch: Batch) -> TargetSum:
        assert batch.target is not None
        weight = float(batch.n_rows if batch.weights is None else batch.weights.sum())
        mean = float(np.average(batch.target, weights=batch.weights)) if weight > 0 else 0.0
        return TargetSum(batch.n_rows, weight, mean)

    def solve(self, statistic: TargetSum) -> None:
        self.mean_, self.weight_ = statistic.mean, statistic.weight

    def _predict(self, table: Table) -> Array:
        return np.full(table.n_rows, self.mean_)

    def _explain(self, table: Table) -> Explanations:
        words = f"it is the mean of {self.weight_:g} targets"
        answer = Explanation(self.mean_, "frequency", self.mean_, words, (), self.mean_, "prediction")
        return Explanations(table.n_rows, lambda i: answer)
