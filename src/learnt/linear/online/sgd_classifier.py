"""Classes by gradient steps, row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Explanation
from learnt.learner.fields import setting
from learnt.learner.parameters import OneOf
from learnt.linear.online.descent_kinds import DOMAINS
from learnt.linear.online.rows import OnlineRows
from learnt.linear.online.sgd import StochasticGradient
from learnt.linear.score_classifier import ScoreClassifier, steepness
from learnt.losses import MARGIN


class SGDClassifier(StochasticGradient, ScoreClassifier):
    """Find weights by small steps against the gradient of the loss, one row at a time; one unit per class.

        minimise  mean_i L(y_i (b + w·z_i)) + α ((1 − ρ)/2 |w|² + ρ |w|₁),   z the standardised row

    >>> table = {"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 0.0, 1.0, 0.0]}
    >>> SGDClassifier().fit(table, ["low", "low", "high", "high"]).predict(table).tolist()
    ['low', 'low', 'high', 'high']

    Numbers are centred and divided by their spread (`standardize`), so that units do not matter and one length of
    steps suits all; coefficients are given in the units of the table. With the logistic loss, scores of two classes
    are log-odds; otherwise how steeply scores become probabilities is fitted afterwards (`steepness_`).

    {settings}

    Attributes: `coef_`, `intercept_`, `coefficient_names_`; `n_iter_` passes and `t_` steps; `converged_`; `trace_`,
    the loss pass by pass; `steepness_`.

    Reference: L. Bottou, Large-Scale Machine Learning with Stochastic Gradient Descent, COMPSTAT 2010.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse", "order-dependent"})
    fit_cost = 8.0
    simplicity = 15.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (1e-5, 1e-4, 1e-3, 1e-2), "loss": ("logistic", "hinge")}

    loss: Any = setting(
        OneOf("logistic", "hinge", "exponential", "squared"),
        'of the margin: "logistic", "hinge", "exponential", "squared"; see `learnt.losses`',
        default="logistic",
    )
    penalty: Any = setting(DOMAINS["penalty"], '"l2", "l1", "elasticnet" or None', default="l2")
    alpha: float = setting(DOMAINS["alpha"], "α, the strength of the penalty", default=1e-4)
    l1_ratio: float = setting(DOMAINS["l1_ratio"], 'ρ of "elasticnet"', default=0.15)
    fit_intercept: bool = setting(DOMAINS["fit_intercept"], "whether b is learnt; False fixes it at 0", default=True)
    max_iter: int = setting(DOMAINS["max_iter"], "passes over the rows at most", default=1000)
    tol: float = setting(DOMAINS["tol"], "a pass improves if its mean loss falls by more", default=1e-4)
    learning_rate: Any = setting(
        DOMAINS["learning_rate"],
        'length η of step t: "constant" η₀; "invscaling" η₀/t^power; "optimal" η₀ at first, then '
        '1/(α(t₀+t)); "adaptive" η₀, a fifth of it whenever passes stop improving',
        default="adaptive",
    )
    eta0: Any = setting(DOMAINS["eta0"], 'η₀; "auto": 0.5 over the mean of 1 + |z|²', default="auto")
    power_t: float = setting(DOMAINS["power_t"], 'the power of "invscaling"', default=0.5)
    optimizer: Any = setting(DOMAINS["optimizer"], 'plain steps, or "momentum", "nesterov", "adam"', default="sgd")
    momentum: float = setting(DOMAINS["momentum"], "share of the last step that goes on in the next", default=0.9)
    batch_size: int = setting(DOMAINS["batch_size"], "rows per step; as many as there are: batch descent", default=1)
    average: bool = setting(DOMAINS["average"], "predict with the mean of the weights over all steps", default=False)
    shuffle: bool = setting(DOMAINS["shuffle"], "whether each pass draws an order of the rows", default=True)
    early_stopping: bool = setting(
        DOMAINS["early_stopping"], "judge passes by rows held out, and keep the best weights", default=False
    )
    validation_fraction: float = setting(DOMAINS["validation_fraction"], "the share of rows held out", default=0.1)
    n_iter_no_change: int = setting(DOMAINS["n_iter_no_change"], "so many passes without improvement end it", default=3)
    standardize: bool = setting(DOMAINS["standardize"], "centre and scale numbers inside", default=True)
    random_state: Any = setting(DOMAINS["random_state"], "seed of the order and of what is held out", default=0)

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
