"""The passes of logistic regression: what each look at the rows adds up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.lazy import cached_property
from learnt.linear.encoded import SparseSums, kernel_csr
from learnt.linear.least_squares.cross_products import CrossProducts, TakeCrossProducts
from learnt.linear.logistic.problem import Problem
from learnt.statistics.counts import ClassWeights
from learnt.statistics.sums import ArraySums, Sums


class CountWeights(Pass):
    """The weight of each class."""

    def __init__(self, n_classes: int):
        self.n_classes = n_classes

    def summarize(self, batch: Batch) -> ClassWeights:
        assert batch.target is not None
        return ClassWeights.of(batch.target, self.n_classes, batch.weights)


class TakeClassProducts(Pass):
    """Cross products of a matrix of numbers and a target of two classes, 0 and 1."""

    def summarize(self, batch: Batch) -> CrossProducts:
        assert batch.target is not None
        numbers = Batch(batch.table, batch.first_row, batch.target.astype(np.float64), batch.weights)
        return TakeCrossProducts(None).summarize(numbers)


class TakeSparseMoments(Pass):
    """Weight; and of each column of a sparse matrix the sums of cells and of squares, NaN if a cell is missing."""

    def summarize(self, batch: Batch) -> SparseSums:
        x, weights = batch.table.sparse, batch.weights
        assert x is not None
        weight = float(batch.n_rows) if weights is None else float(weights.sum())
        with np.errstate(over="ignore", invalid="ignore"):
            squares = x.data.astype(np.float64) ** 2
            sums = _column_sums(x, x.data, weights)
            return SparseSums(batch.n_rows, weight, sums, _column_sums(x, squares, weights))


def _column_sums(x: Any, cells: Array, weights: Array | None) -> Array:
    """Σ w · cell of each column: the curvature of shares of a half along 4 in all rows."""
    out, nothing = np.zeros((x.shape[1], 1)), np.zeros((x.shape[1], 1))
    indices, indptr, p = kernel_csr(x)[1:]
    halves = np.full((1, x.shape[0]), 0.5)
    _core.logistic_curvature_csr(cells, indices, indptr, p, weights, halves, nothing, np.array([4.0]), out, np.zeros(1))
    return out[:, 0]


@dataclass(frozen=True)
class Curvature(Sums):
    """At a point, in shifted columns (1, x − s): loss, gradient K × (1 + p), and the second derivatives."""

    rows: int
    loss: float
    gradient: Array
    hessian: Array  # K(1 + p) square

    @classmethod
    def at_zero(cls, products: CrossProducts, intercept: bool) -> Curvature:
        """Of two classes with all coefficients 0, where the cross products of rows and classes tell it all."""
        weight, mean = products.weight, products.mean
        p = len(mean) - 1
        gradient, hessian = np.zeros((1, p + 1)), np.zeros((p + 1, p + 1))
        if intercept:
            share, spread, moment = mean[-1], products.products, products.products[:-1, -1]
            loss = -weight * float(share * np.log(share) + (1 - share) * np.log(1 - share))
        else:
            share, spread = 0.5, products.raw()
            loss, moment = weight * float(np.log(2)), spread[:-1, -1] - weight * mean[:-1] / 2
        gradient[0, 1:] = -moment
        hessian[0, 0] = weight * share * (1 - share)
        hessian[1:, 1:] = share * (1 - share) * spread[:-1, :-1]
        return cls(products.rows, loss, gradient, hessian)


class TakeCurvature(Pass):
    """Loss, gradient and all second derivatives in one pass, for few columns."""

    def __init__(self, problem: Problem, coef: Array, intercept: Array, shift: Array):
        self.problem, self.coef, self.intercept, self.shift = problem, coef, intercept, shift

    def summarize(self, batch: Batch) -> Curvature:
        look = self._of_one_score if self.problem.n_scores == 1 else self._of_scores
        parts = [look(x, codes, weights) for x, codes, weights in self.problem.blocks(batch)]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def _of_one_score(self, x: Array, codes: Array, weights: Array | None) -> Curvature:
        gram = np.zeros((x.shape[1] + 2, x.shape[1] + 2))
        loss = _core.add_logistic_gram(x, codes, weights, self.coef[0], float(self.intercept[0]), self.shift, gram)
        return Curvature(len(x), loss, -gram[:-1, -1].reshape(1, -1), gram[:-1, :-1])

    def _of_scores(self, x: Array, codes: Array, weights: Array | None) -> Curvature:
        """The second derivatives by scores k ≠ l are −Σ w p_k p_l z zᵀ; those of one score make rows sum to 0."""
        k, m = self.coef.shape[0], x.shape[1] + 1
        shares, by_coef, by_intercept = np.empty((k, len(x))), np.zeros((k, m - 1)), np.zeros(k)
        loss = _core.logistic_gradient(x, codes, weights, self.coef, self.intercept, shares, by_coef, by_intercept)
        hessian = np.zeros((k, m, k, m))
        weighted = shares if weights is None else shares * weights
        shift = np.append(self.shift, 0.0)
        for a in range(k):
            for b in range(a):
                gram = np.zeros((m + 1, m + 1))
                _core.add_gram(x, None, weighted[a] * shares[b], shift, gram)
                pair = gram[:-1, :-1]
                hessian[a, :, b] -= pair
                hessian[b, :, a] -= pair
                hessian[a, :, a] += pair
                hessian[b, :, b] += pair
        gradient = np.column_stack([by_intercept, by_coef - np.outer(by_intercept, self.shift)])
        return Curvature(len(x), loss, gradient, hessian.reshape(k * m, k * m))


@dataclass(eq=False)
class Kept:
    """What is kept of a batch between passes: encoded rows, and the shares of the classes at the last point."""

    x: Any
    number: int = -1  # of the point
    shares: Array = field(default_factory=lambda: np.zeros((0, 0)))

    @cached_property
    def columns(self) -> tuple[Any, Any]:
        """A sparse matrix stored by columns, and the squares of its cells."""
        turned = self.x.tocsc()
        turned.indices = turned.indices.astype(np.int32, copy=False)
        squares = turned.copy()
        squares.data = squares.data.astype(np.float64) ** 2
        return turned, squares


class OverEncodedRows(Pass):
    """Passes that keep the encoded rows, where memory allows. `number` is that of the point they are about."""

    state: ClassVar[Literal["none", "cache", "required"]] = "cache"

    def __init__(self, problem: Problem, coef: Array, intercept: Array, number: int):
        self.problem, self.coef, self.intercept, self.number = problem, coef, intercept, number

    def __call__(self, batch: Batch, state: Any) -> tuple[ArraySums, Any]:
        kept = Kept(self.problem.encoded(batch)) if state is None else state
        return ArraySums(batch.n_rows, self.sums(batch, kept, self.problem.weights(batch))), kept

    def sums(self, batch: Batch, kept: Kept, weights: Array | None) -> tuple[Array, ...]:
        raise NotImplementedError

    def gradient(self, batch: Batch, kept: Kept, weights: Array | None) -> tuple[Array, Array, Array]:
        """Loss and gradient by coefficients and intercepts; the shares are kept."""
        assert batch.target is not None
        x, coef = kept.x, self.coef
        shares, by_intercept = np.empty((len(coef), x.shape[0])), np.zeros(len(coef))
        if isinstance(x, np.ndarray):
            by_coef = np.zeros_like(coef)
            loss = _core.logistic_gradient(
                x, batch.target, weights, coef, self.intercept, shares, by_coef, by_intercept
            )
        else:
            turned = np.ascontiguousarray(coef.T)
            out = np.zeros_like(turned)
            loss = _core.logistic_gradient_csr(
                *kernel_csr(x), batch.target, weights, turned, self.intercept, shares, out, by_intercept
            )
            by_coef = out.T
        kept.number, kept.shares = self.number, shares
        return np.array([loss]), by_coef, by_intercept


class TakeGradient(OverEncodedRows):
    """Loss, gradient by coefficients and by intercepts, and Σ w p (1 − p) of each score, at a new point."""

    def sums(self, batch: Batch, kept: Kept, weights: Array | None) -> tuple[Array, ...]:
        found = self.gradient(batch, kept, weights)
        spread = kept.shares * (1 - kept.shares)
        return (*found, spread.sum(axis=1) if weights is None else spread @ weights)


class TakeProduct(OverEncodedRows):
    """The second derivatives at a point times a direction."""

    def __init__(self, problem: Problem, coef: Array, intercept: Array, number: int, along: tuple[Array, Array]):
        super().__init__(problem, coef, intercept, number)
        self.along = along

    def sums(self, batch: Batch, kept: Kept, weights: Array | None) -> tuple[Array, ...]:
        if kept.number != self.number:  # an engine forgot
            self.gradient(batch, kept, weights)
        direction, direction0 = (np.ascontiguousarray(a) for a in self.along)
        out0 = np.zeros_like(direction0)
        if isinstance(kept.x, np.ndarray):
            out = np.zeros_like(direction)
            _core.logistic_curvature(kept.x, weights, kept.shares, direction, direction0, out, out0)
            return out, out0
        turned = np.ascontiguousarray(direction.T)
        sparse_out = np.zeros_like(turned)
        _core.logistic_curvature_csr(*kernel_csr(kept.x), weights, kept.shares, turned, direction0, sparse_out, out0)
        return sparse_out.T, out0
