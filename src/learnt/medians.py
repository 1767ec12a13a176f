"""The point with the least total distance to given points."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError, convergence_warning
from learnt.statistics.quantiles import middle_places

#: A step that ends so near a point, in units of the spread, has landed on it.
LANDED = 1e-6


def geometric_median(points: Any, weights: Any = None, *, tol: float = 1e-10, max_iter: int = 10_000) -> Array:
    """The point y with the least Σ_i w_i ‖x_i − y‖, by Weiszfeld's steps.

        y ← Σ_i (w_i / ‖x_i − y‖) x_i  /  Σ_i (w_i / ‖x_i − y‖)

    >>> geometric_median([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [4.0, 3.0]]).round(6).tolist()
    [2.0, 1.5]

    A point x_k is the answer itself if the others do not pull harder than its own weight holds:
    ‖Σ_{i≠k} w_i (x_i − x_k) / ‖x_i − x_k‖‖ ≤ w_k. A step that lands on another point goes on by what the pull
    exceeds that weight (Vardi and Zhang). Equal points are one of their added weight. Of points on a line the answer
    is the median along it, halfway between the middle two where all between them is equally good.

    | argument | default | meaning |
    |---|---|---|
    | `points` | | points × coordinates, finite numbers |
    | `weights` | None | of the points, at least 0; None: all the same |
    | `tol` | 1e-10 | stop when a step is shorter than so much of the spread of the points |
    | `max_iter` | 10000 | steps at most; beyond them a warning says that it did not converge |

    Reference: Y. Vardi, C.-H. Zhang, The multivariate L1-median and associated data depth, PNAS 97, 2000.
    """
    x, w = _checked_points(points, weights)
    if not (isinstance(max_iter, int | np.integer) and max_iter >= 1) or not tol >= 0:
        raise ParameterError(f"tol is {tol!r} and max_iter {max_iter!r}. Expected at least 0 and at least 1.")
    x, place = np.unique(x, axis=0, return_inverse=True)
    w = np.bincount(place.ravel(), w)
    # Around the middle and in units of the spread, so that neither offset nor unit costs digits.
    middle = x.min(axis=0) / 2 + x.max(axis=0) / 2
    unit = float(np.abs(x - middle).max()) or 1.0
    z = (x - middle) / unit
    middle_two = _on_a_line(z, w)
    if middle_two is not None:
        low, high = middle_two
        return np.asarray(x[low] if low == high else x[low] / 2 + x[high] / 2)
    found, point = _weiszfeld(z, w / w.sum(), tol, int(max_iter))
    return np.asarray(middle + unit * found if point is None else x[point])


def _checked_points(points: Any, weights: Any) -> tuple[Array, Array]:
    x = np.asarray(points, dtype=np.float64)
    x = x[:, None] if x.ndim == 1 else x
    if x.ndim != 2 or 0 in x.shape:
        raise InputError(f"The points have the shape {x.shape}. Expected at least one point and one coordinate.")
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0]
        raise InputError(f"Point {row} has {x[row, column]} at coordinate {column}. Expected finite numbers.")
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (len(x),) or not np.all((w >= 0) & np.isfinite(w)) or not w.any():
        raise InputError(
            f"The weights have the shape {w.shape} for {len(x)} points. Expected one finite weight of at least 0 for "
            "each point, and one above 0."
        )
    return x[w > 0], w[w > 0]


def _on_a_line(z: Array, w: Array) -> tuple[int, int] | None:
    """The points between which half of the weight lies on either side, if all lie on a line; None if they do not."""
    far = int(np.argmax(((z - z[0]) ** 2).sum(axis=1)))
    along = z[far] - z[0]
    length = float(np.sqrt(along @ along))
    if length == 0:
        return 0, 0
    t = (z - z[0]) @ along / length
    beside = np.abs(z - z[0] - t[:, None] * (along / length)).max()
    if beside > 1e-14 and z.shape[1] > 1:
        return None
    order = np.argsort(t, kind="stable")
    low, high = middle_places(w[order])
    return int(order[low]), int(order[high])


def _weiszfeld(z: Array, w: Array, tol: float, max_iter: int) -> tuple[Array, int | None]:
    """Where the steps end, and which of the points that is, if it is one."""
    y, left = w @ z, set()
    for _ in range(max_iter):
        gap = z - y
        distance = np.sqrt((gap * gap).sum(axis=1))
        k = int(distance.argmin())
        if _holds(z, w, k):  # steps towards a point get ever shorter: better to ask it at once
            return y, k
        if distance[k] < LANDED and k not in left:  # steps away from one begin short: better to leave it at once
            left.add(k)
            gap = z - z[k]
            distance = np.sqrt((gap * gap).sum(axis=1))
            y = z[k]
        there = distance > 0
        pull = np.divide(w, distance, out=np.zeros(len(w)), where=there)
        force = pull @ gap
        step = force / pull.sum()
        if not there.all():  # the weight of the point holds back a part of the step
            step *= max(0.0, 1 - w[~there].sum() / float(np.sqrt(force @ force)))
        y = y + step
        if float(np.abs(step).max()) <= tol:
            return y, None
    warnings.warn(
        convergence_warning(
            f"The geometric median still moved after {max_iter} steps. Raise max_iter, or tol, which is {tol:g}."
        ),
        stacklevel=3,
    )
    return y, None


def _holds(z: Array, w: Array, k: int) -> bool:
    """Whether the others pull at point k no harder than its own weight holds it."""
    gap = z - z[k]
    distance = np.sqrt((gap * gap).sum(axis=1))
    pull = np.divide(w, distance, out=np.zeros(len(w)), where=distance > 0) @ gap
    return bool(pull @ pull <= w[k] ** 2 * (1 + 1e-12))
