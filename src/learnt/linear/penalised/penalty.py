"""What a coefficient costs: the penalties of ridge, lasso, elastic net and group lasso in one formula."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array


@dataclass(frozen=True)
class Penalty:
    """alpha · (l1_ratio · Σ_g factor_g |b_g| + (1 − l1_ratio)/2 · Σ_g square_factor_g |b_g|²)

    over groups g of columns: group g is columns starts[g] to starts[g + 1]; |b_g| is the Euclidean length, of one
    column the absolute value. An infinite factor keeps a group at zero.
    """

    starts: Array
    factor: Array
    square_factor: Array
    l1_ratio: float = 1.0
    positive: bool = False

    @classmethod
    def of_columns(cls, n_columns: int, l1_ratio: float = 1.0, positive: bool = False) -> Penalty:
        """Each column for itself, all alike."""
        ones = np.ones(n_columns)
        return cls(np.arange(n_columns + 1), ones, ones, l1_ratio, positive)

    def grouped(self, design: Design) -> Penalty:
        """The indicators of a nominal column as one group, which costs √size times as much as a column."""
        ends = np.append(design.starts, design.n_columns).astype(np.int64)
        sizes = np.diff(ends)
        starts = np.append(ends[:-1][sizes > 0], design.n_columns).astype(np.int64)
        size = np.diff(starts).astype(np.float64)
        return replace(self, starts=starts, factor=np.sqrt(size), square_factor=np.ones(len(size)))

    def scaled(self, spread: Array) -> Penalty:
        """As if columns were divided by their spread; of a group, by the root of its mean square."""
        together = np.sqrt(self._sums(spread**2) / np.diff(self.starts))
        return replace(self, factor=self.factor * together, square_factor=self.square_factor * together**2)

    def adapted(self, pilot: Array) -> Penalty:
        """Divided by the size of the coefficients of a pilot fit: what was large there costs little here."""
        largest = float(np.abs(pilot).max(initial=0.0)) or 1.0  # its square may be none
        with np.errstate(divide="ignore"):
            return replace(self, factor=self.factor / largest / np.sqrt(self._sums((pilot / largest) ** 2)))

    def l1(self, alpha: float) -> Array:
        return alpha * self.l1_ratio * self.factor

    def l2(self, alpha: float) -> Array:
        return alpha * (1 - self.l1_ratio) * self.square_factor

    def cost(self, coef: Array, alpha: float) -> float:
        length = self.lengths(coef)
        used = length > 0  # an infinite factor times zero costs nothing
        return float(self.l1(alpha)[used] @ length[used] + self.l2(alpha) @ length**2 / 2)

    def largest(self, correlation: Array) -> float:
        """The smallest alpha at which every coefficient is zero, from the correlations of columns and target."""
        pull = self.lengths(np.maximum(correlation, 0) if self.positive else correlation)
        usable = np.isfinite(self.factor) & (self.factor > 0)
        if not usable.any():
            return 0.0
        with np.errstate(over="ignore"):
            top = float((pull[usable] / self.factor[usable]).max() / self.l1_ratio)
        return min(top, 1e300)  # which leaves nothing worth mentioning, and of which a path has room to fall

    def lengths(self, values: Array) -> Array:
        """|v_g| of each group."""
        if len(self.factor) == len(values):
            return np.abs(values)
        unit = math.ldexp(1.0, math.frexp(float(np.abs(values).max(initial=0.0)))[1] - 1)  # whose square is a number
        return unit * np.sqrt(self._sums((values / unit) ** 2))

    def group_of_column(self) -> Array:
        return np.repeat(np.arange(len(self.factor)), np.diff(self.starts))

    def _sums(self, values: Array) -> Array:
        sums: Array = np.bincount(self.group_of_column(), weights=values, minlength=len(self.factor))
        return sums
