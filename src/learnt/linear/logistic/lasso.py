"""The step of Newton's method: the least of a quadratic, with or without an L1 penalty."""

from __future__ import annotations

import numpy as np

from learnt import _core
from learnt.data.table import Array

#: Eigenvalues of the standardised curvature below this part of the largest count as none.
SINGULAR = 1e-12


def least_of_quadratic(curvature: Array, gradient: Array, lasso: Array, point: Array, ridge: float) -> Array:
    """argmin_b ½ (b − a)ᵀ H (b − a) + g · (b − a) + Σ lasso |b| from a = `point`, K × (1 + p).

    Sweeps of coordinate descent find which coefficients are 0 and the signs of the others; with these known, the rest
    is a system of equations. The two alternate until a sweep finds nothing to change. `ridge` is l2 / l1², which says
    how coefficients of several classes are centred.
    """
    curvature, cost = np.ascontiguousarray(curvature), np.ascontiguousarray(lasso.ravel())
    start, gradient = point.ravel(), gradient.ravel()
    aim, left = start.copy(), gradient.copy()
    diagonal = np.diagonal(curvature)
    most = 0.0
    for _ in range(50):
        before = aim.copy()
        _core.descend_quadratic(curvature, cost, 1e-16 * most, 30, aim, left)
        gain = float(np.max(diagonal * (aim - before) ** 2, initial=0.0))
        most = max(most, gain)
        if gain <= 1e-14 * most:
            break
        aim = centred(aim.reshape(point.shape), lasso, ridge).ravel()
        left = gradient + curvature @ (aim - start)
        aim = _finished_aim(curvature, cost, aim, left)
        left = gradient + curvature @ (aim - start)
    return centred(aim.reshape(point.shape), lasso, ridge)


def _finished_aim(curvature: Array, cost: Array, aim: Array, gradient: Array) -> Array:
    """The least with the signs as they are; where one would change, as far as it stays, and that one becomes 0."""
    used = np.flatnonzero(((aim != 0) | (cost == 0)) & (np.diagonal(curvature) > 0))
    if not len(used):
        return aim
    wanted = gradient[used] + cost[used] * np.sign(aim[used])
    move = -solved(curvature[np.ix_(used, used)], wanted)
    crossing = (aim[used] * (aim[used] + move) < 0) & (cost[used] > 0)
    part = 1.0
    if crossing.any():
        shares = np.where(crossing, -aim[used] / np.where(crossing, move, 1.0), np.inf)
        part = float(shares.min())
    aim = aim.copy()
    aim[used] += part * move
    if crossing.any():
        aim[used[int(shares.argmin())]] = 0.0
    return aim


def centred(aim: Array, lasso: Array, ridge: float) -> Array:
    """Adding a number to a column's coefficients in all classes changes no probability: the cheapest is chosen.

    The c with least Σ |b_k − c| + ridge/2 Σ (b_k − c)² is the median of all b_k and of the points where the
    derivative would be 0 between two of them.
    """
    k = len(aim)
    if k == 1:
        return aim
    beta = aim[:, 1:]
    if ridge == 0:  # of an even number of classes any point between the middle two: the lower one makes a 0 more
        center = np.sort(beta, axis=0)[(k - 1) // 2]
    else:
        below = 2 * np.arange(k + 1)[:, None] - k
        # In standardised coordinates a column's lasso is l1 · scale and its ridge l2 · scale².
        with np.errstate(divide="ignore", invalid="ignore"):
            turns = (beta.sum(axis=0) - below / (ridge * lasso[0, 1:])) / k
        center = np.median(np.vstack([beta, turns]), axis=0)
    moved = aim.copy()
    moved[:, 1:] -= np.where(lasso[0, 1:] > 0, center, 0.0)
    return moved


def solved(curvature: Array, gradient: Array) -> Array:
    """curvature⁻¹ gradient; along directions without curvature, nothing: of all solutions the smallest."""
    from scipy.linalg import lapack

    if gradient.size == 0:
        return gradient.copy()
    idle = np.diagonal(curvature) <= 0
    if idle.any():  # columns that do not vary
        solution = np.zeros_like(gradient)
        part = np.flatnonzero(~idle)
        if len(part):
            solution[part] = solved(curvature[np.ix_(part, part)], gradient[part])
        return solution
    size = np.sqrt(np.diagonal(curvature))
    unit = curvature / size[:, None] / size
    factor, failed = lapack.dpotrf(unit, lower=1)
    if not failed:
        reciprocal, _ = lapack.dpocon(factor, np.abs(unit).sum(axis=0).max(), uplo="L")
        if reciprocal > SINGULAR:
            found: Array = lapack.dpotrs(factor, gradient / size, lower=1)[0] / size
            return found
    values, vectors = np.linalg.eigh(curvature)
    keep = values > SINGULAR * values[-1]
    smallest: Array = vectors[:, keep] @ ((vectors[:, keep].T @ gradient) / values[keep])
    return smallest
