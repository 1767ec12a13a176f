"""Ridge where rows are fewer than columns: the matrix of rows × rows is decomposed instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.lazy import cached_property
from learnt.linear.least_squares.coefficients import TRUSTED_CONDITION, Fit
from learnt.linear.penalised.active_set import solve_system
from learnt.linear.penalised.problem import RowProblem


class RowSide:
    """With X the centred rows times √share, K = X Xᵀ = U D Uᵀ:  b = Xᵀ (K + alpha)⁻¹ y.

    Penalties count against shares of the rows, which add up to 1. `values` is D, falling, and `along` is Uᵀ y,
    worked out when first asked for.
    Sparse rows are centred by arithmetic, never written out.
    """

    def __init__(self, problem: RowProblem, standardize: bool):
        self.problem = problem
        n = len(problem.target)
        self.share = np.full(n, 1 / n) if problem.share is None else problem.share
        self.root = np.sqrt(self.share)
        spread = problem.spread if standardize else np.ones(len(problem.mean))
        self.scale = np.where(problem.square > 0, 1 / spread, 0.0)
        self.target = self.root * problem.target
        self.rows: Array | None = None
        if not problem.sparse:
            self.rows = self.root[:, None] * ((problem.x - problem.mean) * self.scale)
        self.gram = self._gram()

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        gram, known = self.gram, 0
        if self.problem.intercept:
            # Centred rows do not reach the direction √share. What rounding would leave of its eigenvalue 0 is not small
            # beside small penalties: it is moved to the front, where it is known, and left out.
            gram, known = gram + 2 * np.trace(gram) * np.outer(self.root, self.root), int(bool(gram.any()))
        values, vectors = np.linalg.eigh(gram)
        return np.maximum(values[::-1][known:], 0.0), np.ascontiguousarray(vectors[:, ::-1][:, known:])

    @property
    def values(self) -> Array:
        return self.spectrum[0]

    @cached_property
    def along(self) -> Array:
        along: Array = self.spectrum[1].T @ self.target
        return along

    def solve(self, alpha: float) -> Fit:
        """By Cholesky where the penalty makes that safe; else from the directions that rows reach."""
        problem, size = self.problem, max(len(self.target), len(self.scale))
        weights = (
            solve_system(self.gram + alpha * np.eye(len(self.gram)), self.target, TRUSTED_CONDITION) if alpha else None
        )
        if weights is None:
            values, vectors = self.spectrum
            reached = values > values[0] * np.finfo(np.float64).eps * size
            weights = vectors[:, reached] @ (self.along[reached] / (values[reached] + alpha))
        coef = self._back(weights) * self.scale
        return Fit(coef, problem.constant_term(coef), problem.mean, len(self.target), float("nan"))

    def errors_left_out(self, alphas: Array) -> Array:
        """The mean of squared errors of each row when it (of weight above 1: one copy of it) is left out, by alpha.

        What a penalty takes from each direction is added up, not what it leaves: where a row alone decides a direction,
        both the error and 1 − leverage are small, and differences would be all rounding.
        """
        values, vectors = self.spectrum
        taken = alphas / (values[:, None] + alphas)
        error = vectors @ (taken * self.along[:, None])
        free = vectors**2 @ taken  # 1 − leverage of the row with its whole weight
        w = self.share[:, None] * self.problem.weight
        copy = np.divide(np.minimum(w, 1.0), w, out=np.zeros_like(w), where=w > 0)
        with np.errstate(over="ignore"):  # of targets near 1e150 rows that decide alone are infinitely wrong without
            total: Array = ((error / np.maximum(1 - copy + copy * free, 1e-12)) ** 2).sum(axis=0)
        return total

    def _gram(self) -> Array:
        n = len(self.target)
        if self.rows is not None:
            gram = np.zeros((n + 2, n + 2))
            _core.add_gram(self.rows.T, None, None, np.zeros(n + 1), gram)
            return gram[1:-1, 1:-1]
        z, mean = self._scaled(), self.problem.mean * self.scale
        cross = np.asarray(z @ mean)
        raw: Array = (z @ z.T).toarray()
        raw += mean @ mean - cross[:, None] - cross
        return raw * np.outer(self.root, self.root)

    def _back(self, v: Array) -> Array:
        """Xᵀ v"""
        if self.rows is not None:
            return self.rows.T @ v
        weighted = self.root * v
        back: Array = self._scaled().T @ weighted - self.problem.mean * self.scale * weighted.sum()
        return back

    def _scaled(self) -> Any:
        return self.problem.x.multiply(self.scale).tocsr()
