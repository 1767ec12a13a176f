"""Normal distributions of several columns, one per class: their log densities, gaps and noise left out exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.bayes.discriminant.patterns import AlikeRows, alike_rows
from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread
from learnt.errors import InputError
from learnt.lazy import cached_property
from learnt.storable import storable

#: Variances below this share of a column's total variance, in any direction, are raised to it.
FLOOR = 1e-8
#: Deviations beyond this, in units of the columns' own, leave eigenvalues no digit of the others.
UNEVEN = 1e4


@storable
@dataclass(frozen=True, eq=False)
class BellCurves:
    """N(mean_c, covariance_c) for each class; one covariance for all, or one each.

        log N(x; μ, Σ) = −½ (x − μ)ᵀ Σ⁻¹ (x − μ) − ½ log |2πΣ|

    Cells that are missing are integrated out: the density of the others has their part of μ and of Σ. Known
    noise of measurement is integrated out too: its variance is added to the diagonal of Σ.
    """

    mean: Array  # classes × columns
    covariance: Array  # 1 or classes × columns × columns, positive definite
    noise: Array  # columns

    def __post_init__(self) -> None:
        k, u = self.mean.shape if self.mean.ndim == 2 else (-1, -1)
        if self.covariance.ndim != 3 or self.covariance.shape[0] not in (1, k) or self.covariance.shape[1:] != (u, u):
            raise ValueError("The covariances do not fit the means.")
        if self.noise.shape != (u,) or not (self.noise >= 0).all():
            raise ValueError("The noise does not fit the columns.")
        if not all(np.isfinite(a).all() for a in (self.mean, self.covariance, self.noise)):
            raise InputError("A mean or covariance is not finite: a column holds too large values. Scale it down.")

    def whitening(self, there: Array | None = None) -> tuple[Array, Array]:
        """A with AᵀA = (Σ + noise)⁻¹, and log |2π(Σ + noise)|, for each covariance, in the columns that are there."""
        if there is None:
            return self._whole
        from scipy.linalg import cholesky, solve_triangular

        spread = self.covariance[:, there][:, :, there] + np.diag(self.noise[there])
        u = spread.shape[1]
        roots, logs = np.zeros_like(spread), np.zeros(len(spread))
        with one_blas_thread():
            for g, sigma in enumerate(spread if u else ()):
                lower = cholesky(sigma, lower=True)
                roots[g] = np.tril(solve_triangular(lower, np.eye(u), lower=True))
                logs[g] = 2 * np.log(np.diag(lower)).sum() + u * np.log(2 * np.pi)
        return roots, logs

    @cached_property
    def _whole(self) -> tuple[Array, Array]:
        return self.whitening(np.ones(self.mean.shape[1], dtype=bool))

    def log_density(self, z: Array, there: Array | None) -> Array:
        """log p(x | c), classes × rows; `there` says which cells are, None for all."""
        full = None if there is None else there.all(axis=1)
        if full is None or there is None or full.all():
            return self._of_whole(z)
        out = np.empty((len(self.mean), len(z)))
        if full.any():
            out[:, full] = self._of_whole(z[full])
        gaps = np.flatnonzero(~full)
        for alike in alike_rows(there[gaps]):
            for part in alike.parts():
                rows = gaps[part.rows]
                out[:, rows] = self._of_patterns(z[rows], part)
        return out

    def _of_whole(self, z: Array) -> Array:
        """Of rows that have all cells."""
        return self._of_pattern(np.ascontiguousarray(z.T), self.mean, *self._whole)

    def _of_patterns(self, z: Array, alike: AlikeRows) -> Array:
        """Of rows that have equally many cells.

        Cholesky factors are made of all patterns at once, and solved with cell by cell: a row has the same bits alone
        and among others.
        """
        own = alike.cells[alike.which]
        cells = np.take_along_axis(z, own, axis=1)
        with one_blas_thread():
            spread = (alike.blocks(sigma + np.diag(self.noise)) for sigma in self.covariance)
            roots = [np.linalg.cholesky(blocks) for blocks in spread]
        logs = [2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)[alike.which] for root in roots]
        constant = own.shape[1] * np.log(2 * np.pi)
        found = np.empty((len(self.mean), len(z)))
        for c, center in enumerate(self.mean):
            g = c % len(roots)
            found[c] = -0.5 * (_squares(roots[g], alike.which, cells - center[own]) + logs[g] + constant)
        return found

    def _of_pattern(self, z: Array, mean: Array, roots: Array, logs: Array) -> Array:
        found = np.empty((len(mean), z.shape[1]))
        shared = _times(roots[0], z) if len(roots) == 1 else None
        centers = _times(roots[0], mean.T) if len(roots) == 1 else mean.T
        for c, center in enumerate(mean):
            if shared is None:
                white, log = _times(roots[c], z - center[:, None]), logs[c]
            else:
                white, log = shared - centers[:, c, None], logs[0]
            square = np.zeros(z.shape[1])
            with np.errstate(over="ignore"):  # so far away that nothing is left of the density
                for of_column in white:
                    square += of_column * of_column
            found[c] = -0.5 * (square + log)
        return found

    def terms(self, z: Array, there: Array) -> tuple[Array, Array]:
        """Of one row: −½ d_j (Σ⁻¹ d)_j by class and column, d = x − μ, and −½ log |2πΣ| by class.

        Cross terms d_j d_k are shared equally by j and k. Missing cells have 0.
        """
        roots, logs = self.whitening(there)
        found = np.zeros(self.mean.shape)
        with one_blas_thread():
            for c, center in enumerate(self.mean[:, there]):
                root, d = roots[c % len(roots)], z[there] - center
                found[c, there] = -0.5 * d * (root.T @ (root @ d))
        return found, -0.5 * np.broadcast_to(logs, len(self.mean))


def _times(a: Array, z: Array) -> Array:
    """a · z for lower triangular a, column by column: a BLAS product would give a row other bits among others."""
    out = np.zeros(z.shape)
    for j in range(len(z)):
        out[j:] += a[j:, j, None] * z[j]
    return out


def _squares(root: Array, which: Array, away: Array) -> Array:
    """|L⁻¹ d|² of each row, L the lower triangle of its pattern; `away` is used up."""
    total = np.zeros(len(away))
    with np.errstate(over="ignore", invalid="ignore"):  # so far away that nothing is left of the density
        for j in range(away.shape[1]):
            own = root[:, j:, j] if len(root) == 1 else root[which, j:, j]
            white = away[:, j] / own[:, 0]
            total += white * white
            away[:, j + 1 :] -= own[:, 1:] * white[:, None]
    return np.where(np.isnan(total), np.inf, total)


def regular(covariance: Array) -> tuple[Array, int, float]:
    """A covariance in units of total variance made positive definite, directions raised, and condition before."""
    if not len(covariance):
        return covariance, 0, 1.0
    size = np.sqrt(np.maximum(np.diagonal(covariance), 1.0))
    if UNEVEN < size.max() < np.inf:  # shrunk in other units
        found, low, condition = regular(covariance / size[:, None] / size)
        return found * size[:, None] * size, low, condition
    sizes, directions = np.linalg.eigh(covariance)
    low = int(np.count_nonzero(sizes < FLOOR))
    with np.errstate(over="ignore"):
        condition = float(sizes[-1] / sizes[0]) if sizes[0] > 0 else float("inf")
    if low == 0:
        return covariance, 0, condition
    raised = (directions * np.maximum(sizes, FLOOR)) @ directions.T
    return (raised + raised.T) / 2, low, condition
