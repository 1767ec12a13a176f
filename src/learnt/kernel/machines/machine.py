"""What machines of support vectors share: rows as numbers, a kernel, and sums of its values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.design import Design
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.engine.passes import Pass
from learnt.engine.survey import check_finite
from learnt.engine.training import Training
from learnt.errors import AbsentAttributeError, InputError, SavedModelError, convergence_warning
from learnt.kernel.distinct_rows import DistinctRows
from learnt.kernel.functions import NAMES, FunctionKernel, Kernel
from learnt.kernel.machines.solving import KernelRows, Problems, Solved, solve
from learnt.learner.base import Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, Flag, OneOf, Real, Whole
from learnt.linear import Encoded, Scaling, encode_training, plain_scaling, scaled_rows, standard_scaling
from learnt.show.numbers import number

#: A dual beyond this, in units of the kernel's own size, has no bound: no margin is left that rounding would not eat.
NO_MARGIN = 1e10
#: Working sets after which a border without mistakes counts as not there: rows that cannot be separated have no end.
HARD_ROUNDS = 200


class _AnyKernel(Domain):
    words = "a Kernel, or a function of two matrices"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Kernel) or (callable(value) and not isinstance(value, type))


class KernelMachine(Learner, abstract=True):
    """Keeps the rows that matter, with their coefficients: a score is Σ β_i k(x_i, x) + b."""

    kernel: Any = setting(
        OneOf(*NAMES, "poly", "precomputed") | _AnyKernel(),
        'which: "linear", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", a `Kernel`, a function of two '
        'matrices, or "precomputed", where `X` holds the kernel of each row with each fitted row',
        default="rbf",
    )
    degree: int = setting(Whole(0), 'of "polynomial"', default=3)
    gamma: Any = setting(
        OneOf("scale", "auto") | Real(above=0),
        'γ; "scale": 1 over the sum of the variances of the columns, "auto": 1 over their number',
        default="scale",
    )
    coef0: float = setting(Real(), 'of "polynomial" and "sigmoid"', default=0.0)
    tol: float = setting(Real(0), "the optimality conditions may be violated by so much", default=1e-3)
    max_iter: int = setting(Whole(-1), "working sets solved at most; −1: as many as it takes", default=-1)
    shrinking: bool = setting(Flag(), "set rows aside that stay at a bound, and check them at the end", default=True)
    standardize: bool = setting(Flag(), "centre numbers and divide them by their spread", default=True)

    support_: Array = attribute()
    n_iter_: Any = attribute()
    converged_: bool = attribute()
    gap_: Any = attribute()
    violation_: Any = attribute()
    _design: Design = attribute()
    _scaling: Scaling = attribute()
    _mean: Array = attribute()
    _kernel: Kernel | None = attribute()  # with its gamma; None where values are given
    _rows: Any = attribute()  # the support, centred and scaled: dense, CSR, or None where values are given
    _weights: Array = attribute()  # support × scores
    _offsets: Array = attribute()

    def _encode(self, training: Training) -> Generator[Pass, Any, Encoded]:
        """The rows as numbers; decides scaling and kernel."""
        found = yield from encode_training(training, drop_reference=False)
        self._design, self._mean = found.design, found.mean
        given = self.kernel == "precomputed"
        if given:
            self._check_given(found)
        # Distances do not change when rows are shifted; products do, and sparse rows are not shifted.
        center = isinstance(found.matrix, np.ndarray)
        scaling = standard_scaling(found, center=center) if self.standardize and not given else plain_scaling(found)
        if given:
            scaling = Scaling(np.zeros_like(scaling.shift), np.ones_like(scaling.scale))
        self._scaling = scaling
        self._kernel = None if given else self._kernel_for(found)
        return found

    def _kernel_for(self, found: Encoded) -> Kernel:
        variance = float((found.variance * self._scaling.scale**2).sum())
        columns = int(np.count_nonzero(self._scaling.scale)) or 1
        gamma = float(self.gamma) if not isinstance(self.gamma, str) else 1.0 / columns
        if self.gamma == "scale":
            gamma = 1 / variance if variance > 0 else 1.0
        if isinstance(self.kernel, Kernel):
            return self.kernel.for_columns(columns)
        if callable(self.kernel):
            return FunctionKernel(self.kernel, gamma)
        return Kernel(str(self.kernel), gamma, float(self.coef0), int(self.degree))

    def _check_given(self, found: Encoded) -> None:
        n, p = found.matrix.shape
        if not found.design.schema.all_numeric or n != p:
            raise InputError(
                f'{type(self).__name__}(kernel="precomputed") was given {n} × {p} values. '
                "Expected a square matrix of numbers: the kernel of every row with every row."
            )
        x = found.matrix if isinstance(found.matrix, np.ndarray) else found.matrix.toarray()
        apart = np.abs(x - x.T)
        if apart.max(initial=0.0) > 1e-8 * np.abs(x).max(initial=0.0):
            i, j = (int(a) for a in np.unravel_index(int(apart.argmax()), apart.shape))
            raise InputError(
                f"The matrix given as kernel is not symmetric: {number(x[i, j])} in row {i}, column {j}, and "
                f"{number(x[j, i])} in row {j}, column {i}."
            )

    def _compared(self, z: Any) -> Any:
        """What makes rows equal: their columns that vary; rows of given values are each their own."""
        if self._kernel is None:
            return np.arange(z.shape[0], dtype=np.float64)[:, None]
        varying = np.flatnonzero(self._scaling.scale)
        return z if len(varying) == z.shape[1] else z[:, varying]

    def _kernel_rows(self, z: Any, chosen: Array) -> KernelRows:
        """Of the rows that differ."""
        owner = type(self).__name__
        if self._kernel is None:
            x = z if isinstance(z, np.ndarray) else z.toarray()
            return KernelRows.of(None, x[np.ix_(chosen, chosen)], owner)
        return KernelRows.of(self._kernel, z[chosen], owner)

    def _solve(self, rows: KernelRows, problems: Problems, *, hard: bool = False) -> Solved:
        most = np.inf
        if hard:
            size = _typical_size(rows)
            most = NO_MARGIN / size if size > 0 else NO_MARGIN
        rounds = (HARD_ROUNDS if hard else 1_000_000) if self.max_iter < 0 else int(self.max_iter)
        return solve(
            rows,
            problems,
            tolerance=float(self.tol),
            rounds=rounds,
            most_objective=most,
            shrinking=bool(self.shrinking),
        )

    def _keep(self, z: Any, distinct: DistinctRows, weights: Array, offsets: Array, solved: Solved) -> None:
        """Keep the rows whose coefficients are not 0; `weights` are those of all rows that differ, rows × scores."""
        used = np.flatnonzero(weights.any(axis=1))
        used = used[np.argsort(distinct.first[used])]
        self.support_ = distinct.first[used]
        self._rows = None if self._kernel is None else z[self.support_]
        self._weights, self._offsets = np.ascontiguousarray(weights[used]), np.array(offsets, dtype=np.float64)
        single = len(solved.ends) == 1
        take: Callable[[Array], Any] = (lambda a: a[0].item()) if single else (lambda a: a)
        self.n_iter_, self.gap_, self.violation_ = take(solved.steps), take(solved.gaps), take(solved.violations)
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

    def _numbers(self, table: Table) -> Any:
        return scaled_rows(self._design.encode(table), self._scaling)

    def _sums(self, table: Table) -> Array:
        """Σ β k(x_i, x) + b: rows × scores."""
        check_finite(table)
        found = np.tile(self._offsets, (table.n_rows, 1))
        if not len(self.support_):
            return found
        for start in range(0, table.n_rows, ENCODED_ROWS):
            part = table.rows(start, start + ENCODED_ROWS)
            self._add_sums(self._numbers(part), found[start : start + ENCODED_ROWS])
        lost = np.isnan(found).any(axis=1)
        if lost.any():
            raise InputError(
                f"Row {int(lost.argmax())} holds values so large that the kernel overflows. Expected cells like those "
                "fitted."
            )
        return found

    def _add_sums(self, z: Any, sums: Array) -> None:
        if self._kernel is None:
            x = z if isinstance(z, np.ndarray) else z.toarray()
            likeness = x[:, self.support_]
        elif self._kernel.is_plain and isinstance(z, np.ndarray) and isinstance(self._rows, np.ndarray):
            _core.add_kernel_sums(self._kernel.options(), np.ascontiguousarray(z), self._rows, self._weights, sums)
            return
        else:
            likeness = self._kernel(z, self._rows)
        for m in range(sums.shape[1]):  # row by row, so that the bits of a row do not depend on its neighbours
            sums[:, m] += (likeness * self._weights[:, m]).sum(axis=1)

    def _likeness(self, row: Table) -> Array:
        """k of a row with each support vector."""
        z = self._numbers(row)
        if self._kernel is None:
            given: Array = np.asarray(z if isinstance(z, np.ndarray) else z.toarray(), dtype=np.float64)
            return np.asarray(given[0, self.support_])
        values: Array = self._kernel(z, self._rows)[0]
        return values

    @property
    def dual_coef_(self) -> Array:
        """β of the support vectors, α·y where there are classes: scores (pairs of classes) × support vectors."""
        return self._weights.T

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
        if self._kernel is not None and (self._rows is None or self._rows.shape != (s, p)):
            raise SavedModelError("The support vectors do not fit the columns.")
        if self._kernel is None and s and (self.support_.min() < 0 or self.support_.max() >= p):
            raise SavedModelError("The support vectors do not fit the columns.")
        if self._scaling.scale.shape != (p,) or self._mean.shape != (p,) or self._design.schema != self._schema:
            raise SavedModelError("The scaling does not fit the columns.")


def _typical_size(rows: KernelRows) -> float:
    """The mean of k(x, x)."""
    if rows.gram is not None:
        return float(np.abs(np.diagonal(rows.gram)).mean())
    assert rows.kernel is not None
    some = rows.x[:: max(1, rows.x.shape[0] // 100)]
    return float(np.abs(np.diagonal(rows.kernel(some))).mean())
