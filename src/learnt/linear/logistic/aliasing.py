"""Columns that are weighted sums of columns before them: their coefficients are not determined, as R says, aliased.

A fit shares the effect among all of them, so that neither order nor units matter. A summary leaves the later ones out,
as R's glm does: then every other coefficient has one value, and an error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.linear.inference.printed import list_names

#: A column of which no more than this share of squares is left by those before it repeats them.
ALIASED = 1e-11


@dataclass(frozen=True, eq=False)
class Determined:
    """What the rows determine: which of (1, columns) are `kept`, and the covariance of (intercept, coefficients).

    `estimates` are None where all are kept. Both are of each class but the first against the first, NaN where aliased.
    """

    kept: Array
    covariance: Array
    estimates: Array | None


def determined(
    hessian: Array, coef: Array, intercepts: Array, shift: Array, scale: Array, intercept: bool
) -> Determined:
    """From the second derivatives by coefficients, one row for two classes and else one each, at the optimum.

    `hessian` is in shifted columns (1, x − s), not scaled; coefficients are the user's.
    """
    n_scores, m = len(coef), len(shift) + 1
    stretch = np.append(1.0 if intercept else 0.0, scale)
    blocks = hessian.reshape(n_scores, m, n_scores, m) * stretch[:, None, None] * stretch
    total = np.einsum("kikj->ij", blocks)
    kept = _independent(total)
    if n_scores > 1:  # scores against that of the first class
        blocks = blocks[1:, :, 1:]
        coef, intercepts = coef[1:] - coef[0], intercepts[1:] - intercepts[0]
    k, u = len(coef), len(kept)
    inverse, free = _inverse(blocks[:, kept][:, :, :, kept].reshape(k * u, k * u))
    whole = np.kron(np.eye(k), _turn(kept, shift, stretch, intercept))
    unknown = ((whole != 0) & free).any(axis=1)
    found = np.full((k, m, k, m), np.nan)
    own = whole @ inverse @ whole.T
    own[unknown, :] = own[:, unknown] = np.nan
    found[np.ix_(np.arange(k), kept, np.arange(k), kept)] = own.reshape(k, u, k, u)
    covariance = found.reshape(k * m, k * m)
    if u == m or (not intercept and u == m - 1):
        return Determined(kept, covariance, None)
    return Determined(kept, covariance, _moved(total, kept, coef, intercepts, shift, stretch))


def _independent(gram: Array) -> Array:
    """The columns, in order, that are no weighted sum of columns kept before them."""
    left, kept = gram.copy(), []
    for j in range(len(gram)):
        if left[j, j] > ALIASED * gram[j, j]:
            kept.append(j)
            left -= np.outer(left[:, j], left[j]) / left[j, j]
    return np.array(kept, dtype=np.int64)


def _inverse(matrix: Array) -> tuple[Array, Array]:
    """The inverse, and which of its rows are not determined after all."""
    if not len(matrix):
        return matrix, np.zeros(0, bool)
    values, vectors = np.linalg.eigh(matrix)
    known = values > 1e-12 * values[-1]
    inverse: Array = (vectors[:, known] / values[known]) @ vectors[:, known].T
    return inverse, (np.abs(vectors[:, ~known]) > 1e-6).any(axis=1)


def _turn(kept: Array, shift: Array, stretch: Array, intercept: bool) -> Array:
    """From standardised coefficients that are kept to the user's: b = scale · β and b₀ = α − b · s."""
    turn = np.diag(stretch[kept])
    if intercept and len(kept):
        turn[0, 1:] = -shift[kept[1:] - 1] * stretch[kept[1:]]
    return turn


def _moved(gram: Array, kept: Array, coef: Array, intercepts: Array, shift: Array, stretch: Array) -> Array:
    """Estimates as if the aliased columns were not there: their effects are those of the columns they repeat."""
    aliased = np.setdiff1d(np.flatnonzero(stretch), kept)
    inverse = np.divide(1.0, stretch, out=np.zeros_like(stretch), where=stretch > 0)
    point = np.column_stack([intercepts + coef @ shift, coef]) * inverse
    shares = np.linalg.solve(gram[np.ix_(kept, kept)], gram[np.ix_(kept, aliased)]) if len(kept) else np.zeros((0, 0))
    own = point[:, kept] + point[:, aliased] @ shares.T
    found = np.full(point.shape, np.nan)
    found[:, kept] = own @ _turn(kept, shift, stretch, bool(stretch[0])).T
    return found.ravel()


def aliased_words(names: tuple[str, ...], estimates: Array) -> str:
    """A note on what is left out. `names` are those of the columns, `estimates` begin with an intercept."""
    gone = [name for name, b in zip(names, estimates[1 : len(names) + 1].tolist(), strict=True) if np.isnan(b)]
    does, repeats, it = ("does", "repeats", "it") if len(gone) == 1 else ("do", "repeat", "them")
    return (
        f"{list_names(gone)} {does} not vary or {repeats} columns before: left out here, as in R, and the others "
        f"estimated without {it}. `coef_` shares the effect among all columns that say the same."
    )
