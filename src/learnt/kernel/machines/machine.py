"""What machines of support vectors share: rows as numbers, a kernel, and sums of its values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.survey import check_finite
from learnt.errors import AbsentAttributeError, InputError, SavedModelError, convergence_warning
from learnt.kernel.distinct_rows import DistinctRows, distinct_rows
from learnt.kernel.ends import check_ends
from learnt.kernel.machines.solving import KernelRows, Problems, Solved, solve
from learnt.kernel.space import KernelLearner, add_sums, refuse_lost
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, Real, Whole
from learnt.show.numbers import number
from learnt.show.words import count_of


class KernelMachine(KernelLearner, abstract=True):
    """Keeps the rows that matter, with their coefficients: a score is Σ β_i k(x_i, x) + b."""

    tol: float = setting(Real(0), "the optimality conditions may be violated by so much", default=1e-3)
    max_iter: int = setting(Whole(-1), "working sets solved at most; −1: as many as it takes", default=-1)
    shrinking: bool = setting(Flag(), "set rows aside that stay at a bound, and check them at the end", default=True)

    support_: Array = attribute()
    n_iter_: Any = attribute()
    converged_: bool = attribute()
    gap_: Any = attribute()
    violation_: Any = attribute()
    objective_: Any = attribute()
    _rows: Any = attribute()  # the support, centred and scaled: dense, CSR, or None where values are given
    _weights: Array = attribute()  # support × scores
    _offsets: Array = attribute()
    _bounds: Array = attribute()  # what the coefficients of each support vector may be at most

    def _kernel_rows(self, z: Any, chosen: Array) -> KernelRows:
        """Of the rows that differ."""
        owner = type(self).__name__
        if self._kernel is None:
            x = z if isinstance(z, np.ndarray) else z.toarray()
            return KernelRows.of(None, x[np.ix_(chosen, chosen)], owner)
        return KernelRows.of(self._kernel, z[chosen], owner)

    def _solve(
        self,
        rows: KernelRows,
        problems: Problems,
        *,
        rounds: int = 1_000_000,
        most_objective: float = np.inf,
        nearer: float = 1.0,
    ) -> Solved:
        return solve(
            rows,
            problems,
            tolerance=float(self.tol) * nearer,
            rounds=rounds if self.max_iter < 0 else min(rounds, int(self.max_iter)),
            most_objective=most_objective,
            shrinking=bool(self.shrinking),
        )

    def _keep(
        self, z: Any, distinct: DistinctRows, weights: Array, bounds: Array, offsets: Array, solved: Solved
    ) -> None:
        """Keep the rows whose coefficients are not 0; `weights` are those of all rows that differ, rows × scores, and
        `bounds` what they may be at most."""
        used = np.flatnonzero(weights.any(axis=1))
        used = used[np.argsort(distinct.first[used])]
        self.support_ = distinct.first[used]
        self._rows = None if self._kernel is None else z[self.support_]
        self._weights, self._offsets = np.ascontiguousarray(weights[used]), np.array(offsets, dtype=np.float64)
        self._bounds = bounds[used]
        single = len(solved.ends) == 1
        take: Callable[[Array], Any] = (lambda a: a[0].item()) if single else (lambda a: a)
        self.n_iter_, self.gap_, self.violation_ = take(solved.steps), take(solved.gaps), take(solved.violations)
        self.objective_ = take(solved.objectives)
        self.converged_ = bool(solved.converged.all())
        if not self.converged_:
            worst = float(solved.violations.max())
            warnings.warn(
                convergence_warning(
                    f"{type(self).__name__} ended before the optimality conditions held: they are violated by "
                    f"{number(worst)}, and tol is {number(float(self.tol))}. Use a larger max_iter, or a smaller C."
                ),
                stacklevel=2,
            )

    # Scores

    def _sums(self, table: Table) -> Array:
        """Σ β k(x_i, x) + b: rows × scores."""
        check_finite(table)
        found = np.tile(self._offsets, (table.n_rows, 1))
        if not len(self.support_):
            return found
        for start in range(0, table.n_rows, ENCODED_ROWS):
            part = table.rows(start, start + ENCODED_ROWS)
            self._add_sums(self._numbers(part), found[start : start + ENCODED_ROWS])
        refuse_lost(found)
        return found

    def _add_sums(self, z: Any, sums: Array) -> None:
        if self._kernel is None:
            x = z if isinstance(z, np.ndarray) else z.toarray()
            likeness = x[:, self.support_]
            for m in range(sums.shape[1]):  # row by row, so that the bits of a row do not depend on its neighbours
                sums[:, m] += (likeness * self._weights[:, m]).sum(axis=1)
        else:
            add_sums(self._kernel, z, self._rows, self._weights, sums)

    def _likeness(self, row: Table) -> Array:
        """k of a row with each support vector."""
        z = self._numbers(row)
        if self._kernel is None:
            given: Array = np.asarray(z if isinstance(z, np.ndarray) else z.toarray(), dtype=np.float64)
            return np.asarray(given[0, self.support_])
        values: Array = self._kernel(z, self._rows)[0]
        return values

    @property
    def _at_bound(self) -> Array:
        """Which coefficients are as large as they may be: support vectors × scores."""
        return np.asarray(np.abs(self._weights) >= self._bounds[:, None])

    def _check_training_rows(self, table: Table) -> None:
        """Row numbers of the support are those of the table of the fit."""
        known = not len(self.support_) or int(self.support_.max()) < table.n_rows
        if known and self._rows is not None and len(self.support_):
            again = self._numbers(self._matched(table).take(self.support_))
            apart = np.abs(again - self._rows)
            known = float(apart.max(initial=0.0)) <= 1e-9 * max(1.0, float(np.abs(self._rows).max(initial=0.0)))
        if not known:
            raise InputError(
                f"The support vectors of this {type(self).__name__} are not among the rows of X. Expected the table "
                "it was fitted to."
            )

    def _first_rows(self, table: Table, groups: Array) -> Array:
        """The number of a row of each kind, of those that `groups` tell apart: equal rows have one coefficient."""
        _, codes = np.unique(groups, return_inverse=True)
        found = distinct_rows(
            self._compared(self._numbers(self._matched(table))), codes, None, int(codes.max(initial=0)) + 1
        )
        return found.first

    @property
    def dual_coef_(self) -> Array:
        """β of the support vectors, α·y where there are classes: scores (pairs of classes) × support vectors."""
        return self._weights.T

    # What was learnt

    def _length_of(self, m: int) -> float:
        """|w| of a machine."""
        w = self._weights[:, m]
        used = np.flatnonzero(w)
        if self._kernel is None:
            return float("nan")  # the values of the support vectors with each other are not kept
        total, unit = 0.0, float(np.abs(w).max(initial=0.0)) or 1.0  # squares of weights of 1e200 are none
        w = w / unit
        for start in range(0, len(used), 1024):
            some = used[start : start + 1024]
            total += float(w[some] @ (self._kernel(self._rows[some], self._rows[used]) @ w[used]))
        return unit * math.sqrt(max(total, 0.0))

    def _margins(self) -> Array:
        """1/|w| of each machine."""
        lengths = np.array([self._length_of(m) for m in range(self._weights.shape[1])])
        with np.errstate(divide="ignore", over="ignore"):  # of a w of 0, or next to it, all rows are within
            return np.asarray(1 / lengths)

    def _title(self) -> str:
        """Its settings, and how many rows it keeps."""
        kernel = "given values" if self._kernel is None else f"kernel {self._kernel}"
        if self._kernel is not None and self._kernel.name in ("rbf", "laplacian", "polynomial", "sigmoid"):
            kernel += f", γ {number(float(self._kernel.gamma or 0))}"
        by = f"C {number(float(self.C))}" if hasattr(self, "C") else f"ν {number(float(getattr(self, 'nu', 0)))}"
        return f"{type(self).__name__}, {by}, {kernel}: {count_of(len(self.support_), 'support vector')}"

    # Linear machines have coefficients.

    @property
    def is_linear(self) -> bool:
        return self._kernel is not None and self._kernel.is_plain and self._kernel.name == "linear"

    def _coefficients(self) -> tuple[Array, Array]:
        """Of the columns of the design, in their units: scores × columns, and intercepts."""
        if not self.is_linear:
            raise AbsentAttributeError("coef_ and intercept_ are there for a linear kernel only. Set kernel='linear'.")
        rows = self._rows if isinstance(self._rows, np.ndarray) else self._rows.toarray()
        return self._scaling.in_units(self._weights.T @ rows, self._offsets)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        s, p = len(self.support_), self._design.n_columns
        if self._weights.ndim != 2 or len(self._weights) != s or self._offsets.shape != self._weights.shape[1:]:
            raise SavedModelError("The coefficients do not fit the support vectors.")
        check_ends(self.objective_, self.gap_, self.violation_, count=self._weights.shape[1])
        if self._bounds.shape != (s,):
            raise SavedModelError("The bounds do not fit the support vectors.")
        if self._kernel is not None and (self._rows is None or self._rows.shape != (s, p)):
            raise SavedModelError("The support vectors do not fit the columns.")
        if self._kernel is None and s and (self.support_.min() < 0 or self.support_.max() >= p):
            raise SavedModelError("The support vectors do not fit the columns.")
        if self._mean.shape != (p,):
            raise SavedModelError("The scaling does not fit the columns.")
