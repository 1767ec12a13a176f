"""Gaussians with covariances, one for each state; a missing cell is integrated out by what the others say of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.engine.blas import one_blas_thread
from learnt.errors import SavedModelError
from learnt.graphical.hmm.columns import NOTHING, Rules
from learnt.graphical.hmm.layout import Groups, patterns
from learnt.storable import FiniteNumbers, storable


@storable
@dataclass(frozen=True)
class FullGaussian:
    """Means k × m, covariances k × m × m."""

    mean: FiniteNumbers
    covariance: FiniteNumbers

    def __post_init__(self) -> None:
        k, m = self.mean.shape if self.mean.ndim == 2 else (0, 0)
        if k == 0 or self.covariance.shape != (k, m, m):
            raise SavedModelError("Means and covariances contradict each other.")
        try:
            np.linalg.cholesky(self.covariance)
        except np.linalg.LinAlgError:
            raise SavedModelError("A covariance is not positive definite.") from None

    @classmethod
    def neutral(cls, whole: tuple[Array, Array], k: int) -> FullGaussian:
        """All states alike, with the means and variances of the whole table."""
        mean, variance = whole
        spread = np.diag(np.where(variance > 0, variance, 1.0))
        return cls(np.tile(mean, (k, 1)), np.tile(spread, (k, 1, 1)))

    def add_evidence(self, x: Array, out: Array, groups: Groups | None = None) -> None:
        """out += log N(x; mean, covariance) of the cells that are there, rows × states; `groups` are `patterns(x)`."""
        for rows, there in patterns(x) if groups is None else groups:
            if not there.any():
                continue
            cells = x[np.ix_(rows, there)]
            with one_blas_thread():
                for c in range(len(self.mean)):
                    out[rows, c] += self._log_density(cells, there, c)

    def _log_density(self, cells: Array, there: Array, c: int) -> Array:
        from scipy.linalg import solve_triangular

        root = np.linalg.cholesky(self.covariance[c][np.ix_(there, there)])
        z = solve_triangular(root, (cells - self.mean[c, there]).T, lower=True, check_finite=False)
        constant = -np.log(np.diag(root)).sum() - 0.5 * len(root) * np.log(2 * np.pi)
        logs: Array = constant - 0.5 * np.einsum("ij,ij->j", z, z)
        return logs

    def stepped(self, x: Array, share: Array, rules: Rules, groups: Groups | None = None) -> FullGaussian:
        """The most likely means and covariances for rows shared out (n × k), missing cells as they are expected."""
        k, m = self.mean.shape
        weight, first, second = np.zeros(k), np.zeros((k, m)), np.zeros((k, m, m))
        for rows, there in patterns(x) if groups is None else groups:
            if not there.any():
                continue
            cells = x[np.ix_(rows, there)]
            with one_blas_thread():
                for c in range(k):
                    g = share[rows, c]
                    d, left = self._completed(cells, there, c)
                    weight[c] += g.sum()
                    first[c] += g @ d
                    second[c] += (d * g[:, None]).T @ d + g.sum() * left
        mean, covariance = self.mean.copy(), self.covariance.copy()
        for c in np.flatnonzero(weight > NOTHING).tolist():
            shift = first[c] / weight[c]
            mean[c] = self.mean[c] + shift
            covariance[c] = floored(second[c] / weight[c] - np.outer(shift, shift), rules)
        return FullGaussian(mean, covariance)

    def _completed(self, cells: Array, there: Array, c: int) -> tuple[Array, Array]:
        """Differences from the mean with expected ones where cells are missing, and the covariance these leave."""
        m, gone = len(there), ~there
        d, left = np.zeros((len(cells), m)), np.zeros((m, m))
        d[:, there] = cells - self.mean[c, there]
        if gone.any():
            among = self.covariance[c]
            slope = np.linalg.solve(among[np.ix_(there, there)], among[np.ix_(there, gone)])
            d[:, gone] = d[:, there] @ slope
            left[np.ix_(gone, gone)] = among[np.ix_(gone, gone)] - among[np.ix_(gone, there)] @ slope
        return d, left

    def draw(self, rng: np.random.Generator, labels: Array) -> Array:
        found = np.empty((len(labels), self.mean.shape[1]))
        for c in np.unique(labels):
            rows = np.flatnonzero(labels == c)
            root = np.linalg.cholesky(self.covariance[c])
            found[rows] = self.mean[c] + rng.standard_normal((len(rows), len(root))) @ root.T
        return found

    def parameters(self) -> int:
        k, m = self.mean.shape
        return int(k * (m + m * (m + 1) // 2))

    def taken(self, order: Array) -> FullGaussian:
        return FullGaussian(self.mean[order].copy(), self.covariance[order].copy())


def floored(covariance: Array, rules: Rules) -> Array:
    """The nearest in likelihood that varies, in every direction, by the least share of the columns' variances: raising
    small eigenvalues to the floor solves the M-step under that constraint."""
    spread = rules.full_spread
    values, directions = np.linalg.eigh(covariance / np.outer(spread, spread))
    values = np.maximum(values, rules.joint_floor)
    found = (directions * values) @ directions.T * np.outer(spread, spread)
    return np.array(0.5 * (found + found.T))
