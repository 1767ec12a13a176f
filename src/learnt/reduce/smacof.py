"""Scaling by majorisation: coordinates moved until their distances fit those wanted best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.reduce.monotone import Curve, fitted_curve
from learnt.watch import report

#: Cells of a block of distances.
_CELLS = 1 << 21


@dataclass(frozen=True)
class Arrangement:
    """Coordinates, Kruskal's stress √(Σ w (δ − d)² / Σ w d²), and the curve from dissimilarities to δ if sought."""

    coordinates: Array
    stress: float
    n_iter: int
    converged: bool
    curve: Curve | None


def smacof(
    wanted: Array, start: Array, weights: Array, *, max_iter: int, tol: float, by_rank: bool = False, learner: str = ""
) -> Arrangement:
    """Lower Σ_{i<j} w_i w_j (δ_ij − d_ij)² by Guttman's transform, which never raises it:

        x_i ← Σ_j w_j (δ_ij / d_ij) (x_i − x_j) / Σ_j w_j

    With `by_rank` only the order of the dissimilarities counts: before each step δ becomes the monotone curve of them
    that is nearest to the distances.

    Reference: J. de Leeuw, P. Mair, Multidimensional scaling using majorization: SMACOF in R, 2009.
    """
    x = start - weights @ start / weights.sum()
    curve, before, converged, step = None, np.inf, False, 0
    targets = wanted
    for step in range(1, max_iter + 1):
        if by_rank:
            curve = fitted_curve(wanted, x, weights)
            targets = curve.of(wanted)
            np.fill_diagonal(targets, 0.0)
        x, stress = _move_places(targets, x, weights)
        report("smacof", learner=learner, iteration=step, total=max_iter, objective=stress)
        if before - stress <= tol * max(stress, tol):
            converged = True
            break
        before = stress
    if by_rank:
        curve = fitted_curve(wanted, x, weights)
        targets = curve.of(wanted)
        np.fill_diagonal(targets, 0.0)
    return Arrangement(x, _move_places(targets, x, weights)[1], step, converged, curve)


def _move_places(targets: Array, x: Array, weights: Array) -> tuple[Array, float]:
    """The coordinates after one of Guttman's steps, and the stress before it; a block of rows at a time."""
    from scipy.spatial.distance import cdist

    n, total = len(x), weights.sum()
    new, missed, spread = np.empty_like(x), 0.0, 0.0
    step = max(1, _CELLS // n)
    weighted = weights[:, None] * x
    for first in range(0, n, step):
        rows = slice(first, first + step)
        d, aim = cdist(x[rows], x), targets[rows]
        missed += float(weights[rows] @ ((aim - d) ** 2 @ weights))
        spread += float(weights[rows] @ (d**2 @ weights))
        ratio = np.divide(aim, d, out=np.zeros_like(d), where=d > 0)
        new[rows] = (x[rows] * (ratio @ weights)[:, None] - ratio @ weighted) / total
    return new, float(np.sqrt(missed / spread)) if spread > 0 else 0.0 if missed == 0 else 1.0


def place_rows(wanted: Array, fixed: Array, weights: Array, *, max_iter: int, tol: float) -> Array:
    """New rows among fixed ones, each where Σ_j w_j (δ_j − |x − x_j|)² is least, beginning at the nearest of them."""
    from scipy.spatial.distance import cdist

    nearest = wanted.argmin(axis=1)
    x: Array = fixed[nearest]
    total = weights.sum()
    center = weights @ fixed / total
    size = float(np.abs(fixed - center).max(initial=0.0))
    moving = np.flatnonzero(wanted[np.arange(len(wanted)), nearest] > 0)  # others are a fitted row again
    for _ in range(max_iter):
        if len(moving) == 0:
            break
        here = x[moving]
        d = cdist(here, fixed)
        ratio = np.divide(wanted[moving], d, out=np.zeros_like(d), where=d > 0) * weights
        pulled = np.empty_like(here)
        _core.project_rows(ratio, np.zeros(len(fixed)), fixed, pulled)  # bits of a row do not depend on the others
        new = center + (here * ratio.sum(axis=1)[:, None] - pulled) / total
        x[moving] = new
        moving = moving[np.abs(new - here).max(axis=1) > tol * size]
    return x
