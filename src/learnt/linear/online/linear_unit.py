"""The linear unit and its delta rule: gradient descent that can be watched."""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array
from learnt.engine.encoded_rows import dense
from learnt.engine.passes import Pass
from learnt.engine.training import Training, prepare
from learnt.errors import InputError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.linear.encoded import encode_training
from learnt.linear.online.descent_kinds import OPTIMIZERS, RATES, loss_number
from learnt.linear.online.descent_state import DescentState
from learnt.linear.online.rows import (
    OnlineRows,
    Scaling,
    center_and_spread,
    of_mean_one,
    plain_scaling,
    standard_scaling,
)
from learnt.linear.online.trace import Recorder, Trace
from learnt.linear.weighted_sum import LinearRegressor
from learnt.watch import report, watching

#: Weights are traced up to so many, and single steps reported up to so many rows.
_FEW_WEIGHTS, _FEW_ROWS = 8, 1000
_PATIENCE = 5
#: Errors may rise for a while, by chance or momentum, but not to this many times the first.
_RAN_AWAY = 10.0


class LinearUnit(LinearRegressor):
    """Predict b + w·x, with weights that creep downhill on the mean squared error.

        E(w) = ½ mean_i (t_i − o_i)²,   o = b + w·x;      Δw = η mean_i (t_i − o_i) x_i

    >>> unit = LinearUnit(standardize=False, learning_rate=0.5)
    >>> model = unit.fit({"x": [0.0, 1.0, 2.0]}, [1.0, 3.0, 5.0])
    >>> model.coef_.round(3).tolist(), round(model.intercept_, 3)
    ([2.0], 1.0)

    `mode` says over which rows the mean is taken before each step: all ("batch"), one ("stochastic") or `batch_size`
    of them ("mini-batch"). With steps that are short enough, batch descent ends at least squares. Numbers and the
    target are centred and scaled (`standardize`); weights and errors are given in the user's units.

    {settings}

    Attributes: `coef_`, `intercept_`, `coefficient_names_`; `trace_`, errors and weights pass by pass; `n_iter_`;
    `converged_`; `learning_rate_`, the η used, of standardised columns if they are.

    Reference: B. Widrow, M. Hoff, Adaptive switching circuits, 1960.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse"})
    fit_cost = 20.0
    simplicity = 10.0
    finds_infinities = True
    search_space: ClassVar[dict[str, Any]] = {"mode": ("batch", "mini-batch")}

    mode: Any = setting(
        OneOf("batch", "stochastic", "mini-batch"), '"batch", "stochastic" or "mini-batch"', default="batch"
    )
    batch_size: int = setting(Whole(1), 'rows per step of "mini-batch"', default=32)
    learning_rate: Any = setting(
        OneOf("auto") | Real(above=0),
        'η; "auto": short enough that every step goes down, of a single row half of that',
        default="auto",
    )
    decay: float = setting(Real(0), "η falls with the pass k as η / (1 + decay · k)", default=0.0)
    momentum: float = setting(Real(0, below=1), "share of the last step that goes on in the next", default=0.0)
    fit_intercept: bool = setting(Flag(), "whether b is learnt; False fixes it at 0", default=True)
    max_iter: int = setting(Whole(1), "passes over the rows at most", default=1000)
    tol: float = setting(
        Real(0), "it ends when passes lower the error by less than this share of the first error", default=1e-12
    )
    shuffle: bool = setting(Flag(), 'whether passes draw an order of the rows (not for "batch")', default=True)
    standardize: bool = setting(Flag(), "centre and scale numbers and target inside", default=True)
    random_state: Any = setting(Seed(), "seed of that order", default=0)

    trace_: Trace = attribute()
    n_iter_: int = attribute()
    converged_: bool = attribute()
    learning_rate_: float = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        intercept = bool(self.fit_intercept)
        found = yield from encode_training(training, drop_reference=intercept)
        y, w = found.target, found.weights
        if self.standardize:
            scaling = standard_scaling(found, center=intercept)
            center, spread = center_and_spread(y, w, intercept)
        else:
            scaling, center, spread = plain_scaling(found), 0.0, 1.0
        rows = OnlineRows.of(found.matrix, scaling, of_mean_one(w))
        self.learning_rate_ = self._chosen_rate(rows, scaling.mean_square(found))
        unit = _Unit(rows, scaling, (y - center) / spread, center, spread)
        self._descend(unit)
        coef, base = unit.in_units()
        self._keep_coefficients(found.design, coef, base, found.mean)

    def _chosen_rate(self, rows: OnlineRows, mean_square: float) -> float:
        if self.learning_rate != "auto":
            return float(self.learning_rate)
        one = float(bool(self.fit_intercept))
        if self.mode == "batch":  # 1 over the trace of the Hessian, which is no less than its largest eigenvalue
            return (1 - self.momentum) / max(one + mean_square, np.finfo(float).tiny)
        longest = max((float((block**2).sum(axis=1).max()) for block in rows.blocks()), default=0.0)
        return 0.5 * (1 - self.momentum) / max(one + longest, np.finfo(float).tiny)

    def _descend(self, unit: _Unit) -> None:
        n = unit.rows.n_taking_part
        size = {"batch": n, "stochastic": 1}.get(self.mode, min(int(self.batch_size), n))
        recorder, seed = Recorder(), seed_from(self.random_state)
        first = best = unit.error()
        stale, self.converged_, iteration, before = 0, False, 0, unit.weights()
        drawn = bool(self.shuffle) and self.mode != "batch"
        # Plain batch steps only go down. Single rows are noise, and momentum swings for about 1 / (1 − μ) steps.
        patience = 1 if self.mode == "batch" and not self.momentum else math.ceil(_PATIENCE / (1 - self.momentum))
        optimizer = OPTIMIZERS["momentum" if self.momentum else "sgd"]
        settings = (0.0, 0.0, bool(self.fit_intercept), optimizer, float(self.momentum), size)
        for iteration in range(1, int(self.max_iter) + 1):
            eta = self.learning_rate_ / (1 + self.decay * (iteration - 1))
            course = unit.rows.course(seed, iteration, drawn)
            single = watching() and size < n <= _FEW_ROWS  # a step at a time, if anybody looks
            stride, loss = size if single else n, 0.0
            for start in range(0, n, stride):
                stop = min(start + stride, n)
                loss += unit.move(course, start, stop, eta, settings)
                if single:
                    self._tell(iteration, loss / stop * unit.spread**2, unit)
            error = loss / unit.rows.total_weight
            if not error <= _RAN_AWAY * first or not unit.is_finite():
                raise InputError(
                    f"LinearUnit: the descent diverged in pass {iteration}: its steps are too long. "
                    "Choose a smaller learning_rate, 'auto', or standardize=True."
                )
            if watching() and not single:
                self._tell(iteration, error * unit.spread**2, unit)
            recorder.add(iteration - 1, error * unit.spread**2, before)
            before = unit.weights()
            rises = error > best * (1 + 1e-9) and self.mode == "batch" and not self.momentum  # never, with short steps
            stale = 0 if error < best - self.tol * first or iteration == 1 or rises else stale + 1
            best = min(best, error)
            if stale >= patience or error == 0:
                self.converged_ = True
                break
        self.n_iter_ = iteration
        recorder.add(iteration, unit.error() * unit.spread**2, before)
        self.trace_ = recorder.trace()
        if not self.converged_:
            message = f"LinearUnit stopped after max_iter={self.max_iter} passes. Raise it, the learning_rate, or tol."
            warnings.warn(convergence_warning(message), stacklevel=2)

    def _tell(self, iteration: int, error: float, unit: _Unit) -> None:
        coef, intercept = unit.in_units()
        report("descent", learner="LinearUnit", iteration=iteration, total=int(self.max_iter), objective=error,
               coef=coef, intercept=intercept)  # fmt: skip

    def plot_descent(
        self, X: Any, y: Any = None, coefficients: tuple[str, str] | None = None, log: Any = None, ax: Any = None
    ) -> Any:
        """Draw the error of rows over two weights, the others as they ended, and the way the descent took.

        `coefficients` names two of `coefficient_names_`, or "intercept"; the first two, unless given. The way is
        that of `trace_`, or with `log` every step that `learnt.watch` saw. Returns the matplotlib axes.
        """
        from learnt.plot.descent import plot_surface

        names = ("intercept", *self.coefficient_names_) if self.fit_intercept else self.coefficient_names_
        chosen = coefficients or names[:2]
        if len(chosen) != 2 or any(name not in names for name in chosen):
            raise InputError(f"coefficients={coefficients!r} was asked for. Expected two of {list(names)[:8]}.")
        if log is not None:
            steps = [np.append(s.facts["intercept"], s.facts["coef"]) for s in log if s.what == "descent"]
            start = (
                [] if self.trace_.weights is None else [self.trace_.weights[0]]
            )  # a step is reported once it is made
            path = np.array(start + steps)
        elif self.trace_.weights is not None:
            path = self.trace_.weights
        else:
            raise InputError(
                f"This LinearUnit has {len(self.coef_)} coefficients; weights are traced up to {_FEW_WEIGHTS}. "
                "Pass the log of learnt.watch."
            )
        all_names = ("intercept", *self.coefficient_names_)
        at = [all_names.index(name) for name in chosen]
        test = prepare(X, y, None, "numbers", "LinearUnit")
        cells = dense(self._design.encode(self._matched(test.source)))
        cells = np.column_stack([np.ones(len(cells)), cells])
        ended = np.append(self.intercept_, self.coef_)
        ended[at] = 0
        rest, u, v = test.target - cells @ ended, *(cells[:, j] for j in at)
        moments = np.array([[np.mean(p * q) for q in (rest, u, v)] for p in (rest, u, v)])

        def error(a: Array, b: Array) -> Array:
            point = np.stack([np.ones_like(a), -a, -b])
            found: Array = 0.5 * np.einsum("iab,ij,jab->ab", point, moments, point)
            return found

        return plot_surface(error, path[:, at], (chosen[0], chosen[1]), ax)


class _Unit:
    """The weights of one unit on their way, in standardised columns."""

    def __init__(self, rows: OnlineRows, scaling: Scaling, target: Array, center: float, spread: float):
        self.rows, self.scaling, self.target, self.center, self.spread = rows, scaling, target, center, spread
        self.state = DescentState.start(1, rows.n_columns, average=False, batches=True)

    def move(self, course: tuple[Any, ...], first: int, last: int, eta: float, settings: tuple[Any, ...]) -> float:
        """Steps over some places of the course; the loss met there, summed."""
        loss = np.zeros(1)
        units = np.zeros(1, np.int32)
        measures = (loss_number("squared_error"), 0.0, RATES["constant"], eta, 0.0, 0.0)
        self.rows.descend(self.target, None, course, first, last, measures,
                          (*settings, self.state.steps), units, *self.state.kernel_arguments(), loss)  # fmt: skip
        return float(loss[0])

    def error(self) -> float:
        """½ of the mean squared error, in standardised units."""
        scores = self.rows.scores(self.state.coef, self.state.intercept, self.rows.places)[:, 0]
        weights = None if self.rows.weights is None else self.rows.taking_part(self.rows.weights)
        return 0.5 * float(np.average((scores - self.rows.taking_part(self.target)) ** 2, weights=weights))

    def in_units(self) -> tuple[Array, float]:
        with np.errstate(over="ignore", invalid="ignore"):  # whoever descends looks whether they are finite
            coef, intercept = self.scaling.in_units(self.state.coef, self.state.intercept)
            return self.spread * coef[0], self.center + self.spread * float(intercept[0])

    def is_finite(self) -> bool:
        coef, intercept = self.in_units()
        return bool(np.isfinite(coef).all() and math.isfinite(intercept))

    def weights(self) -> Array | None:
        """Intercept and coefficients for the trace, if they are few."""
        if self.rows.n_columns > _FEW_WEIGHTS:
            return None
        coef, intercept = self.in_units()
        return np.append(intercept, coef)
