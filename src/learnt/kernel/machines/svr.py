"""Support vector regression."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.kernel.distinct_rows import distinct_rows
from learnt.kernel.machines.explanation import column_evidence, explain_by_support, support_evidence
from learnt.kernel.machines.machine import KernelMachine
from learnt.kernel.machines.solving import Problems
from learnt.kernel.machines.summary import (
    FACTOR,
    MachineSummary,
    OtherCost,
    cost_words,
    machine_parts,
    other_cost,
    with_cost,
)
from learnt.learner.base import Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Real
from learnt.linear import scaled_rows
from learnt.show.numbers import number
from learnt.show.words import count_of


class SVR(KernelMachine, Regressor):
    """The flattest function that stays within ε of the targets; beyond, each unit costs C.

        minimise  ½|w|² + C Σ w_i max(0, |y_i − w·φ(x_i) − b| − ε)

    >>> table = {"x": [0.0, 1.0, 2.0, 3.0]}
    >>> model = SVR(kernel="linear", C=100.0, epsilon=0.0, tol=1e-6).fit(table, [1.0, 3.0, 5.0, 7.0])
    >>> model.predict({"x": [10.0]}).round(3).tolist()
    [21.0]

    The target is measured by its spread (`standardize`), so that C and ε mean the same whatever its unit.

    {settings}

    Attributes: `support_`, the numbers of the rows on or outside of the tube; `dual_coef_`; `intercept_`; `coef_` of a
    linear kernel; `gap_`, `violation_`, `n_iter_`, `converged_` as those of `SVC`.

    Reference: A. Smola, B. Schölkopf, A tutorial on support vector regression, 2004.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "pairwise"})
    fit_cost = 100.0
    simplicity = 62.0
    search_space: ClassVar[dict[str, Any]] = {"C": (0.1, 1.0, 10.0, 100.0), "gamma": ("scale", 0.01, 0.1, 1.0)}

    C: float = setting(Real(above=0, high=1e100), "what a unit outside of the tube costs", default=1.0, before="kernel")
    epsilon: float = setting(
        Real(0),
        "half the width of the tube, in standard deviations of the target (in its units if not `standardize`)",
        default=0.1,
        before="kernel",
    )

    _target_mean: float = attribute()
    _target_spread: float = attribute()
    _support_targets: Array = attribute()

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        found = yield from self._encode(training)
        y, w = np.asarray(found.target, dtype=np.float64), found.weights
        z = scaled_rows(found.matrix, self._scaling)
        self._target_mean, self._target_spread = 0.0, 1.0
        if self.standardize:
            self._target_mean = float(np.average(y, weights=w))
            spread = float(np.sqrt(np.average((y - self._target_mean) ** 2, weights=w)))
            self._target_spread = spread if spread > 0 else 1.0
        scaled = (y - self._target_mean) / self._target_spread
        # Equal rows of equal targets are one; the target is a column of what is compared.
        distinct = distinct_rows(_with_column(self._compared(z), scaled), np.zeros(len(y), np.int64), w, 1)
        n, cost = len(distinct.first), float(self.C) * distinct.weights
        starts, ids = np.array([0, n], np.int64), np.arange(n, dtype=np.int64)
        problems = Problems(starts, ids, scaled[distinct.first], -cost, cost, np.zeros(n), float(self.epsilon))
        solved = self._solve(self._kernel_rows(z, distinct.first), problems)
        spread = self._target_spread
        offsets = solved.offsets * spread + self._target_mean
        self._keep(z, distinct, solved.beta[:, None] * spread, cost * spread, offsets, solved)
        self._support_targets = y[self.support_]

    @property
    def intercept_(self) -> float:
        """b."""
        return float(self._offsets[0])

    @property
    def coef_(self) -> Array:
        """Of a linear kernel: the coefficients of the columns, in their units."""
        return np.asarray(self._coefficients()[0][0])

    def plot_tube(self, X: Any, y: Any = None, column: str | None = None, *, ax: Any = None) -> Any:
        """Draw the function over a column, its tube and the support vectors; returns the matplotlib axes. `X` and `y`
        are the rows of the fit. Other columns are held at their median or most frequent label."""
        from learnt.plot.machines import plot_tube

        return plot_tube(self, X, y, column, ax)

    def plot_coefficients(self, X: Any, y: Any = None, *, ax: Any = None) -> Any:
        """Draw the coefficient β of each row against how far the target lies from the prediction; returns the
        matplotlib axes. `X` and `y` are the rows of the fit."""
        from learnt.plot.machines import plot_target_coefficients

        return plot_target_coefficients(self, X, y, ax)

    def summary(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> MachineSummary:
        """|w|, the support vectors, those outside of the tube, the gap and the violation of the optimality conditions;
        and what a smaller or larger C would do, in words. With the rows of the fit, the machines of C/10 and 10·C are
        fitted and shown as well."""
        self._fitted_schema()
        margins = self._margins() * self._target_spread
        above = int(np.sum(self._weights[:, 0] > 0))
        words = [
            f"{count_of(above, 'support vector')} above the tube or on its upper edge, "
            f"{len(self.support_) - above:,} below; all other rows lie inside, within "
            f"{number(float(self.epsilon) * self._target_spread)} of the prediction, and could be left out.",
            *cost_words(
                self, "outside of the tube", "fewer rows outside, and a function that bends more to please them"
            ),
        ]
        others: list[OtherCost] = []
        if X is not None:
            for factor in (1 / FACTOR, 1.0, FACTOR):
                other = self if factor == 1 else with_cost(self, self.C * factor, X, y, sample_weight)
                others.append(other_cost(other, other._margins() * other._target_spread, 1 - other.score(X, y)))
        parts = machine_parts(self, [""], [(above, len(self.support_) - above)], margins)
        n_bounded = int(self._at_bound.sum())
        return MachineSummary(
            self._title(), (), parts, len(self.support_), n_bounded, tuple(words), tuple(others), "1 − R²", "1/|w|"
        )

    def _predict(self, table: Table) -> Array:
        return self._sums(table)[:, 0]

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """What each support vector, or each column, adds to the prediction."""
        total = float(self._predict(row)[0])
        if self.is_linear:
            coef, intercept = self._coefficients()
            evidence, base = column_evidence(self._design, self._mean, row, coef[0], float(intercept[0]))
            return Explanation(total, "sum", base, "average row", evidence, total, "prediction")
        parts = self._weights[:, 0] * self._likeness(row)
        told = support_evidence(self.support_, self._support_targets.tolist(), parts)
        return explain_by_support(total, "sum", self.intercept_, told, total, "prediction")

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._weights.shape[1] != 1 or self._support_targets.shape != self.support_.shape:
            raise SavedModelError("The machine does not fit its support vectors.")


def _with_column(z: Any, column: Array) -> Any:
    if isinstance(z, np.ndarray):
        return np.column_stack([z, column])
    from scipy.sparse import csr_matrix, hstack

    return csr_matrix(hstack([z, csr_matrix(column[:, None])]))
