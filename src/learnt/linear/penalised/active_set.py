"""The exact solution of lasso and elastic net from one nearby: columns enter and leave until the conditions hold."""

from __future__ import annotations

import math

import numpy as np

from learnt.data.table import Array
from learnt.linear.penalised.penalty import Penalty
from learnt.linear.penalised.problem import Problem

#: More columns, or more exchanges of columns, are left to coordinate descent; the latter cost k³/3 each.
MOST_COLUMNS, MOST_EXCHANGES, MOST_WORK = 2000, 200, 5e9
#: Systems worse conditioned than that are taken for singular: columns are collinear.
WORST_CONDITION = 1e13


def exact_solution(problem: Problem, penalty: Penalty, alpha: float, coef: Array) -> Array | None:
    """Coefficients that meet the conditions of optimality to rounding; None if too much has to change.

    With the signs given, those not zero solve (H + l2) b = c − l1·sign. Where that would turn a sign, the way there is
    gone as far as the first zero, and that column leaves; where it does not, the column outside that is pulled hardest
    enters. Every exchange lowers the objective (Osborne, Presnell and Turlach, 2000).
    """
    columns = np.flatnonzero((coef != 0) & (problem.square > 0))
    if len(columns) > MOST_COLUMNS:
        return None
    l1, l2 = penalty.l1(alpha), penalty.l2(alpha)
    b, sign = coef[columns].copy(), np.sign(coef[columns])
    hessian = problem.hessian(columns)
    for _ in range(int(np.clip(MOST_WORK / max(len(columns), 1) ** 3, 5, MOST_EXCHANGES))):
        right = problem.target_products[columns] - l1[columns] * sign
        aim = solve_system(hessian + np.diag(l2[columns]), right)
        if aim is None:
            way = _along_the_null_space(hessian, l1[columns] * sign)
            if way is None:
                return None
            first = _first_zero(b, way, sign)
        else:
            way = aim - b
            first = _first_zero(b, way, sign) if (aim * sign <= 0).any() else None
        if first is not None:
            keep = np.arange(len(columns)) != first
            b = (b - b[first] / way[first] * way)[keep] if way[first] != 0 else b[keep]
            columns, sign, hessian = columns[keep], sign[keep], hessian[np.ix_(keep, keep)]
            continue
        if aim is None:
            return None
        b = _refined(hessian + np.diag(l2[columns]), right, aim)
        whole = np.zeros_like(coef)
        whole[columns] = b
        pull = problem.correlations(whole)
        if not is_level(problem, columns, pull[columns] - l2[columns] * b - l1[columns] * sign):
            return None
        enters = _pulled_hardest(problem, penalty, alpha, np.where(whole == 0, pull, 0.0))
        if enters is None:
            return whole
        if len(columns) >= MOST_COLUMNS:
            return None
        j, direction = enters
        columns, sign, b = np.append(columns, j), np.append(sign, direction), np.append(b, 0.0)
        hessian = problem.hessian(columns)
    return None


def _first_zero(b: Array, way: Array, sign: Array) -> int | None:
    """Which coefficient reaches zero first on the way; one that stands there and would turn its sign, at once."""
    back = way * sign < 0
    if not back.any():
        return None
    share = np.where(back, b / np.where(back, -way, 1.0), np.inf)
    return int(np.argmin(share))


def _along_the_null_space(hessian: Array, gradient: Array) -> Array | None:
    """Collinear columns: a direction that leaves the fit as it is and lowers the penalty; None if there is none."""
    size = np.sqrt(np.maximum(np.diagonal(hessian), np.finfo(np.float64).tiny))
    _, vectors = np.linalg.eigh(hessian / np.outer(size, size))
    way: Array = vectors[:, 0] / size
    fall = float(gradient @ way)
    return None if fall == 0 else -np.sign(fall) * way


def is_level(problem: Problem, columns: Array, gradient: Array) -> bool:
    """Whether the objective is level along columns that are not zero, as far as rounding lets us see."""
    size = math.sqrt(problem.target_square) * np.sqrt(problem.square[columns])
    return bool((np.abs(gradient) <= 1e-9 * size).all())


def _pulled_hardest(problem: Problem, penalty: Penalty, alpha: float, pull: Array) -> tuple[int, float] | None:
    """The column at zero that its penalty does not hold, and its sign."""
    pull = np.where(problem.square > 0, pull, 0.0)
    size = np.maximum(pull, 0) if penalty.positive else np.abs(pull)
    l1 = penalty.l1(alpha)
    held = l1 * (1 + 1e-9) + 1e-14 * math.sqrt(problem.target_square) * np.sqrt(problem.square)
    unit = float(np.max(l1, initial=0.0, where=np.isfinite(l1))) or 1.0  # next to which no quotient overflows
    with np.errstate(divide="ignore", over="ignore"):  # what costs nothing, or next to nothing, enters first
        ratio = np.divide(size, l1 / unit, out=np.zeros_like(size), where=size > held)
    j = int(np.argmax(ratio)) if len(ratio) else 0
    return (j, float(np.sign(pull[j]))) if len(ratio) and ratio[j] > 0 else None


def _refined(matrix: Array, right: Array, b: Array) -> Array:
    """One step of refinement: the digits that the condition took away, as far as residuals show them."""
    more = solve_system(matrix, right - matrix @ b)
    return b if more is None else b + more


def solve_system(matrix: Array, right: Array, worst_condition: float = WORST_CONDITION) -> Array | None:
    """By Cholesky in unit diagonal; None where the matrix is singular for all we can tell."""
    from scipy.linalg import lapack

    if len(matrix) == 0:
        return right
    diagonal = np.diagonal(matrix)
    if not (diagonal > 0).all():
        return None
    size = np.sqrt(diagonal)
    scaled = matrix / np.outer(size, size)
    factor, failed = lapack.dpotrf(scaled, lower=1)
    if failed:
        return None
    reciprocal, _ = lapack.dpocon(factor, np.abs(scaled).sum(axis=0).max(), uplo="L")
    if reciprocal < 1 / worst_condition:
        return None
    solution, _ = lapack.dpotrs(factor, right / size, lower=1)
    step: Array = solution / size
    return step
