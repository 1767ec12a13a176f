"""Additive regression: each member learns what those before it have left over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.whole import WholeTable
from learnt.ensemble.additive.base import AdditiveSum
from learnt.ensemble.additive.explain import explain_numbers
from learnt.ensemble.voting.base import check_takes_weights
from learnt.errors import SavedModelError
from learnt.explain import Explanations
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute
from learnt.learner.foreign import adopted
from learnt.show.numbers import number
from learnt.show.words import count_of
from learnt.watch import report

#: A round that lowers the mean squared error by less than this part of it has learnt nothing.
LEAST_GAIN = 1e-12


class AdditiveRegressor(AdditiveSum, Regressor):
    """Add up regressors, each fitted to the residuals of the sum so far.

        F₀ = ȳ        f_t fitted to y − F_{t−1}(x)        F_t = F_{t−1} + η·f_t

    >>> table = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}
    >>> model = AdditiveRegressor(learning_rate=1.0).fit(table, [1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0, 64.0])
    >>> model.predict({"x": [3, 8]}).round(2).tolist()
    [9.0, 64.01]

    {settings}

    A round that no longer lowers the squared error is dropped and ends it: `stopped_` says so.

    Attributes: `estimators_`; `start_`, ȳ; `n_iter_`; `train_score_`, minus the mean squared error before the first
    round and after each; `stopped_`, why rounds ended early, or ""; `feature_importances_` of members that have them.

    Reference: J. H. Friedman, Stochastic gradient boosting, 2002.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})
    fit_cost = 80.0
    simplicity = 65.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (30, 100, 300), "learning_rate": (1.0, 0.3, 0.1)}

    start_: float = attribute()

    def _learn(self, rows: WholeTable) -> None:
        batch, self._rate = self._rows(rows), float(self.learning_rate)
        assert batch.target is not None
        if self.estimator is not None and self.by == "weights":
            check_takes_weights(adopted(self.estimator), batch.weights)
        target = np.asarray(batch.target, dtype=np.float64)
        self.start_ = float(target[0] + np.average(target - target[0], weights=batch.weights))
        left = target - self.start_
        members, stopped, errors = [], "", [_mean_square(left, batch.weights)]
        total = int(self.n_estimators)
        for t in range(total):
            if errors[-1] == 0:
                stopped = f"Round {t}: nothing is left over."
                break
            member, said = self._member(batch, left, batch.weights, t)
            with np.errstate(over="ignore", invalid="ignore"):  # too large a step: the error does not fall then
                rest = left - self._rate * said
                error = _mean_square(rest, batch.weights)
            if not error < errors[-1] * (1 - LEAST_GAIN):
                stopped = f"Round {t}: the squared error, {number(errors[-1])} on average, does not fall any more."
                break
            left = rest
            errors.append(error)
            members.append(member)
            report("round", learner=type(self).__name__, iteration=t + 1, total=total, objective=error)
        self._keep(members, [-error for error in errors], stopped)

    def _n_scores(self) -> int:
        return 1

    def _start(self) -> Array:
        return np.array([self.start_])

    def _scale(self) -> float:
        return self._rate

    def _predict(self, table: Table) -> Array:
        return self._raw(table)[:, 0]

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """What is predicted after each round."""
        return (raw[:, 0] for raw in self._staged_raw(X))

    def _explain(self, table: Table) -> Explanations:
        return explain_numbers(self, table)

    def _head(self) -> str:
        return f"{number(self.start_)} and a sum of {count_of(self.n_iter_, 'round')}"

    def _names_of_scores(self) -> list[str]:
        return ["prediction"]

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if not isinstance(self.start_, float) or not np.isfinite(self.start_):
            raise SavedModelError("The start of the sum is not a number.")


def _mean_square(left: Array, weights: Array | None) -> float:
    return float(np.average(np.square(left), weights=weights))
