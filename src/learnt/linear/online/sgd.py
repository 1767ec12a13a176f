"""Stochastic gradient descent: what its classifier and its regressor share."""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import InputError, ParameterError, SavedModelError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, seed_from
from learnt.learner.partial import Continuing
from learnt.linear.encoded import Encoded, encode_training
from learnt.linear.gathered_rows import GatherRows, Rows
from learnt.linear.online.descent_kinds import CURVATURE, DOMAINS, OPTIMIZERS, RAN_AWAY, RATES, loss_number
from learnt.linear.online.descent_state import DescentState
from learnt.linear.online.rows import (
    OnlineRows,
    Scaling,
    of_mean_one,
    plain_scaling,
    rows_to_draw,
    standard_scaling,
)
from learnt.linear.online.trace import Recorder, Trace
from learnt.linear.weighted_sum import WeightedSum
from learnt.statistics.sample import hash_rows
from learnt.watch import report, watching


class StochasticGradient(Continuing, WeightedSum, abstract=True):
    """Descends step by step. Members say what a unit is to score (`_truth`) and keep the result (`_finish`)."""

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

    finds_infinities: ClassVar[bool] = True

    n_iter_: int = attribute()
    t_: float = attribute()
    converged_: bool = attribute()
    trace_: Trace = attribute()
    _state: DescentState = attribute()
    _scaling: Scaling = attribute()
    _typical: float = attribute()  # the mean of |z|²
    _seed: int = attribute()

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over more rows, from where the last call ended. The first call fixes the columns, their categories,
        how they are centred and scaled, and the classes: `classes` lists them all if the first rows do not."""
        return self._fit_more(X, y, sample_weight, classes)

    # The plan

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        rows, y, w = yield from self._begin(training, drawn=bool(self.shuffle))
        self._descend(rows, y, w, self.max_iter)

    def _continue(self, training: Training, earlier: Any) -> Generator[Pass, Any, None]:
        """One pass, from the start or from where an earlier learner stood."""
        rows, y, w = yield from self._begin(training, earlier)
        self._descend(rows, y, w, None)

    def _begin(
        self, training: Training, earlier: Any = None, drawn: bool = False
    ) -> Generator[Pass, Any, tuple[OnlineRows, Array, Any]]:
        if earlier is not None:
            self._take_over(earlier)
            assert isinstance(training.source, Table)
            check_finite(training.source)
            gathered: Rows = yield GatherRows(self._design)
            matrix, y, w = gathered.joined()
            return OnlineRows.of(matrix, self._scaling, of_mean_one(w)), y, w
        rows = yield from encode_training(training, drop_reference=bool(self.fit_intercept))
        self._seed = seed_from(self.random_state)
        self._scaling = self._chosen_scaling(rows)
        self._typical = self._scaling.mean_square(rows)
        self._design, self._mean = rows.design, rows.mean
        self._learn_target(rows.target, rows.weights)
        units, p = self._n_units(), rows.design.n_columns
        self._state = DescentState.start(units, p, average=bool(self.average), batches=self._by_batches())
        matrix, y, w = rows.matrix, rows.target, rows.weights
        if drawn:
            matrix, y, w = rows_to_draw(matrix, y, w)
        return OnlineRows.of(matrix, self._scaling, of_mean_one(w)), y, w

    def _take_over(self, earlier: Any) -> None:
        for name in ("_seed", "_scaling", "_typical", "_design", "_mean"):
            setattr(self, name, getattr(earlier, name))
        state = earlier._state.copy()
        if (state.coef_sum is None) == bool(self.average) or (state.speed is None) == self._by_batches():
            raise ParameterError(
                f"{type(self).__name__}: average, optimizer or batch_size was changed between two calls of "
                "partial_fit. Set them back, or call fit."
            )
        self._state = state

    def _chosen_scaling(self, rows: Encoded) -> Scaling:
        if not self.standardize:
            return plain_scaling(rows)
        # Weights under L1 are met one by one, and taking the mean off a sparse row would move all of them.
        sparse_lasso = not isinstance(rows.matrix, np.ndarray) and self._l1_share() > 0 and not self._by_batches()
        return standard_scaling(rows, center=bool(self.fit_intercept) and not sparse_lasso)

    def _by_batches(self) -> bool:
        return self.optimizer != "sgd" or self.batch_size > 1

    def _l1_share(self) -> float:
        return {"l1": 1.0, "elasticnet": float(self.l1_ratio)}.get(self.penalty, 0.0)

    def _strength(self) -> float:
        return 0.0 if self.penalty is None else float(self.alpha)

    # What members know

    def _n_units(self) -> int:
        raise NotImplementedError

    def _learn_target(self, y: Array, w: Array | None) -> None:
        """Look at the targets of the first call."""

    def _truth(self, y: Array) -> tuple[Array | None, Array | None]:
        """Values, or codes of classes: unit u scores code u."""
        raise NotImplementedError

    def _validation_loss(self, scores: Array, y: Array, w: Array) -> float:
        raise NotImplementedError

    def _loss_of_nothing(self, values: Array | None) -> float:
        """The mean loss where all scores are 0: that of a margin is 1."""
        return 1.0

    def _width(self) -> float:
        return 0.0

    def _finish(self, rows: OnlineRows, y: Array, w: Array | None) -> None:
        """Keep coefficients, from `_state`, and what else predictions need."""
        raise NotImplementedError

    # The descent

    def _rate(self, eta: float) -> tuple[int, float, float, float]:
        """Kind, η₀, power and t₀ of the kernels' step lengths."""
        t0 = 0.0
        if self.learning_rate == "optimal":
            if self._strength() == 0:
                raise ParameterError(
                    f"{type(self).__name__}: learning_rate='optimal' divides by alpha. "
                    "Expected a penalty with alpha > 0, or another learning_rate."
                )
            shrinkage = self._strength() * eta
            if shrinkage < 1e-300:  # no number of steps shortens them
                return RATES["constant"], eta, float(self.power_t), t0
            t0 = 1 / shrinkage  # so that the first step has the length η₀
        return RATES[self.learning_rate], eta, float(self.power_t), t0

    def _first_eta(self) -> float:
        if self.eta0 != "auto":
            return float(self.eta0)
        if self.optimizer == "adam":  # its steps have no units
            return 0.01
        eta = 0.5 / ((1 + self._typical) * CURVATURE.get(self.loss, 1.0))
        return eta * (1 - self.momentum) if self.optimizer in ("momentum", "nesterov") else eta

    def _descend(self, rows: OnlineRows, y: Array, w: Array | None, passes: int | None) -> None:
        """So many passes at most, or one if `passes` is None."""
        state, name = self._state, type(self).__name__
        held_out: Array | None = None
        if self.early_stopping and passes is not None and state.coef.size:
            rows, held_out = self._hold_out(rows)
        values, codes = self._truth(y)
        units = np.arange(len(state.coef), dtype=np.int32)
        eta = smallest = self._first_eta()
        smallest *= 1e-3
        recorder, best, stale, converged = Recorder(), math.inf, 0, passes is None or not len(units)
        kept = state
        for iteration in range(1, (passes or 1) + 1) if len(units) else ():
            loss = self._one_pass(rows, values, codes, units, eta)
            if not loss < RAN_AWAY * max(self._loss_of_nothing(values), 1.0) or not np.isfinite(state.coef).all():
                raise InputError(
                    f"{name}: the descent diverged in pass {iteration}: its steps are too long. "
                    "Choose a smaller eta0, or standardize=True."
                )
            recorder.add(iteration, loss)
            if watching():
                coef, intercept = self._scaling.in_units(*state.weights())
                report("descent", learner=name, iteration=iteration, total=passes, objective=loss, eta=eta,
                       coef=coef, intercept=intercept)  # fmt: skip
            measure = loss
            if held_out is not None:
                w_out = np.ones(len(held_out)) if w is None else w[held_out]
                measure = self._validation_loss(rows.scores(*state.weights(), held_out), y[held_out], w_out)
            stale = 0 if measure < best - self.tol else stale + 1
            if measure < best:
                best, kept = measure, state.copy() if held_out is not None else state
            if passes is not None and stale >= self.n_iter_no_change:
                if self.learning_rate != "adaptive" or eta / 5 < smallest:
                    converged = True
                    break
                eta, stale = eta / 5, 0
        self._state = kept
        self.n_iter_, self.t_, self.converged_ = int(kept.epochs), float(kept.steps), converged
        self.trace_ = recorder.trace()
        if not converged:
            warnings.warn(
                convergence_warning(f"{name} stopped after max_iter={passes} passes. Raise it, or tol."), stacklevel=2
            )
        self._finish(rows, y, w)

    def _one_pass(self, rows: OnlineRows, values: Array | None, codes: Array | None, units: Array, eta: float) -> float:
        """The mean loss, before each step, of a pass; the state moves on."""
        state = self._state
        loss = np.zeros(len(units))
        count = rows.n_taking_part
        rows.descend(
            values,
            codes,
            rows.course(self._seed, state.epochs, bool(self.shuffle)),
            0,
            count,
            (loss_number(self.loss), self._width(), *self._rate(eta)),
            (
                self._strength(),
                self._l1_share(),
                bool(self.fit_intercept),
                OPTIMIZERS[self.optimizer],
                float(self.momentum),
                int(self.batch_size),
                state.steps,
            ),
            units,
            *state.kernel_arguments(),
            loss,
        )
        state.steps += math.ceil(count / self.batch_size) if self._by_batches() else count
        state.epochs += 1
        return float(loss.mean() / rows.total_weight)

    def _hold_out(self, rows: OnlineRows) -> tuple[OnlineRows, Array]:
        """The rows to learn from, and the numbers of those to watch the loss on."""
        places = np.arange(rows.n_rows) if rows.places is None else rows.places
        out = hash_rows(self._seed, 0, rows.n_rows)[places] < self.validation_fraction
        if out.all() or not out.any():
            raise InputError(
                f"{type(self).__name__}: early_stopping holds out {self.validation_fraction:g} of {len(places)} rows, "
                "which leaves none on one side. Expected more rows."
            )
        return replace(rows, places=places[~out].astype(np.int64)), places[out]

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        p = self._design.n_columns
        if self._state.coef.shape != (self._n_units(), p) or self._scaling.scale.shape != (p,):
            raise SavedModelError("The state of the descent does not fit the coefficients.")
