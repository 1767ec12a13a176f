"""The exact solution of the group lasso, once it is known which groups are not zero."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.linear.penalised.active_set import MOST_COLUMNS, is_level, solve_system
from learnt.linear.penalised.penalty import Penalty
from learnt.linear.penalised.problem import Problem


def exact_groups(problem: Problem, penalty: Penalty, alpha: float, coef: Array) -> Array | None:
    """Coefficients that meet the conditions of optimality to rounding, or None where `coef` does not lead to them.

    On the groups that are not zero, Newton's method on

        H b − c + l1_g b_g/|b_g| + l2_g b_g = 0;

    then no other group may be pulled harder than its penalty holds it.
    """
    group, live = penalty.group_of_column(), penalty.lengths(coef) > 0
    columns = np.flatnonzero(live[group] & (problem.square > 0))
    if not 0 < len(columns) <= MOST_COLUMNS:
        return None
    of = group[columns]
    l1, l2 = penalty.l1(alpha)[of], penalty.l2(alpha)[of]
    b = _newton(problem.hessian(columns), problem.target_products[columns], l1, l2, of, coef[columns])
    if b is None:
        return None
    whole = np.zeros_like(coef)
    whole[columns] = b
    pull = np.where(problem.square > 0, problem.correlations(whole), 0.0)
    if not is_level(problem, columns, pull[columns] - l2 * b - l1 * b / penalty.lengths(whole)[of]):
        return None
    pull = penalty.lengths(pull)
    slack = 1e-14 * np.sqrt(problem.target_square) * np.sqrt(problem.square.max())
    return whole if (pull[~live] <= penalty.l1(alpha)[~live] * (1 + 1e-9) + slack).all() else None


def _newton(hessian: Array, wanted: Array, l1: Array, l2: Array, of: Array, start: Array) -> Array | None:
    """From `start`; None where a group turns round, the matrix is singular, or the steps do not shrink."""
    b, before = start.copy(), np.inf
    inside = of[:, None] == of[None, :]
    for _ in range(30):
        length = np.sqrt(np.bincount(of, weights=b**2)[of])
        if not (length > 0).all():  # a group whose square has vanished
            return None
        unit = b / length
        gradient = hessian @ b - wanted + l1 * unit + l2 * b
        bend = np.diag(l2 + l1 / length) - np.where(inside, np.outer(unit * l1 / length, unit), 0.0)
        step = solve_system(hessian + bend, gradient)
        if step is None:
            return None
        b = b - step
        if not np.isfinite(b).all() or not (np.bincount(of, weights=b * start)[of] > 0).all():
            return None
        moved, size = np.abs(step).max(), np.abs(b).max()
        if moved <= 1e-15 * size or (moved <= 1e-8 * size and moved > before / 4):  # nothing but rounding is left
            return b
        before = moved
    return None
