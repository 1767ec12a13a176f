"""Numbers by a multilayer perceptron."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.survey import check_finite
from learnt.errors import InputError
from learnt.explain import Explanations
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf
from learnt.losses import Loss
from learnt.neural.attribution import Question, explain_row
from learnt.neural.given_loss import GivenLoss, LossOf
from learnt.neural.losses import OF_NUMBERS
from learnt.neural.mlp import MultilayerPerceptron
from learnt.neural.net import NetRows
from learnt.neural.target import TargetSums


class MLPRegressor(MultilayerPerceptron, Regressor):
    """Layers of units, each a bent sum of those before; weights are found by backpropagation.

        a₀ = z,   a_l = h(b_l + a_{l−1} W_l),   prediction = ȳ + s (b + a W),   z the scaled row

    >>> table = {"x": [0.0, 1.0, 2.0, 3.0]}
    >>> model = MLPRegressor(hidden_layer_sizes=(), solver="lbfgs", alpha=0, standardize=True)
    >>> model.fit(table, [1.0, 3.0, 5.0, 7.0]).predict({"x": [10.0]}).round(3).tolist()
    [21.0]

    Any table goes in: numbers are scaled, categories are indicators or, where there are many, learnt vectors, and
    missing cells have an indicator of their own. The target is measured by its mean ȳ and spread s.

    {settings}

    Attributes: `coefs_`, `intercepts_`; `loss_curve_`, `validation_curve_`, epoch by epoch; `n_iter_`, `best_iter_`,
    `converged_`.

    Reference: D. Rumelhart, G. Hinton, R. Williams, Learning representations by back-propagating errors, 1986.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "passes"})

    loss: Any = setting(
        OneOf(*OF_NUMBERS) | LossOf("error"),
        '"squared_error", "absolute_error", "huber" (linear beyond one spread), "poisson" for counts, predicted e^f; '
        "or a `learnt.losses.Loss` of errors, in the units of the target",
        default="squared_error",
        before="hidden_layer_sizes",
    )

    _target_mean: float = attribute()
    _target_spread: float = attribute()

    _kept_names = (*MultilayerPerceptron._kept_names, "_target_mean", "_target_spread")

    def _n_scores(self) -> int:
        return 1

    def _given_loss(self) -> GivenLoss | None:
        return GivenLoss(self.loss, self._target_spread) if isinstance(self.loss, Loss) else None

    def _core_loss(self) -> str:
        return "given" if isinstance(self.loss, Loss) else str(self.loss)

    def _learn_target(self, sums: TargetSums) -> None:
        poisson = self.loss == "poisson"
        self._target_mean, self._target_spread = (0.0, 1.0) if poisson else sums.mean_and_spread

    def _truth(self, y: Array) -> Array:
        if self.loss == "poisson" and len(y) and y.min() < 0:
            row = int((y < 0).argmax())
            raise InputError(
                f"MLPRegressor: loss='poisson' is for counts, but row {row} has the target {y[row]:g}. Expected "
                "numbers ≥ 0, or another loss."
            )
        return np.asarray((y - self._target_mean) / self._target_spread, dtype=np.float64)

    def _first_bias(self, sums: TargetSums) -> Array:
        return np.array([np.log(max(sums.numbers.mean, 1e-12)) if self.loss == "poisson" else 0.0])

    def _predict(self, table: Table) -> Array:
        f = self._scores(table)[:, 0]
        found: Array = np.exp(f) if self.loss == "poisson" else self._target_mean + self._target_spread * f
        return found

    def _explain(self, table: Table) -> Explanations:
        check_finite(table)
        question = Question(1.0, None, self._target_mean, self._target_spread, self.loss == "poisson")

        def one(i: int) -> Any:
            row = table.rows(i, i + 1)
            rows, total = NetRows(*self._inputs.encode(row)), float(self._predict(row)[0])
            told = explain_row(self._net, self._inputs, self._average, rows, row, question, total)
            return told.of(total, "sum", total, "prediction")

        return Explanations(table.n_rows, one)
