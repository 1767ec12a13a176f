"""A first fit that tells large effects from small ones: what the adaptive lasso divides its penalties by."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.linear.penalised.choice import folds_of
from learnt.linear.penalised.problem import Problem, RowProblem
from learnt.linear.penalised.row_side import RowSide

#: Up to so many rows or columns, whichever are fewer, their matrix is decomposed.
MOST = 5000
#: Beyond: how many penalties are tried, on one of how many rows, and how far conjugate gradients go; a pilot need not
#: be exact.
TRIED, HELD_OUT, TOLERANCE, STEPS = 13, 10, 1e-3, 200


def pilot_coefficients(problem: Problem) -> Array:
    """Ridge on standardised columns, its penalty by generalised cross-validation

        GCV(λ) = RSS(λ) / (1 − (1 + Σ_k d_k/(d_k + λ)) / n)²

    with d the eigenvalues of the cross products. Columns that do not vary get 0. Where rows and columns are too many
    for eigenvalues, the penalty is the one that predicts a tenth of the rows best.
    """
    used = np.flatnonzero(problem.square > 0)
    coef = np.zeros(len(problem.square))
    if len(used) == 0 or problem.target_square <= 0:
        return coef
    if isinstance(problem, RowProblem):
        n = len(problem.target)
        if min(n, len(used)) > MOST:
            return _by_steps(problem)
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
    share = unexplained / problem.target_square  # large squares overflow over small ones
    return float(grid[np.argmin(share / free**2)])


def _by_steps(problem: RowProblem) -> Array:
    """Without a decomposition: the penalty falls until rows held out are predicted worse, then all rows are used."""
    n = len(problem.target)
    w = np.ones(n) if problem.share is None else problem.share * problem.weight
    y = problem.target + problem.target_mean if problem.intercept else problem.target
    out = (folds_of(0, n, HELD_OUT) == 0) & (w > 0)
    if out.all() or not out.any():
        return _ridge(problem, 1.0, None)
    part = RowProblem(problem.x, y, np.where(out, 0.0, w), problem.intercept)
    test = problem.x.tocsr()[out] if problem.sparse else problem.x[out]
    # The eigenvalues of standardised columns add up to their number p: none is larger, and of those not 0 the mean is
    # p/n at least.
    p = float(np.count_nonzero(problem.square))
    best, least, coef = p, np.inf, None
    for penalty in np.geomspace(p, 0.01 * max(1.0, p / n), TRIED).tolist():
        coef = _ridge(part, penalty, coef)
        error = float(np.average((y[out] - test @ coef - part.constant_term(coef)) ** 2, weights=w[out]))
        if error > 1.01 * least:
            break
        if error < least:
            best, least = penalty, error
    return _ridge(problem, best, None)


def _ridge(problem: Problem, penalty: float, start: Array | None) -> Array:
    """By conjugate gradients on standardised columns."""
    used = problem.square > 0
    scale = np.where(used, 1 / problem.spread, 0.0)

    def curvature(v: Array) -> Array:
        product: Array = scale * (problem.target_products - problem.correlations(scale * v)) + penalty * v
        return product

    aim = scale * problem.target_products
    solution = np.zeros_like(aim) if start is None else np.where(used, start * problem.spread, 0.0)
    left = aim - curvature(solution)
    direction, error = left.copy(), float(left @ left)
    for _ in range(STEPS):
        if error <= TOLERANCE**2 * float(aim @ aim):
            break
        product = curvature(direction)
        step = error / float(direction @ product)
        solution += step * direction
        left -= step * product
        before, error = error, float(left @ left)
        direction = left + error / before * direction
    coef: Array = scale * solution
    return coef
