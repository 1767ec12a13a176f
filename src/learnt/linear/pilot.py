"""A first fit that tells large effects from small ones: what the adaptive lasso divides its penalties by."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.linear.penalised_problem import Problem, RowProblem
from learnt.linear.row_side import RowSide

#: Rows or columns, whichever are fewer: their matrix is decomposed.
MOST = 5000


def pilot_coefficients(problem: Problem) -> Array:
    """Ridge on standardised columns, its penalty by generalised cross-validation

        GCV(λ) = RSS(λ) / (1 − (1 + Σ_k d_k/(d_k + λ)) / n)²

    with d the eigenvalues of the cross products. Columns that do not vary get 0.
    """
    used = np.flatnonzero(problem.square > 0)
    coef = np.zeros(len(problem.square))
    if len(used) == 0 or problem.target_square <= 0:
        return coef
    if isinstance(problem, RowProblem):
        n = len(problem.target)
        check_size(n, len(used))
        if n < len(used):
            side = RowSide(problem, standardize=True)
            return side.solve(_penalty(side.values, side.along, problem)).coef
    spread = problem.spread[used]
    values, basis = np.linalg.eigh(problem.hessian(used) / np.outer(spread, spread))
    values, basis = np.maximum(values[::-1], 0), basis[:, ::-1]
    reached = values > 1e-12 * values[0]  # along the others nothing but rounding lies
    loading = np.where(reached, basis.T @ (problem.target_products[used] / spread), 0.0)
    along = np.divide(loading, np.sqrt(values), out=np.zeros_like(loading), where=reached)
    coef[used] = basis @ (loading / (values + _penalty(values, along, problem))) / spread
    return coef


def _penalty(values: Array, along: Array, problem: Problem) -> float:
    grid = values[0] * np.geomspace(1e-8, 10, 55)
    rest = max(problem.target_square - float(along @ along), 0.0)
    keep = values / (values + grid[:, None])  # of each direction, by penalty
    unexplained = rest + ((1 - keep) ** 2) @ along**2
    free = np.maximum(1 - (1 + keep.sum(axis=1)) / problem.weight, 1e-9)
    return float(grid[np.argmin(unexplained / free**2)])


def check_size(rows: int, columns: int) -> None:
    if min(rows, columns) > MOST:
        raise InputError(
            f"adaptive=True begins with ridge regression, which needs at most {MOST:,} rows or columns; "
            f"here are {rows:,} and {columns:,}. Use adaptive=False."
        )
