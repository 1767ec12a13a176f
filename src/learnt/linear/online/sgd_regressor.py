"""Numbers by gradient steps, row by row."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real
from learnt.linear.online.descent_kinds import DOMAINS
from learnt.linear.online.rows import OnlineRows, center_and_spread
from learnt.linear.online.sgd import StochasticGradient
from learnt.linear.weighted_sum import LinearRegressor
from learnt.losses import REGRESSION, Loss, epsilon_insensitive, huber


class SGDRegressor(StochasticGradient, LinearRegressor):
    """Find weights by small steps against the gradient of the loss, one row at a time.

        minimise  mean_i L((b + w·z_i) − y_i) + α ((1 − ρ)/2 |w|² + ρ |w|₁),   z the standardised row

    >>> table = {"x": [0.0, 1.0, 2.0, 3.0]}
    >>> SGDRegressor(alpha=0).fit(table, [1.0, 3.0, 5.0, 7.0]).predict({"x": [10.0]}).round(2).tolist()
    [21.0]

    Numbers and the target are centred and divided by their spread (`standardize`), so that units do not matter and
    one length of steps suits all; coefficients are given in the units of the table.

    {settings}

    Attributes: `coef_`, `intercept_`, `coefficient_names_`; `n_iter_` passes and `t_` steps; `converged_`; `trace_`,
    the loss pass by pass.

    Reference: L. Bottou, Large-Scale Machine Learning with Stochastic Gradient Descent, COMPSTAT 2010.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "order-dependent"})
    fit_cost = 8.0
    simplicity = 15.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (1e-5, 1e-4, 1e-3, 1e-2), "loss": ("squared_error", "huber")}

    loss: Any = setting(
        OneOf(*REGRESSION),
        'of the error: "squared_error", "absolute_error", "huber", "epsilon_insensitive"',
        default="squared_error",
    )
    epsilon: float = setting(
        Real(above=0),
        'width of "huber" and "epsilon_insensitive", in standard deviations of the target (in its units '
        "if not `standardize`)",
        default=0.1,
        before="penalty",
    )
    standardize: bool = setting(DOMAINS["standardize"], "centre and scale numbers and target inside", default=True)

    _target_mean: float = attribute()
    _target_spread: float = attribute()

    def _n_units(self) -> int:
        return 1

    def _learn_target(self, y: Array, w: Array | None) -> None:
        """The target starts from its mean, which then is the intercept's, and is measured by its spread."""
        center, spread = center_and_spread(y, w, bool(self.fit_intercept))
        self._target_mean, self._target_spread = center, spread if self.standardize else 1.0

    def _take_over(self, earlier: Any) -> None:
        super()._take_over(earlier)
        self._target_mean, self._target_spread = earlier._target_mean, earlier._target_spread

    def _truth(self, y: Array) -> tuple[Array | None, Array | None]:
        return (y - self._target_mean) / self._target_spread, None

    def _width(self) -> float:
        return float(self.epsilon)

    def _measure(self) -> Loss:
        made = {"huber": huber, "epsilon_insensitive": epsilon_insensitive}.get(self.loss)
        return REGRESSION[self.loss] if made is None else made(self.epsilon)

    def _loss_of_nothing(self, values: Array | None) -> float:
        return float(np.mean(self._measure()(-np.asarray(values))))

    def _validation_loss(self, scores: Array, y: Array, w: Array) -> float:
        truth = self._truth(y)[0]
        return float(np.average(self._measure()(scores[:, 0] - truth), weights=w))

    def _finish(self, rows: OnlineRows, y: Array, w: Array | None) -> None:
        coef, intercept = self._scaling.in_units(*self._state.weights())
        base = self._target_mean + self._target_spread * float(intercept[0])
        self._keep_coefficients(self._design, self._target_spread * coef[0], base, self._mean)
