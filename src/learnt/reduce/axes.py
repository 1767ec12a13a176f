"""The axes along which rows spread most, found in four ways."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.passes import Pass
from learnt.engine.training import Training
from learnt.errors import InputError
from learnt.reduce.encoding import Encoding
from learnt.reduce.leading import leading
from learnt.reduce.passes import Multiply, Product, TakeRowTriangle
from learnt.reduce.scatter import Scatter, TakeScatter
from learnt.reduce.sparse_rows import SparseRows
from learnt.statistics.triangle import RowTriangle
from learnt.watch import report

#: Loadings within this share of the largest count as equally large: of those the first decides the sign.
_TIED = 1e-6

_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Axes:
    """Orthonormal rows `vectors`, along each of which Σ w (score)² is `squares`, falling; `total` is that of all axes.

    In working units of an `Encoding`. `mean` is where the axes cross. Squares up to `rounding` times the largest may be
    nothing but rounding.
    """

    mean: Array
    vectors: Array
    squares: Array
    total: float
    rounding: float
    converged: bool = True
    n_iter: int = 1

    @property
    def rank(self) -> int:
        """How many axes there are that rows spread along."""
        if len(self.squares) == 0:
            return 0
        return int(np.count_nonzero(self.squares > self.rounding * self.squares[0]))


def by_scatter(encoding: Encoding, count: int, *, centered: bool = True) -> Generator[Pass, Any, Axes]:
    """Eigenvectors of S = Σ w (x − m)(x − m)ᵀ, which one pass adds up; m is 0 unless they are `centered`."""
    scatter = yield from _scatter(encoding)
    with np.errstate(over="ignore", invalid="ignore"):  # the eigenvectors are asked for of finite numbers alone
        lifted = 0.0 if centered else scatter.weight * np.outer(scatter.mean, scatter.mean)
        products = scatter.products + lifted
    values, vectors = largest_eigenpairs(products, count)
    total = float(np.trace(products))
    return Axes(scatter.mean, fix_signs(vectors.T), values, total, _EPSILON * len(products))


def largest_eigenpairs(matrix: Array, count: int) -> tuple[Array, Array]:
    """Eigenvalues, falling, and eigenvectors; a few of many are cheaper than all."""
    from scipy.linalg import eigh

    if not np.isfinite(matrix).all():
        raise InputError("A column holds values so large that their squares overflow. Scale it down first.")
    p = len(matrix)
    values, vectors = np.zeros(0), np.zeros((p, 0))
    if 4 * count <= p:
        values, vectors = eigh(matrix, subset_by_index=(p - count, p - 1), check_finite=False)
    if len(values) < min(count, p):  # LAPACK loses some of many that are equal
        values, vectors = np.linalg.eigh(matrix)
    return np.maximum(values[::-1][:count], 0.0), vectors[:, ::-1][:, :count]


def by_singular_values(encoding: Encoding, count: int) -> Generator[Pass, Any, Axes]:
    """Right singular vectors of the centred rows, without their squares: small ones keep their digits."""
    triangle: RowTriangle = yield TakeRowTriangle(encoding.working, encoding.mean)
    r = triangle.r
    if len(r) < count:  # fewer rows than axes, since some weigh more than one
        r = np.vstack([r, np.zeros((count - len(r), r.shape[1]))])
    _, sizes, vectors = np.linalg.svd(r, full_matrices=False)
    rounding = (_EPSILON * max(encoding.n_rows, encoding.n_columns)) ** 2
    return Axes(encoding.mean, fix_signs(vectors[:count]), sizes[:count] ** 2, float((sizes**2).sum()), rounding)


def by_random_start(
    encoding: Encoding,
    training: Training,
    count: int,
    seed: int,
    *,
    tol: float,
    max_iter: int,
    centered: bool = True,
    learner: str = "",
) -> Generator[Pass, Any, Axes]:
    """Leading eigenvectors of S from products with a few columns, beginning with random ones.

    A sparse table in memory is multiplied as a whole, by narrow blocks; others by passes: wide blocks need few.
    """
    mean = encoding.mean if centered else np.zeros_like(encoding.mean)
    total = float((encoding.variance + (encoding.mean - mean) ** 2).sum() * encoding.weight)
    rounding = 1e-14 * encoding.n_columns**0.5
    if encoding.sparse and isinstance(training.source, Table):
        rows = SparseRows(encoding.working.encode(training.source), mean, training.weights)
        found = rows.leading(count, seed, tol=tol, max_iter=max_iter, learner=learner)
        return Axes(mean, fix_signs(found.vectors.T), found.values, total, rounding, found.converged, found.n_iter)
    steps = leading(encoding.n_columns, count, seed, tol=tol, max_iter=max_iter)
    block, done = next(steps), 0
    while True:
        product: Product = yield Multiply(encoding.working, mean, block)
        done += 1
        report("products", learner=learner, iteration=done, total=max_iter)
        try:
            block = steps.send(product.product)
        except StopIteration as end:
            found = end.value
            break
    return Axes(mean, fix_signs(found.vectors.T), found.values, total, rounding, found.converged, found.n_iter)


def by_power(
    encoding: Encoding, count: int, seed: int, *, tol: float, max_iter: int, learner: str = ""
) -> Generator[Pass, Any, Axes]:
    """Power iteration with deflation, the method to read: multiply a vector by S until it no longer turns, take its
    part out of S, and begin again.

        v ← S v / |S v|,      λ = vᵀ S v,      S ← S − λ v vᵀ        (v of length 1)
    """
    scatter = yield from _scatter(encoding)
    left, rng = scatter.products.copy(), np.random.default_rng(seed)
    total = float(np.trace(left))
    vectors, squares, steps, converged = np.zeros((count, len(left))), np.zeros(count), 1, True
    for c in range(count):
        v = rng.standard_normal(len(left))
        v = _outside(v, vectors[:c])
        step = 0
        while step < max_iter:
            step += 1
            turned = left @ v
            length = float(np.linalg.norm(turned))
            if length <= 1e-15 * total:  # nothing is left: any axis at right angles to the others will do
                break
            turned = _outside(turned, vectors[:c])
            change, v = float(np.linalg.norm(turned - v)), turned
            if change <= tol:
                break
        else:
            converged = False
        vectors[c], squares[c], steps = v, max(float(v @ left @ v), 0.0), max(steps, step)
        left -= squares[c] * np.outer(v, v)
        report("components", learner=learner, iteration=c + 1, total=count, steps=step)
    order = np.argsort(-squares, kind="stable")
    axes, rounding = fix_signs(vectors[order]), 10 * _EPSILON * len(left)
    return Axes(scatter.mean, axes, squares[order], total, rounding, converged, steps)


def _scatter(encoding: Encoding) -> Generator[Pass, Any, Scatter]:
    if encoding.scatter is not None:
        return encoding.scatter
    found: Scatter = yield TakeScatter(encoding.working)
    return found


def _outside(v: Array, vectors: Array) -> Array:
    """v without its parts along the vectors found before, of length 1; rounding would bring them back."""
    v = v - vectors.T @ (vectors @ v)
    unit: Array = v / np.linalg.norm(v)
    return unit


def fix_signs(vectors: Array) -> Array:
    """Each row turned so that its largest loading is positive."""
    if vectors.size == 0:
        return vectors
    sizes = np.abs(vectors)
    largest = sizes.max(axis=1, keepdims=True, initial=0.0)
    first = (sizes >= (1 - _TIED) * largest).argmax(axis=1)
    negative = vectors[np.arange(len(vectors)), first] < 0
    return np.where(negative[:, None], -vectors, vectors)
