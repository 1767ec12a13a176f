"""Ordered classes: proportional odds."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.engines import Plan
from learnt.engine.first_look import first_look
from learnt.engine.training import Training
from learnt.errors import ParameterError, SavedModelError, convergence_warning
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Real, Whole
from learnt.linear.least_squares.linear_regression import WIDE
from learnt.linear.logistic.passes import CountWeights
from learnt.linear.logistic.problem import View
from learnt.linear.ordinal.newton import NewtonEnd, Ordinal, by_newton, pseudo_inverse
from learnt.linear.ordinal.passes import Point, class_probabilities
from learnt.linear.ordinal.summary import OrdinalSummary
from learnt.linear.separation import separation_words
from learnt.linear.several.retarget import retargeted
from learnt.linear.weighted_sum import WeightedSum
from learnt.show.numbers import number
from learnt.show.words import label, spell

SEPARATED = (
    "A weighted sum of the columns separates classes, so that the likelihood has no maximum and coefficients would "
    "grow for ever. They are where the search stopped. Give alpha=0.001, or leave out the column that gives the class "
    "away."
)


class OrdinalRegression(WeightedSum, Classifier):
    """Predict one of several ordered classes: the columns move a row along a scale, which thresholds cut into classes.

        P(class ≤ c | x) = σ(θ_c − b·x),   σ(t) = 1/(1 + e^−t)
        (θ, b) = argmax Σ_i w_i log P(y_i | x_i) / Σ w − ½·alpha·Σ_j (b_j·s_j)²,   s_j the column's deviation

    >>> size = {"length": [30.0, 34.0, 33.0, 38.0, 37.0, 42.0, 36.0, 41.0]}
    >>> sold = Table({"sold": ["S", "S", "M", "M", "S", "L", "L", "M"]}, ordinal={"sold": ["S", "M", "L"]})
    >>> model = OrdinalRegression().fit(size, sold["sold"])
    >>> model.coef_.round(2).tolist(), model.thresholds_.round(2).tolist()
    ([0.33], [11.51, 13.67])
    >>> model.predict({"length": [31.0, 45.0]})
    array(['S', 'L'], dtype='<U1')

    The order of the classes is that of an ordinal target column, or that of sorting. A positive coefficient moves
    towards later classes: a unit more multiplies the odds of lying above any threshold by e^b, the same for all.
    Columns enter as in `LinearRegression`.

    {settings}

    Attributes: `coef_`, `coefficient_names_`; `thresholds_`, one between each two classes; `coef_errors_` and
    `threshold_errors_`, standard errors (NaN with a penalty, and for more than 1,000 sparse columns);
    `log_likelihood_`, `n_iter_`, `converged_`, `separated_`. `summary()` shows them, `position(X)` tells b·x.

    Reference: P. McCullagh, Regression Models for Ordinal Data, JRSS B 42, 1980.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes", "sparse", "many classes"})
    poor_score = True  # it is for ordered classes along a line, which clouds of three classes are not
    fit_cost = 9.0
    simplicity = 12.0
    search_space: ClassVar[dict[str, Any]] = {"alpha": (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0)}

    alpha: float = setting(
        Real(0), "penalty on squared coefficients of standardised columns, never on thresholds", default=0.0
    )
    tol: float = setting(
        Real(0), "ends when the objective is within tol² of its least, relative, as its curvature tells", default=1e-4
    )
    max_iter: int = setting(Whole(1), "most steps of Newton's method", default=100)

    thresholds_: Array = attribute()
    coef_errors_: Array = attribute()
    threshold_errors_: Array = attribute()
    log_likelihood_: float = attribute()
    n_iter_: int = attribute()
    converged_: bool = attribute()
    separated_: bool = attribute()
    _weight: float = attribute()

    def _plan(self, training: Training) -> Plan:
        look = yield from first_look(training, drop_reference=True)
        design = look.design
        weight = (yield CountWeights(len(self.classes_))).weight
        view = View.of(*look.moments, intercept=True)
        there = np.flatnonzero(weight)  # classes with a row of positive weight
        sparse = design.sparse or training.is_sparse
        few = not (sparse and design.n_columns > WIDE)
        rows = float(weight.sum()) if training.weights is None else np.inf
        problem = Ordinal(design, view, float(weight.sum()), float(self.alpha), few, rows)
        below, above = np.cumsum(weight[there])[:-1], np.cumsum(weight[there][::-1])[::-1][1:]
        start = Point(np.log(below) - np.log(above), np.zeros(design.n_columns))
        found = NewtonEnd(start, 0.0, 0, True, None, None)
        if len(there) > 1:
            plan: Plan = by_newton(problem, start, float(self.tol), int(self.max_iter))
            if len(there) < len(weight):
                plan = retargeted(plan, np.minimum(np.searchsorted(there, np.arange(len(weight))), len(there) - 1))
            found = yield from plan
        self._tell(problem, found, there)
        self._keep(problem, found, there)

    def _tell(self, problem: Ordinal, found: NewtonEnd, there: Array) -> None:
        if found.separated is not None and found.step is not None:
            pull = np.where(problem.view.scale > 0, np.abs(found.step.coef), 0.0)
            words = separation_words(found.separated, problem.design, self.classes_[there].tolist(), pull)
            warnings.warn(convergence_warning(f"{SEPARATED} {words}"), stacklevel=2)
        elif not found.converged:
            words = f"Newton's method stopped after max_iter={self.max_iter} steps before it converged."
            warnings.warn(convergence_warning(words), stacklevel=2)

    def _keep(self, problem: Ordinal, found: NewtonEnd, there: Array) -> None:
        """In the user's units: b = β·scale, and thresholds moved by b·shift."""
        view, k = problem.view, len(self.classes_)
        coef = found.point.coef * view.scale
        thresholds = found.point.thresholds + coef @ view.shift
        error_of_threshold, error = self._errors(problem, found)
        self._keep_coefficients(problem.design, coef, 0.0, view.shift)
        # A class without rows has no room: its thresholds are those of its neighbours, or infinite at the ends.
        below = np.searchsorted(there, np.arange(1, k))
        self.thresholds_ = np.concatenate([[-np.inf], thresholds, [np.inf]])[below]
        self.threshold_errors_ = np.concatenate([[np.nan], error_of_threshold, [np.nan]])[below]
        self.coef_errors_ = error
        self.log_likelihood_ = -found.loss * problem.weight
        self.n_iter_, self.converged_, self.separated_ = found.n_iter, found.converged, found.separated is not None
        self._weight = problem.weight

    def _errors(self, problem: Ordinal, found: NewtonEnd) -> tuple[Array, Array]:
        """Standard errors of thresholds and coefficients; NaN where collinear columns leave them undetermined."""
        k, p, view = len(found.point.thresholds), len(found.point.coef), problem.view
        if found.information is None or self.alpha > 0 or found.separated is not None:
            return np.full(k, np.nan), np.full(p, np.nan)
        inverse = pseudo_inverse(found.information)
        turn = np.zeros((k + p, k + p))  # from (θ, β) to the user's thresholds and coefficients
        turn[:k, :k], turn[:k, k:] = np.eye(k), view.shift * view.scale
        turn[k:, k:] = np.diag(view.scale)
        with np.errstate(over="ignore", invalid="ignore"):
            errors = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", turn, inverse, turn, optimize=True), 0.0))
        lost = np.abs(np.diagonal(inverse @ found.information) - 1) > 1e-6
        errors[lost | (np.diagonal(turn) == 0)] = np.nan
        return errors[:k], errors[k:]

    def summary(self, level: float = 0.95) -> OrdinalSummary:
        """Coefficients and thresholds with standard errors, z, p and intervals, and odds ratios."""
        self._fitted_schema()
        if level not in Real(above=0, below=1):
            raise ParameterError(f"level={spell(level)} is not allowed. Expected a number > 0 and < 1, such as 0.95.")
        labels = [str(c) for c in self.classes_.tolist()]
        between = tuple(f"{a} | {b}" for a, b in pairwise(labels))
        note = "The penalty moves estimates, so that errors are not known. Fit with alpha=0." if self.alpha > 0 else ""
        return OrdinalSummary(
            names=self.coefficient_names_ + between,
            estimates=np.concatenate([self.coef_, self.thresholds_]),
            standard_errors=np.concatenate([self.coef_errors_, self.threshold_errors_]),
            n_thresholds=len(between),
            weight=self._weight,
            log_likelihood=self.log_likelihood_,
            level=float(level),
            note=SEPARATED if self.separated_ else note,
        )

    def position(self, X: Any) -> Array:
        """b·x of each row: where it lies on the scale that `thresholds_` cut into classes."""
        still = self._still()
        position: Array = still._over(X, still._scores)
        return position

    def _probabilities(self, table: Table) -> Array:
        return class_probabilities(self.thresholds_, self._scores(table))

    def _explain(self, table: Table) -> Explanations:
        return self._explained_by(table, self._explain_row)

    def _explain_row(self, row: Table) -> Explanation:
        total, labels = float(self._scores(row)[0]), self.classes_.tolist()
        shares = self._probabilities(row)[0]
        best = int(shares.argmax())
        others = [c for c in np.argsort(-shares, kind="stable").tolist() if c != best]
        return Explanation(
            prediction=labels[best],
            kind="position",
            base=float(self._average_scores()[0]),
            base_words="average row",
            evidence=self._evidence(row, self._parts(row)[0], self.coef_),
            total=total,
            total_words=f"{self._place(best)}, probability {number(float(shares[best]))}, position",
            alternatives=tuple((labels[c], float(shares[c])) for c in others),
        )

    def _place(self, c: int) -> str:
        """Between which thresholds a class lies."""
        ends = [-np.inf, *self.thresholds_.tolist(), np.inf]
        low, high = ends[c], ends[c + 1]
        if np.isinf(low) and np.isinf(high):
            return "the only class"
        if np.isinf(low):
            return f"below {number(high)}"
        return f"above {number(low)}" if np.isinf(high) else f"from {number(low)} to {number(high)}"

    def __str__(self) -> str:
        if "thresholds_" not in self.__dict__:
            return repr(self)
        cuts = "".join(f" | {number(t)} | {label(c)}" for t, c in zip(self.thresholds_, self.classes_[1:], strict=True))
        return f"{label(self.classes_[0])}{cuts}\n{self.summary()}"

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        k = len(self.classes_)
        if (
            self.thresholds_.shape != (k - 1,)
            or self.threshold_errors_.shape != (k - 1,)
            or self.coef_errors_.shape != self.coef_.shape
            or np.isnan(self.thresholds_).any()
            or (np.diff(self.thresholds_[np.isfinite(self.thresholds_)]) < 0).any()
        ):
            raise SavedModelError("The thresholds do not fit the classes.")
