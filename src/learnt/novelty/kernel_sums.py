"""Novelty by sums of Gaussian kernels around fitted rows: their density, and the border of a one-class machine."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array, Table
from learnt.kernel import Kernel, OneClassSVM, add_sums
from learnt.novelty.rows_as_numbers import RowsAsNumbers
from learnt.storable import FiniteNumbers, storable

#: Sums below are added as logarithms: kernels end at about 1e−130.
VANISHING = 1e-100


@storable
@dataclass(frozen=True, eq=False)
class KernelDensityAround:
    """−log f(x),   f(x) = Σ_i w_i Π_j N(x_j; x_ij, h_j²) / Σ_i w_i,   h_j = deviation · n^(−1/(p + 4))  (Scott).

    In parts: Σ_i r_i (x_j − x_ij)²/(2 h_j²) of each column, r_i the share of row i in the density at x; the base is
    what the density is at its kernels' centres, and how many share it.
    """

    encoding: RowsAsNumbers
    width: FiniteNumbers
    points: FiniteNumbers  # in units of the widths
    weights: FiniteNumbers  # which add up to 1

    def __post_init__(self) -> None:
        p = self.encoding.n_columns
        if self.width.shape != (p,) or np.any(self.width <= 0) or self.points.shape != (len(self.weights), p):
            raise ValueError("The kernels do not fit the columns.")
        if len(self.weights) == 0 or np.any(self.weights <= 0):
            raise ValueError("The weights of the kernels are not positive.")

    @classmethod
    def fitted(cls, table: Table, weights: Array, *, standardize: bool) -> KernelDensityAround:
        encoding = RowsAsNumbers.of(table, weights, standardize=standardize)
        z, total = encoding.encode(table), float(weights.sum())
        center = (weights[:, None] * z).sum(axis=0) / total
        deviation = np.sqrt((weights[:, None] * (z - center) ** 2).sum(axis=0) / total)
        varying = int(np.count_nonzero(deviation))
        width = np.where(deviation > 0, deviation, 1.0) * max(total, 1.0) ** (-1 / (varying + 4))
        return cls(encoding, width, z / width, weights / total)

    @property
    def base_words(self) -> str:
        return "at the rows around it"

    @property
    def _constant(self) -> float:
        """−log of a kernel at its centre."""
        return float(np.log(self.width).sum() + 0.5 * len(self.width) * math.log(2 * math.pi))

    def novelty(self, table: Table) -> Array:
        z = self.encoding.encode(table) / self.width
        sums = np.zeros((len(z), 1))
        add_sums(Kernel("rbf", 0.5), z, self.points, self.weights[:, None], sums)
        with np.errstate(divide="ignore"):
            logs = np.log(sums[:, 0])
        for i in np.flatnonzero(~(sums[:, 0] > VANISHING)).tolist():
            logs[i] = self._responsible(z[i])[1]
        return np.asarray(self._constant - logs)

    def _responsible(self, z: Array) -> tuple[Array, float]:
        """The share of each fitted row in the density at a point, and the logarithm of their sum."""
        terms = np.log(self.weights) - 0.5 * ((z - self.points) ** 2).sum(axis=1)
        most = terms.max()
        sizes = np.exp(terms - most)
        return sizes / sizes.sum(), float(most + math.log(sizes.sum()))

    def parts(self, table: Table) -> tuple[Array, Array]:
        z = self.encoding.encode(table) / self.width
        base, parts = np.empty(len(z)), np.empty(z.shape)
        for i, row in enumerate(z):
            share, log = self._responsible(row)
            parts[i] = share @ (0.5 * (row - self.points) ** 2)
            base[i] = self._constant - log - parts[i].sum()
        return base, self.encoding.fold(parts)


@storable
@dataclass(frozen=True, eq=False)
class OneClassBorder:
    """ρ − Σ_i α_i k(x_i, x) of a one-class machine, Σ_i α_i = 1: above 0 outside of its border.

    In parts: each support vector lacks 1 − k of what it gives at its place, which the columns share as they share its
    squared distance; the base is the novelty of a row at the place of all.
    """

    encoding: RowsAsNumbers
    gamma: float
    points: FiniteNumbers
    alpha: FiniteNumbers
    offset: float

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape != (len(self.alpha), self.encoding.n_columns):
            raise ValueError("The support vectors do not fit the columns.")
        if not (self.gamma > 0 and math.isfinite(self.gamma) and math.isfinite(self.offset)):
            raise ValueError("The border is not that of a machine.")

    @classmethod
    def fitted(cls, table: Table, weights: Array, nu: float, *, standardize: bool) -> OneClassBorder:
        encoding = RowsAsNumbers.of(table, weights, standardize=standardize)
        z, total = encoding.encode(table), float(weights.sum())
        center = (weights[:, None] * z).sum(axis=0) / total
        variance = float((weights[:, None] * (z - center) ** 2).sum() / total)
        gamma = 1 / variance if variance > 0 else 1.0
        even = weights * (len(z) / total)
        machine = OneClassSVM(nu=nu, gamma=gamma, standardize=False).fit(z, sample_weight=even)
        scale = 1 / (nu * float(even.sum()))  # so that the coefficients add up to 1, whatever the weights
        points, alpha = np.ascontiguousarray(z[machine.support_]), np.ascontiguousarray(machine.dual_coef_[0])
        return cls(encoding, gamma, points, alpha * scale, machine.offset_ * scale)

    @property
    def base_words(self) -> str:
        return "at the support vectors"

    def novelty(self, table: Table) -> Array:
        z = self.encoding.encode(table)
        sums = np.zeros((len(z), 1))
        if len(self.alpha):
            add_sums(Kernel("rbf", self.gamma), z, self.points, self.alpha[:, None], sums)
        return np.asarray(self.offset - sums[:, 0])

    def parts(self, table: Table) -> tuple[Array, Array]:
        z = self.encoding.encode(table)
        parts = np.zeros(z.shape)
        for i, row in enumerate(z):
            squares = (row - self.points) ** 2
            total = squares.sum(axis=1, keepdims=True)
            lacking = self.alpha * -np.expm1(-self.gamma * total[:, 0])
            parts[i] = lacking @ np.divide(squares, total, out=np.zeros_like(squares), where=total > 0)
        return np.full(len(z), self.offset - self.alpha.sum()), self.encoding.fold(parts)
