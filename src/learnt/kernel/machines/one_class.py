"""The one-class machine: where the bulk of the rows lies."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

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
from learnt.kernel.machines.summary import MachineSummary, machine_parts, share_words
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Real
from learnt.linear import scaled_rows


class OneClassSVM(KernelMachine, listed=False):
    """A border around the bulk of the rows: at most a share ν of them lies outside.

        minimise  ½|w|² − ρ Σw + (1/ν) Σ w_i max(0, ρ − w·φ(x_i))

    >>> table = {"x": [0.0, 0.1, -0.1, 0.2, -0.2, 8.0]}
    >>> OneClassSVM(nu=0.2).fit(table).predict({"x": [0.05, 4.0, 20.0]}).tolist()
    [1, -1, -1]

    {settings}

    Attributes: `support_`, the numbers of the rows on or outside of the border; `dual_coef_`; `offset_`, ρ; `gap_`,
    `violation_`, `n_iter_`, `converged_` as those of `SVC`.

    Reference: B. Schölkopf et al., Estimating the support of a high-dimensional distribution, 2001.
    """

    task = "density"
    abilities = frozenset({"missing", "nominal", "weights", "sparse", "pairwise"})

    nu: float = setting(
        Real(above=0, high=1),
        "the share of rows outside, at most",
        default=0.5,
        before="kernel",
    )

    _total: float = attribute()  # the weight of all rows

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        found = yield from self._encode(training)
        z = scaled_rows(found.matrix, self._scaling)
        n = z.shape[0]
        distinct = distinct_rows(self._compared(z), np.zeros(n, np.int64), found.weights, 1)
        w = distinct.weights
        self._total = float(w.sum())
        # A feasible start: rows in their order are filled up to their weight, until ν of it is used.
        used = np.minimum(np.maximum(float(self.nu) * self._total - (np.cumsum(w) - w), 0.0), w)
        starts, ids = np.array([0, len(w)], np.int64), np.arange(len(w), dtype=np.int64)
        problems = Problems(starts, ids, np.zeros(len(w)), np.zeros(len(w)), w, used)
        # Scores are as large as the coefficients, so that what is near enough is too.
        near = min(1.0, float(self.nu) * self._total)
        solved = self._solve(self._kernel_rows(z, distinct.first), problems, nearer=near)
        if not np.isfinite(solved.offsets).all():  # ν = 1: every row is outside, and of all such borders the nearest
            solved.ends[0, [0, 3]] = -float(solved.values.max()), 0.0
        self._keep(z, distinct, solved.beta[:, None], w, solved.offsets, solved)

    @property
    def offset_(self) -> float:
        """ρ: what the sum of kernel values must reach inside of the border."""
        return -float(self._offsets[0])

    def score_samples(self, X: Any) -> Array:
        """Σ α k(x_i, x): the larger, the more like the bulk of the rows."""
        return self.decision_function(X) + self.offset_

    def decision_function(self, X: Any) -> Array:
        """Above 0 inside of the border, below 0 outside."""
        still = self._still()
        sums: Array = still._over(X, still._sums)
        return sums[:, 0]

    def predict(self, X: Any) -> Array:
        """1 inside of the border, −1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Fit, and which rows are inside (1) or outside (−1)."""
        return self.fit(X, y, sample_weight).predict(X)

    def plot_margin(
        self, X: Any, columns: Sequence[str] | None = None, *, resolution: int = 200, ax: Any = None
    ) -> Any:
        """Draw the border around the bulk of the rows and the support vectors over two columns; returns the matplotlib
        axes. `X` are the rows of the fit. Other columns are held at their median or most frequent label."""
        from learnt.plot.machines import plot_bulk

        return plot_bulk(self, X, columns, resolution, ax)

    def plot_coefficients(self, X: Any, *, ax: Any = None) -> Any:
        """Draw the coefficient α of each row against its score; returns the matplotlib axes. `X` are the rows of the
        fit."""
        from learnt.plot.machines import plot_bulk_coefficients

        return plot_bulk_coefficients(self, X, ax)

    def summary(self) -> MachineSummary:
        """The distance of the border from the origin of the kernel's space, support vectors, those outside of the
        border, the gap and the violation of the optimality conditions; and what ν did."""
        self._fitted_schema()
        offset = abs(self.offset_)
        distances = (
            self._margins() * offset if offset else np.zeros(1)
        )  # all kernel values may be 0, and margins infinite
        parts = machine_parts(self, [""], [(len(self.support_),)], distances)
        n_bounded = int(self._at_bound.sum())
        words = tuple(share_words(self))
        return MachineSummary(self._title(), (), parts, len(self.support_), n_bounded, words, margin_name="distance")

    def _explain(self, table: Table) -> Explanations:
        return Explanations(table.n_rows, lambda i: self._explain_row(table.rows(i, i + 1)))

    def _explain_row(self, row: Table) -> Explanation:
        """What each support vector, or each column, adds to the score."""
        total = float(self._sums(row)[0, 0])
        answer = 1 if total >= 0 else -1
        if self.is_linear:
            coef, intercept = self._coefficients()
            evidence, base = column_evidence(self._design, self._mean, row, coef[0], float(intercept[0]))
            return Explanation(answer, "sum", base, "average row", evidence, total, "score")
        parts = self._weights[:, 0] * self._likeness(row)
        told = support_evidence(self.support_, [None] * len(parts), parts)
        return explain_by_support(answer, "sum", float(self._offsets[0]), told, total, "score")

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if self._weights.shape[1] != 1:
            raise SavedModelError("The machine does not fit its support vectors.")
