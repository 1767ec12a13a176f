"""The leading eigenvectors of a symmetric matrix that is only ever multiplied by a few columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array

#: Columns sought beyond those asked for: they make the last ones asked for come out early.
EXTRA = 10

#: Bytes of columns kept, and how many blocks of them at least, before the best are put into one.
_ROOM, _BLOCKS = 1 << 27, 4


@dataclass(frozen=True)
class Leading:
    """Eigenvalues, falling, and unit eigenvectors as columns; whether they came out to the tolerance."""

    values: Array
    vectors: Array
    converged: bool
    n_iter: int


def leading(size: int, count: int, seed: int, *, tol: float, max_iter: int) -> Generator[Array, Array, Leading]:
    """Find the `count` largest eigenvalues of a positive semidefinite matrix C of `size` rows.

    Yields blocks of orthonormal columns Q and is sent C Q. The blocks B span a Krylov space, in which the best
    approximations are found (Rayleigh and Ritz): with C B = B H + Q R, where Q is the block to come, the eigenvectors
    t of H give v = B t, and |C v − λ v| = |R t|. When the space has grown large it is restarted from the best v.
    Ends when |C v − λ v| ≤ tol · λ₁ for all that are wanted.

    Reference: C. Musco, C. Musco, Randomized block Krylov methods for stronger and faster approximate singular
    value decomposition, 2015.
    """
    width = min(size, count + EXTRA)
    most = min(size, max(_BLOCKS * width, min(_ROOM // (16 * size), 400)))
    basis, image = (np.empty((size, most), order="F") for _ in range(2))
    inner = np.zeros((most, most))
    used, done = 0, 0
    block = _unit_columns(np.random.default_rng(seed).standard_normal((size, width)))[0]
    while True:
        new = slice(used, used + block.shape[1])
        used, done = new.stop, done + 1
        basis[:, new] = block
        image[:, new] = yield block
        known = basis[:, :used]
        inner[:used, new] = known.T @ image[:, new]
        inner[new, :used] = inner[:used, new].T
        values, turn = np.linalg.eigh(inner[:used, :used])
        values, turn = values[::-1][:width], np.ascontiguousarray(turn[:, ::-1][:, :width])
        largest = max(float(values[0]), 0.0)
        block, r = _beyond(image[:, new], known, largest)
        errors = np.linalg.norm(r @ turn[new], axis=0)[:count]
        converged = used >= size or block.shape[1] == 0 or bool(errors.max(initial=0.0) <= tol * largest)
        if converged or done >= max_iter:
            return Leading(np.maximum(values[:count], 0.0), known @ turn[:, :count], converged, done)
        if used + block.shape[1] > most:
            kept = min(width, most - 1)
            basis[:, :kept], image[:, :kept] = known @ turn[:, :kept], image[:, :used] @ turn[:, :kept]
            inner[:] = 0.0
            inner[:kept, :kept] = np.diag(values[:kept])
            used = kept
            block = block[:, : most - kept]


def _beyond(columns: Array, basis: Array, largest: float) -> tuple[Array, Array]:
    """Orthonormal Q and R with columns = basis · (…) + Q R; columns that lie in the basis but for rounding give none.

    What is left of a column may be so small that rounding errors of what was taken away show in it: made long again, it
    is taken apart once more.
    """
    q, r = _unit_columns(columns - basis @ (basis.T @ columns))
    there = np.abs(np.diagonal(r)) > 1e-13 * largest
    q, r = q[:, there], r[there]
    if q.shape[1] == 0:
        return q, r
    again, change = _unit_columns(q - basis @ (basis.T @ q))
    there = np.abs(np.diagonal(change)) > 0.5
    return again[:, there], change[there] @ r


def _unit_columns(columns: Array) -> tuple[Array, Array]:
    """Q and R of columns = Q R."""
    from scipy.linalg import qr

    found: Any = qr(np.asfortranarray(columns), mode="economic", overwrite_a=True, check_finite=False)
    return found[0], found[1]


def drive(steps: Generator[Array, Array, Leading], multiply: Callable[[Array], Array]) -> Leading:
    """Run `leading` on a matrix in memory: `multiply` gives C Q."""
    block = next(steps)
    while True:
        try:
            block = steps.send(multiply(block))
        except StopIteration as end:
            found: Leading = end.value
            return found
