"""AdaBoost.R2: regressors, each looking hardest at the rows that those before it missed by most, and their median."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.engine.training import prepare
from learnt.engine.whole import WholeTable
from learnt.ensemble.adaboost.rounds import LEAST_WEIGHT, drawn_by_weight
from learnt.ensemble.members import (
    MEMBERS_DRAW,
    REGRESSOR,
    fitted_member,
    mean_importances,
    rows_in_order,
    rows_to_draw,
)
from learnt.ensemble.weak_learner import StressesRows
from learnt.errors import ConvergenceWarning, SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import OneOf, Real, Seed, Whole, seed_from
from learnt.learner.settings import clone
from learnt.show.numbers import number
from learnt.statistics.quantiles import median_places
from learnt.tree import DecisionTreeRegressor
from learnt.watch import report

#: The largest number but for some room.
LARGEST = 1e300


class AdaBoostRegressor(StressesRows, Regressor):
    """Let regressors learn from the rows that those before missed by most, and take the weighted median of them.

        L_i = |y_i − f_t(x_i)| / max_i |…|,   β_t = L̄/(1 − L̄),   w_i ← w_i·β_t^(1 − L_i),   α_t = ln(1/β_t)

    >>> table = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}
    >>> model = AdaBoostRegressor(n_estimators=10).fit(table, [1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0, 64.0])
    >>> float(model.predict({"x": [3]})[0])
    9.0

    {settings}

    A member whose mean loss L̄ is ½ or more is dropped and ends boosting; one that meets every row outvotes those before
    it and ends it too: `stopped_` says so.

    Attributes: `estimators_`; per round `estimator_errors_` (L̄) and `estimator_weights_` (α); `stopped_`, why rounds
    ended early, or ""; `feature_importances_` of trees.

    Reference: H. Drucker, Improving regressors using boosting techniques, 1997.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "order-dependent"})
    whole = MEMBERS_DRAW
    fit_cost = 80.0
    simplicity = 65.0
    search_space: ClassVar[dict[str, Any]] = {"n_estimators": (20, 100), "learning_rate": (1.0, 0.3)}

    estimator: Any = setting(
        REGRESSOR, "any regressor; None for a `DecisionTreeRegressor` of depth 3", default=None, kw_only=False
    )
    n_estimators: int = setting(Whole(1), "rounds at most", default=50)
    learning_rate: float = setting(Real(above=0), "multiplies every α", default=1.0)
    loss: str = setting(
        OneOf("linear", "square", "exponential"),
        'what L is: as above, its "square", or "exponential": 1 − e^−L',
        default="linear",
    )
    by: str = setting(
        OneOf("resampling", "weights"),
        'how a round stresses rows: as many drawn in proportion, or by "weights"',
        default="resampling",
    )
    random_state: Any = setting(Seed(), "seed of resampling", default=0)

    estimators_: list[Any] = attribute()
    estimator_weights_: Array = attribute()
    estimator_errors_: Array = attribute()
    stopped_: str = attribute()

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        batch = rows_in_order(rows)[0] if self.by == "resampling" else rows_to_draw(rows)
        learner = DecisionTreeRegressor(max_depth=3) if self.estimator is None else adopted(self.estimator)
        start = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        total, seed, owner = float(start.sum()), seed_from(self.random_state), type(self).__name__
        weights, rounds, rate = start.copy(), int(self.n_estimators), float(self.learning_rate)
        most = LARGEST / max(rounds, 1)  # such that all weights of members have a sum
        self.estimators_, self.stopped_ = [], ""
        alphas: list[float] = []
        errors: list[float] = []
        for t in range(rounds):
            own = Batch(batch.table, 0, batch.target, weights)
            if self.by == "resampling":
                own = drawn_by_weight(learner, own, seed + t)
            member = fitted_member(clone(learner), own, None)
            losses = self._losses(np.abs(member.predict(batch.table) - batch.target))
            error = float(weights @ losses / weights.sum())
            if error >= 0.5:
                self.stopped_ = f"Round {t}: the mean loss {number(error)} is not below 0.5."
                if t > 0:
                    break
                _warn(error, owner)
            perfect = not losses.any()
            beta = error / (1 - error) if 0 < error < 0.5 else 0.0
            alphas.append(min(rate * math.log(1 / beta), most) if beta > 0 else sum(alphas) + 1.0)
            errors.append(error)
            self.estimators_.append(member)
            report("round", learner=owner, iteration=t + 1, total=rounds, objective=error, alpha=alphas[-1])
            if perfect or beta == 0:
                self.stopped_ = self.stopped_ or f"Round {t}: every row is met."
                break
            # Relative to the row that keeps most, or a steep rate would leave no row any weight.
            falls = np.minimum(rate * -math.log(beta), most) * (1 - losses)
            weights = weights * np.exp(falls.min() - falls)  # members may keep those that they were given
            weights *= total / weights.sum()
            np.maximum(weights, LEAST_WEIGHT * total, out=weights)
        self.estimator_weights_, self.estimator_errors_ = np.array(alphas), np.array(errors)

    def _losses(self, off: Array) -> Array:
        """What each row counts, from 0 to 1, by how far it is missed."""
        most = off.max()
        # Next to rows missed by more than the largest number, all others are met.
        share = (off == most).astype(np.float64) if most == np.inf else off / most if most > 0 else off
        if self.loss == "square":
            share = share**2
        return 1 - np.exp(-share) if self.loss == "exponential" else share

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        rounds = len(self.estimator_weights_)
        alike = len(self.estimators_) == rounds == len(self.estimator_errors_) and rounds > 0
        if not alike or not (np.isfinite(self.estimator_weights_) & (self.estimator_weights_ > 0)).all():
            raise SavedModelError(f"There are {len(self.estimators_)} members with {rounds} votes.")
        for member in self.estimators_:
            if not isinstance(member, Regressor) or len(member._schema) != len(self._schema):
                raise SavedModelError("A member does not fit the columns.")

    # Answering

    def _predict(self, table: Table) -> Array:
        numbers = self._numbers(table)
        return numbers[np.arange(table.n_rows), median_places(numbers, self.estimator_weights_)]

    def _numbers(self, table: Table) -> Array:
        """What each member predicts, rows × rounds."""
        return np.column_stack([member.predict(table) for member in self.estimators_])

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """What is predicted after each round."""
        still = self._still()
        numbers = still._numbers(still._matched(X))
        for t in range(1, len(still.estimators_) + 1):
            places = median_places(numbers[:, :t], still.estimator_weights_[:t])
            yield numbers[np.arange(len(numbers)), places]

    def staged_score(self, X: Any, y: Any = None, sample_weight: Any = None) -> Iterator[float]:
        """R² after each round."""
        test = prepare(X, y, sample_weight, "numbers", type(self).__name__)
        (batch,) = test.batches()
        assert batch.target is not None
        spread = np.average(
            (batch.target - np.average(batch.target, weights=batch.weights)) ** 2, weights=batch.weights
        )
        for answer in self.staged_predict(batch.table):
            off = np.average((batch.target - answer) ** 2, weights=batch.weights)
            yield float(1 - off / spread) if spread > 0 else float(off == 0)

    @property
    def feature_importances_(self) -> Array:
        """The means of the members' importances, by their votes."""
        self._fitted_schema()
        shares = self.estimator_weights_ / self.estimator_weights_.sum()
        return mean_importances(self.estimators_, shares)

    def _explain(self, table: Table) -> Explanations:
        """The arithmetic of the member whose prediction is the median."""
        places = median_places(self._numbers(table), self.estimator_weights_)

        def explain_row(i: int) -> Explanation:
            t = int(places[i])
            own: Explanation = self.estimators_[t].explain(table.rows(i, i + 1))[0]
            return replace(own, total_words=f"weighted median of {len(self.estimators_)} rounds, round {t}")

        return Explanations(table.n_rows, explain_row)


def _warn(error: float, owner: str) -> None:
    warnings.warn(
        f"{owner}: the mean loss of the first member is {number(error)}, not below 0.5. It is kept alone. "
        "Give a stronger estimator.",
        ConvergenceWarning,
        stacklevel=2,
    )
