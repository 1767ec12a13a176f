"""The leading eigenvectors of a symmetric matrix that is only ever multiplied by a few columns at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array

#: Vectors kept beyond those asked for: they make the last ones asked for come out early.
EXTRA = 10

#: Bytes of columns kept before the best are put into one.
_ROOM = 1 << 27

#: Of so many narrow blocks the last is followed by a look at what was found.
_LOOK = 4


@dataclass(frozen=True)
class Leading:
    """Eigenvalues, falling, and unit eigenvectors as columns; whether they came out to the tolerance."""

    values: Array
    vectors: Array
    converged: bool
    n_iter: int


def leading(
    size: int, count: int, seed: int, *, tol: float, max_iter: int, width: int | None = None
) -> Generator[Array, Array, Leading]:
    """Find the `count` largest eigenvalues of a positive semidefinite matrix C of `size` rows.

    Yields blocks of orthonormal columns Q, at most `width`, and is sent C Q. The blocks B span a Krylov space, in which
    the best approximations are found (Rayleigh and Ritz): with C B = B H + Q R, where Q is the block to come, the
    eigenvectors t of H give v = B t, and |C v − λ v| = |R t|. When the space has grown large it is restarted from the
    best v. Ends when |C v − λ v| ≤ tol · λ₁ for all that are wanted, or after `max_iter` times as many products as
    vectors are sought. Narrow blocks need fewer products, wide ones fewer blocks.

    Reference: C. Musco, C. Musco, Randomized block Krylov methods for stronger and faster approximate singular
    value decomposition, 2015.
    """
    kept = min(size, count + EXTRA)
    width = kept if width is None else min(size, width)
    most = min(size, max(2 * kept + 2 * width, min(_ROOM // (16 * size), 400)))
    basis, image = (np.empty((size, most), order="F") for _ in range(2))
    inner, rng = np.zeros((most, most)), np.random.default_rng(seed)
    used, products, blocks, before = 0, 0, 0, np.full(count, -np.inf)
    block = _unit_columns(rng.standard_normal((size, width)))[0]
    while True:
        new = slice(used, used + block.shape[1])
        used, products, blocks = new.stop, products + block.shape[1], blocks + 1
        basis[:, new] = block
        image[:, new] = yield block
        known = basis[:, :used]
        inner[:used, new] = known.T @ image[:, new]
        inner[new, :used] = inner[:used, new].T
        block, r = _beyond(image[:, new], known, float(np.diagonal(inner)[:used].max()))
        full, last = used + block.shape[1] > most, products >= max_iter * kept
        if full or last or block.shape[1] == 0 or blocks % _LOOK == 0 or width == kept:
            values, turn = np.linalg.eigh(inner[:used, :used])
            values, turn = values[::-1][:kept], np.ascontiguousarray(turn[:, ::-1][:, :kept])
            largest = max(float(values[0]), 0.0)
            errors = np.linalg.norm(r @ turn[new], axis=0)[:count]
            converged = used >= count and bool(errors.max(initial=0.0) <= tol * largest)
            if block.shape[1] == 0 and converged and width < kept:
                # Of an eigenvalue that is there more often than a block has columns, further vectors may be missing:
                # the end is when columns drawn anew find none.
                converged = bool(np.all(np.abs(values[:count] - before) <= tol * largest))
                before = values[:count]
            converged = converged or used >= size
            if used >= count and (converged or last):
                return Leading(np.maximum(values[:count], 0.0), known @ turn[:, :count], converged, blocks)
        if block.shape[1] == 0:  # all that the first columns lead to is found: others are drawn
            drawn = rng.standard_normal((size, min(width, size - used)))
            block = _beyond(drawn, known, 0.0)[0]
            full = used + block.shape[1] > most
        if full:
            some = min(kept, most - 1)
            basis[:, :some], image[:, :some] = known @ turn[:, :some], image[:, :used] @ turn[:, :some]
            inner[:] = 0.0
            inner[:some, :some] = np.diag(values[:some])
            used = some
            block = block[:, : most - some]


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
