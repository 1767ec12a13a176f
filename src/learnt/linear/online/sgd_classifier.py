"""Classes by gradient steps, row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Explanation
from learnt.learner.parameters import Domain, OneOf
from learnt.linear.online.descent_kinds import DOMAINS
from learnt.linear.online.rows import OnlineRows
from learnt.linear.online.sgd import StochasticGradient
from learnt.linear.score_classifier import ScoreClassifier, steepness
from learnt.losses import MARGIN


class SGDClassifier(StochasticGradient, ScoreClassifier):
    """Find weights by small steps against the slope of the loss, one row at a time; one unit per class.

        minimise  mean_i L(y_i (b + w·z_i)) + α ((1 − ρ)/2 |w|² + ρ |w|₁),   z the standardised row

    >>> table = {"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 0.0, 1.0, 0.0]}
    >>> SGDClassifier().fit(table, ["low", "low", "high", "high"]).predict(table).tolist()
    ['low', 'low', 'high', 'high']

    Numbers are centred and divided by their spread (`standardize`), so that units do not matter and one length of
    steps suits all; coefficients are given in the units of the table. With the logistic loss, scores of two classes
    are log-odds; otherwise how steeply scores become probabilities is fitted afterwards (`steepness_`).

    | setting | default | meaning | range |
    |---|---|---|---|
    | `loss` | "logistic" | of the margin: "logistic", "hinge", "exponential", "squared"; see `learnt.losses` | |
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
    | `standardize` | True | centre and scale numbers inside | |
    | `random_state` | 0 | seed of the order and of what is held out | |

    Attributes: `coef_`, `intercept_`, `coefficient_names_`; `n_iter_` passes and `t_` steps; `converged_`; `trace_`,
    the loss pass by pass; `steepness_`.

    Reference: L. Bottou, Large-Scale Machine Learning with Stochastic Gradient Descent, COMPSTAT 2010.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent"})
    fit_cost = 8.0
    simplicity = 15.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (1e-5, 1e-4, 1e-3, 1e-2), "loss": ("logistic", "hinge")}
    domains: ClassVar[dict[str, Domain]] = {"loss": OneOf("logistic", "hinge", "exponential", "squared"), **DOMAINS}

    def __init__(
        self,
        *,
        loss: Any = "logistic",
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

    @property
    def _score_words(self) -> str:  # type: ignore[override]
        return "log-odds" if self._gives_log_odds() else "score"

    def _gives_log_odds(self) -> bool:
        return bool(self.loss == "logistic")

    def _n_units(self) -> int:
        k = len(self.classes_)
        return k if k > 2 else k - 1

    def _truth(self, y: Array) -> tuple[Array | None, Array | None]:
        if len(self.classes_) == 2:  # one unit, which scores the second class
            y = (y != 1).astype(np.int32)
        return None, np.ascontiguousarray(y, np.int32)

    def _validation_loss(self, scores: Array, y: Array, w: Array) -> float:
        codes = self._truth(y)[1]
        assert codes is not None
        margins = np.where(codes[:, None] == np.arange(scores.shape[1]), scores, -scores)
        return float(np.average(MARGIN[self.loss](margins).mean(axis=1), weights=w))

    def _finish(self, rows: OnlineRows, y: Array, w: Array | None) -> None:
        weights = self._state.weights()
        coef, intercept = self._scaling.in_units(*weights)
        if len(self.classes_) == 1:
            coef, intercept = np.zeros((1, self._design.n_columns)), np.zeros(1)
        self._keep_coefficients(self._design, coef, intercept, self._mean)
        self.steepness_ = 1.0
        if len(self.classes_) > 1 and not self._gives_log_odds():
            self.steepness_ = steepness(rows.scores(*weights), y, w, len(self.classes_))

    def _explain_row(self, row: Table) -> Explanation:
        told = super()._explain_row(row)
        return replace(told, kind="log-odds") if self._gives_log_odds() else told
