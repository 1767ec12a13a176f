"""Whether rows of two classes can be separated at all: their convex hulls, in the space of the kernel, must not meet.

The hulls meet if some weighted mean of rows of the one is a weighted mean of rows of the other:

    Σ a_i φ(x_i) = Σ b_k φ(z_k),   Σa = Σb = 1,   a, b ≥ 0

which least squares with coefficients of at least 0 decides, in a number of unknowns that only the dimension of the
space bounds. Such a point is the proof that no border without mistakes exists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.kernel.machines.solving import KernelRows

#: Dimensions of the space beyond which the test would take longer than the machine itself.
MOST_DIMENSIONS = 300
#: Hulls nearer than this, in units of the distances between rows, have met: rounding would eat the margin.
NEAR = 1e-8
#: Directions in which rows differ by less than this share are rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Hulls:
    """How far the hulls of two classes are apart, in units of the spread of the rows and up to a factor; NaN if that
    was not decided. Where they meet, a common point is a weighted mean of so many rows of the first and the second."""

    distance: float
    first: int = 0
    second: int = 0

    @property
    def meet(self) -> bool:
        return self.distance <= NEAR

    @property
    def are_apart(self) -> bool:
        return self.distance > NEAR


def hulls_of(rows: KernelRows, first: Array, second: Array) -> Hulls:
    """Of the rows `first` and `second`; not decided where the space has too many dimensions."""
    points = _coordinates(rows, np.concatenate([first, second]))
    if points is None:
        return Hulls(np.nan)
    points = points - points.mean(axis=0)
    size = np.sqrt((points**2).sum(axis=1).mean())
    if not size > 0:
        return Hulls(0.0, 1, 1)
    from scipy.optimize import nnls

    m, p = len(first), points.shape[1]
    system = np.zeros((p + 2, len(points)))
    system[:p] = (points / size).T
    system[:p, m:] *= -1
    system[p, :m] = system[p + 1, m:] = 1
    wanted = np.zeros(p + 2)
    wanted[p:] = 1
    try:
        shares, apart = nnls(system, wanted, maxiter=30 * (p + 2))
    except RuntimeError:  # too many changes of mind
        return Hulls(np.nan)
    return Hulls(float(apart), int(np.count_nonzero(shares[:m])), int(np.count_nonzero(shares[m:])))


def _coordinates(rows: KernelRows, some: Array) -> Array | None:
    """Points of which the inner products are the kernel's values; None if that takes too many dimensions, or if rows
    all have a direction of their own, where nothing can stand in their way."""
    plain = rows.gram is None and rows.kernel is not None and rows.kernel.name == "linear"
    if plain and isinstance(rows.x, np.ndarray) and rows.x.shape[1] <= MOST_DIMENSIONS:
        return np.asarray(rows.x[some])
    return _pivoted(rows, some)


def _pivoted(rows: KernelRows, some: Array) -> Array | None:
    """The Cholesky factor of the kernel's values, largest pivots first, one row of values at a time."""
    n = len(some)
    factor = np.zeros((n, min(n, MOST_DIMENSIONS) + 1))
    left = rows.diagonal(some)
    least = _ROUNDING * float(np.abs(left).max(initial=0.0))
    for k in range(factor.shape[1]):
        i = int(left.argmax())
        if not left[i] > least:
            is_kernel = left.min(initial=0.0) >= -1e4 * least  # what is none has no space, and no hulls
            return factor[:, :k] if is_kernel and k < n else None
        column = rows.values(some[i], some) - factor[:, :k] @ factor[i, :k]
        factor[:, k] = column / np.sqrt(left[i])
        left = left - factor[:, k] ** 2
        left[i] = 0.0
    return None
