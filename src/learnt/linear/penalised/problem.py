"""Centred least squares as coordinate descent sees it: from rows, dense or sparse, or from cross products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.sizes import squares_overflow
from learnt.linear.least_squares.coefficients import rounding_noise
from learnt.linear.least_squares.cross_products import CrossProducts
from learnt.linear.penalised.penalty import Penalty
from learnt.statistics.moments import column_moments


@dataclass
class Position:
    """Coefficients and what goes with them; kernels move it."""

    coef: Array
    arrays: tuple[Array, ...]


@dataclass(frozen=True)
class Progress:
    gap: float
    objective: float
    rounds: int


class Problem:
    """½ Σ_i s_i (y_i − b·x_i)², shares s_i of the rows adding up to 1, x and y centred if there is an intercept.

    `mean` are the means of the columns, `square` Σ s x² of each (0 for one that does not vary),
    `target_products` Σ s x y and `target_square` Σ s y², all after centring.
    """

    weight: float
    intercept: bool
    mean: Array
    target_mean: float
    square: Array
    raw_square: Array
    target_products: Array
    target_square: float

    @property
    def spread(self) -> Array:
        """Standard deviations (over n); 1 for a column that does not vary."""
        return np.sqrt(np.where(self.square > 0, self.square, 1.0))

    def constant_term(self, coef: Array) -> float:
        return self.target_mean - float(self.mean @ coef) if self.intercept else 0.0

    def at(self, coef: Array) -> Position:
        raise NotImplementedError

    def correlations(self, coef: Array) -> Array:
        """Σ s x (y − b·x) of every column."""
        raise NotImplementedError

    def hessian(self, columns: Array) -> Array:
        """Σ s x xᵀ of some columns."""
        raise NotImplementedError

    def descend(
        self, position: Position, penalty: Penalty, alpha: float, gap: float, strong: float, rounds: int
    ) -> Progress:
        """Move `position` until the duality gap is below `gap`, or for so many rounds."""
        step = np.maximum.reduceat(np.append(self._bounds(penalty), 0.0), penalty.starts[:-1])
        l1, l2 = penalty.l1(alpha), penalty.l2(alpha)
        common = (penalty.starts, step, l1, l2, bool(penalty.positive), gap, strong, rounds, position.coef)
        return Progress(*self._kernel(common, position.arrays))

    def _bounds(self, penalty: Penalty) -> Array:
        """Curvature per column. The indicators of a group exclude each other, so that Σ s x xᵀ not centred is
        diagonal, and the largest of its squares bounds the group's curvature."""
        alone = np.repeat(np.diff(penalty.starts) == 1, np.diff(penalty.starts))
        return np.where(alone | (self.square <= 0), self.square, self.raw_square)

    def _kernel(self, common: tuple[Any, ...], arrays: tuple[Array, ...]) -> tuple[float, float, int]:
        raise NotImplementedError

    def _check(self) -> None:
        finite = np.isfinite(self.raw_square).all()
        if not (finite and np.isfinite(self.target_products).all() and np.isfinite(self.target_square)):
            raise squares_overflow("The target" if finite else "A column")


class ProductProblem(Problem):
    """From cross products: rows are not needed any more."""

    def __init__(self, statistic: CrossProducts, intercept: bool):
        self.intercept, self.weight = intercept, statistic.weight
        true_mean, self.target_mean = statistic.mean[:-1], float(statistic.mean[-1])
        products = (statistic.products if intercept else statistic.raw()) / statistic.weight
        self.mean = true_mean if intercept else np.zeros_like(true_mean)
        self.gram = np.ascontiguousarray(products[:-1, :-1])
        self.target_products, self.target_square = products[:-1, -1].copy(), float(products[-1, -1])
        square = np.diagonal(self.gram)
        varies = np.sqrt(np.maximum(square * self.weight, 0)) > rounding_noise(self.weight, true_mean)
        self.square = np.where(varies, square, 0.0)
        with np.errstate(over="ignore"):
            self.raw_square = square + self.mean**2
        self._check()

    def at(self, coef: Array) -> Position:
        return Position(coef.copy(), (self.target_products - self.gram @ coef,))

    def correlations(self, coef: Array) -> Array:
        return self.at(coef).arrays[0]

    def hessian(self, columns: Array) -> Array:
        part: Array = self.gram[np.ix_(columns, columns)]
        return part

    def _kernel(self, common: tuple[Any, ...], arrays: tuple[Array, ...]) -> tuple[float, float, int]:
        return _core.descend_gram(self.gram, self.target_products, self.target_square, *common, *arrays)


class RowProblem(Problem):
    """From rows: a matrix by columns, dense (Fortran order) or sparse (CSC)."""

    def __init__(self, x: Any, y: Array, weights: Array | None, intercept: bool):
        self.intercept = intercept
        self.sparse = not isinstance(x, np.ndarray)
        self.x: Any = x.tocsc() if self.sparse else np.asfortranarray(x)
        n = self.x.shape[0]
        self.weight = float(n if weights is None else weights.sum())
        self.share = None if weights is None else weights / self.weight
        s = np.full(n, 1 / n) if self.share is None else self.share
        true_mean, square = _sparse_moments(self.x, s) if self.sparse else _dense_moments(self.x, self.share)
        with np.errstate(over="ignore", invalid="ignore"):  # which the check at the end finds
            self.raw_square = square + true_mean**2
        if not intercept:
            square = self.raw_square
        varies = np.sqrt(self.weight * square) > rounding_noise(self.weight, true_mean)
        self.square = np.where(varies, square, 0.0)
        self.mean = true_mean if intercept else np.zeros_like(true_mean)
        self.target_mean = float(s @ y)
        self.target = y - self.target_mean if intercept else y
        with np.errstate(over="ignore", invalid="ignore"):
            self.target_square = float(s @ self.target**2)
            self.target_products = self._against(s * self.target)
        self._check()

    def at(self, coef: Array) -> Position:
        s: Any = 1 / len(self.target) if self.share is None else self.share
        if self.sparse:  # the means of sparse columns go into the offset at the end
            left, offset = self.target - self.x @ coef, float(self.mean @ coef)
        else:
            used = np.flatnonzero(coef)
            left, offset = self.target - (self.x[:, used] @ coef[used] - self.mean @ coef), 0.0
        residual = np.append(s * left, offset)
        return Position(coef.copy(), (residual, np.zeros_like(residual), np.zeros_like(coef)))

    def correlations(self, coef: Array) -> Array:
        q = self.at(coef).arrays[0]
        left: Array = q[:-1]
        found = self._against(left)
        if self.sparse:  # the offset stands for its share in every row
            found += self.mean * q[-1]
        return found

    def hessian(self, columns: Array) -> Array:
        x = self.x[:, columns]
        if self.sparse:
            w = np.full(x.shape[0], 1 / x.shape[0]) if self.share is None else self.share
            raw: Array = (x.T @ x.multiply(w[:, None]).tocsc()).toarray()
            raw -= np.outer(self.mean[columns], self.mean[columns])
            return raw
        gram = np.zeros((len(columns) + 2, len(columns) + 2))
        _core.add_gram(x, None, self.share, np.append(self.mean[columns], 0.0), gram)
        part: Array = gram[1:-1, 1:-1] / (len(self.target) if self.share is None else 1.0)
        return part

    def _against(self, q: Array) -> Array:
        """Σ_i (x_ij − m_j) q_i of every column, for Σ q = 0 where there is an intercept."""
        if self.sparse:
            return np.asarray(self.x.T @ q)
        out = np.empty(self.x.shape[1])
        _core.predict_linear(self.x.T, q, 0.0, out)
        out -= self.mean * q.sum()
        return out

    def _kernel(self, common: tuple[Any, ...], arrays: tuple[Array, ...]) -> tuple[float, float, int]:
        if not self.sparse:
            return _core.descend_dense(self.x, self.mean, self.share, *common, *arrays)
        x = self.x
        return _core.descend_csc(x.data, x.indices, x.indptr, x.shape[0], self.mean, self.share, *common, *arrays)


def _dense_moments(x: Array, share: Array | None) -> tuple[Array, Array]:
    """Mean and variance of each column."""
    found = column_moments(x, share)
    return found.mean, found.deviation / found.weight


def _sparse_moments(x: Any, s: Array) -> tuple[Array, Array]:
    p = x.shape[1]
    owner = np.repeat(np.arange(p), np.diff(x.indptr))
    stored = s[x.indices]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.bincount(owner, weights=stored * x.data, minlength=p)
        square = np.bincount(owner, weights=stored * (x.data - mean[owner]) ** 2, minlength=p)
        square += np.maximum(1 - np.bincount(owner, weights=stored, minlength=p), 0) * mean**2
    return mean, square
