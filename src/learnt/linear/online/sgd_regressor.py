"""Numbers by gradient steps, row by row."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array
from learnt.learner.parameters import Domain, OneOf, Real
from learnt.linear.online.descent_kinds import DOMAINS
from learnt.linear.online.rows import OnlineRows, center_and_spread
from learnt.linear.online.sgd import StochasticGradient
from learnt.linear.weighted_sum import LinearRegressor
from learnt.losses import REGRESSION, Loss, epsilon_insensitive, huber


class SGDRegressor(StochasticGradient, LinearRegressor):
    """Find weights by small steps against the slope of the loss, one row at a time.

        minimise  mean_i L((b + w·z_i) − y_i) + α ((1 − ρ)/2 |w|² + ρ |w|₁),   z the standardised row

    >>> table = {"x": [0.0, 1.0, 2.0, 3.0]}
    >>> SGDRegressor(alpha=0).fit(table, [1.0, 3.0, 5.0, 7.0]).predict({"x": [10.0]}).round(2).tolist()
    [21.0]

    Numbers and the target are centred and divided by their spread (`standardize`), so that units do not matter and
    one length of steps suits all; coefficients are given in the units of the table.

    | setting | default | meaning | range |
    |---|---|---|---|
    | `loss` | "squared_error" | of the error: "squared_error", "absolute_error", "huber", "epsilon_insensitive" | |
    | `epsilon` | 0.1 | width of "huber" and "epsilon_insensitive", in standard deviations of the target (in its units \
if not `standardize`) | > 0 |
    | `penalty` | "l2" | "l2", "l1", "elasticnet" or None | |
    | `alpha` | 1e-4 | α, the strength of the penalty | ≥ 0 |
    | `l1_ratio` | 0.15 | ρ of "elasticnet" | 0 to 1 |
    | `fit_intercept` | True | whether b is learnt; False fixes it at 0 | |
    | `max_iter` | 1000 | passes over the rows at most | ≥ 1 |
    | `tol` | 1e-4 | a pass improves if its mean loss falls by more | ≥ 0 |
    | `learning_rate` | "adaptive" | length η of step t: "constant" η₀; "invscaling" η₀/t^power; "optimal" η₀ at \
first, then 1/(α(t₀+t)); "adaptive" η₀, a fifth of it whenever passes stop improving | |
    | `eta0` | "auto" | η₀; "auto": 0.5 over the mean of 1 + \\|z\\|² | > 0 |
    | `power_t` | 0.5 | the power of "invscaling" | ≥ 0 |
    | `optimizer` | "sgd" | plain steps, or "momentum", "nesterov", "adam" | |
    | `momentum` | 0.9 | share of the last step that goes on in the next | 0 to 1 |
    | `batch_size` | 1 | rows per step; as many as there are: batch descent | ≥ 1 |
    | `average` | False | predict with the mean of the weights over all steps | |
    | `shuffle` | True | whether each pass draws an order of the rows | |
    | `early_stopping` | False | judge passes by rows held out, and keep the best weights | |
    | `validation_fraction` | 0.1 | the share of rows held out | 0 to 1 |
    | `n_iter_no_change` | 3 | so many passes without improvement end it | ≥ 1 |
    | `standardize` | True | centre and scale numbers and target inside | |
    | `random_state` | 0 | seed of the order and of what is held out | |

    Attributes: `coef_`, `intercept_`, `coefficient_names_`; `n_iter_` passes and `t_` steps; `converged_`; `trace_`,
    the loss pass by pass.

    Reference: L. Bottou, Large-Scale Machine Learning with Stochastic Gradient Descent, COMPSTAT 2010.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "order-dependent"})
    fit_cost = 8.0
    simplicity = 15.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (1e-5, 1e-4, 1e-3, 1e-2), "loss": ("squared_error", "huber")}
    domains: ClassVar[dict[str, Domain]] = {"loss": OneOf(*REGRESSION), "epsilon": Real(above=0), **DOMAINS}

    _target_mean: float
    _target_spread: float

    def __init__(
        self,
        *,
        loss: Any = "squared_error",
        epsilon: float = 0.1,
        penalty: Any = "l2",
        alpha: float = 1e-4,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        learning_rate: Any = "adaptive",
        eta0: Any = "auto",
        power_t: float = 0.5,
        optimizer: Any = "sgd",
        momentum: float = 0.9,
        batch_size: int = 1,
        average: bool = False,
        shuffle: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 3,
        standardize: bool = True,
        random_state: Any = 0,
    ):
        self.loss = loss
        self.epsilon = epsilon
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.optimizer = optimizer
        self.momentum = momentum
        self.batch_size = batch_size
        self.average = average
        self.shuffle = shuffle
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.standardize = standardize
        self.random_state = random_state

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
