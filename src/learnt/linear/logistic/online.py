"""Logistic regression in instalments: stochastic gradient descent on the rows as they come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from learnt.data.table import Array
from learnt.engine.encoded_rows import ENCODED_ROWS, dense
from learnt.engine.engines import Plan
from learnt.engine.first_look import look_at
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.engine.whole import TakeWhole, WholeTable
from learnt.errors import SavedModelError
from learnt.learner.fields import attribute
from learnt.learner.parameters import seed_from
from learnt.learner.partial import Continuing
from learnt.linear.logistic.problem import View, units_of_numbers
from learnt.linear.weighted_sum import LinearClassifier
from learnt.storable import Numbers, storable

#: Rows of a step; how far the first goes, in standardised coordinates; a usual squared gradient of a step.
TOGETHER, PACE, USUAL = 32, 0.1, 0.02


@dataclass(frozen=True)
class Descent:
    """The penalty of a descent, for the sum of losses, whether there are intercepts, and whether numbers are
    penalised in units of their own spread.
    """

    l1: float
    l2: float
    intercept: bool
    standardize: bool = False


@storable
@dataclass(frozen=True, eq=False)
class Pace:
    """What a descent remembers: its coordinates, the sum of squared gradients of each, and the weight it has seen.

    There are no squares yet where `fit` came before.
    """

    shift: Numbers
    scale: Numbers
    squares: Numbers
    weight: float

    @classmethod
    def after(cls, view: View, mean: Array, weight: float) -> Pace:
        """After rows of that weight, seen at once."""
        # A column that does not vary in the first rows may do so later.
        scale = np.where(view.scale > 0, view.scale, 1 / np.maximum(np.abs(mean), 1.0))
        return cls(view.shift, scale, np.zeros((0, 0)), weight)


class OnlineClassifier(Continuing, LinearClassifier, abstract=True):
    """Adds `partial_fit` to a logistic model. Members write `_descent`."""

    random_state: Any = attribute()
    _pace: Pace = attribute()

    def _descent(self) -> Descent:
        raise NotImplementedError

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows by one epoch of stochastic gradient descent, each step as long as AdaGrad allows.

        The first call fixes the columns, their categories and scales, and the classes: `classes` lists them all if
        the first rows do not show each. `fit` begins anew, and `partial_fit` goes on from it. The optimum is
        approached, not reached: where all rows are at hand, use `fit`.
        """
        return self._fit_more(X, y, sample_weight, classes)

    def _continue(self, training: Training, earlier: Self | None) -> Plan:
        rows: WholeTable = yield TakeWhole()
        check_finite(rows.table)
        self.__dict__.pop("_start", None)  # of a warm start, which only `fit` makes
        if earlier is None:
            self._begin(rows)
        else:
            self.__dict__.update({n: v for n, v in earlier.__dict__.items() if n not in self.__dict__})
        self._descend(rows)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k, p, pace = 1 if len(self.classes_) <= 2 else len(self.classes_), self._design.n_columns, self._pace
        squares = pace.squares.size == 0 or pace.squares.shape == (k, p + 1)
        if self.coef_.shape != (k, p) or pace.shift.shape != (p,) or pace.scale.shape != (p,) or not squares:
            raise SavedModelError("The coefficients do not fit the classes.")

    def _begin(self, rows: WholeTable) -> None:
        intercept = self._descent().intercept
        look = look_at(rows.table, rows.weights, drop_reference=intercept)
        design, (mean, variance) = look.design, look.moments
        k = 1 if len(self.classes_) <= 2 else len(self.classes_)
        self._keep_coefficients(design, np.zeros((k, design.n_columns)), np.zeros(k), mean)
        view = View.of(mean, variance, intercept)
        self._pace = replace(Pace.after(view, mean, 0.0), squares=np.zeros((k, design.n_columns + 1)))
        self.__dict__.update(n_iter_=0, converged_=False, gap_=float("nan"), separation_=None, _likelihood=None)

    def _descend(self, shown: WholeTable) -> None:
        how, k, table = self._descent(), len(self.coef_), shown.table
        pace = self._pace
        if not pace.squares.size:  # after `fit`: steps as short as if it had come here by them
            usual = np.full((k, len(pace.scale) + 1), USUAL * pace.weight / TOGETHER)
            pace = replace(pace, squares=usual)
        view = View(pace.shift, pace.scale)
        penalised = view.scale * units_of_numbers(self._design, view.scale) if how.standardize else view.scale
        point, squares, seen = view.from_user(self.coef_, self.intercept_), pace.squares.copy(), pace.weight
        weights = np.ones(table.n_rows) if shown.weights is None else shown.weights
        order = np.random.default_rng(seed_from(self.random_state)).permutation(table.n_rows)
        targets = _targets(shown.target, k)
        for begin in range(0, table.n_rows, ENCODED_ROWS):
            rows = order[begin : begin + ENCODED_ROWS]
            x = (dense(self._design.encode(table.take(rows))) - view.shift) * view.scale
            z = np.column_stack([np.full(len(x), float(how.intercept)), x])
            for i in range(0, len(rows), TOGETHER):
                some = slice(i, i + TOGETHER)
                w = weights[rows[some]]
                total = float(w.sum())
                if total == 0:
                    continue
                seen += total
                off = (_shares(z[some] @ point.T) - targets[rows[some]]) * (w / total)[:, None]
                gradient = off.T @ z[some]
                gradient[:, 1:] += how.l2 / seen * penalised**2 * point[:, 1:]
                squares += gradient**2
                rate = np.divide(PACE, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)
                point = point - rate * gradient
                if how.l1:
                    limit = rate[:, 1:] * (how.l1 / seen * penalised)
                    point[:, 1:] = np.sign(point[:, 1:]) * np.maximum(np.abs(point[:, 1:]) - limit, 0)
        coef, base = view.to_user(point)
        self._keep_coefficients(self._design, coef, base if how.intercept else np.zeros(k), self._mean)
        self._pace = replace(pace, squares=squares, weight=seen)
        self.__dict__.update(n_iter_=self.__dict__["n_iter_"] + 1, _likelihood=None)


def _targets(codes: Array, n_scores: int) -> Array:
    """1 in the column of each row's class; of two classes the column of the second alone."""
    labels = np.arange(n_scores) if n_scores > 1 else np.ones(1)
    targets: Array = (np.asarray(codes)[:, None] == labels).astype(np.float64)
    return targets


def _shares(scores: Array) -> Array:
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(scores)), scores])
        return _shares(scores)[:, 1:]
    shares: Array = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
