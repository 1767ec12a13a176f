"""What a fit of least squares keeps so that one can ask later how sure its coefficients are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.lazy import cached_property
from learnt.show.numbers import ROUNDING
from learnt.storable import FiniteNumbers, storable

#: Squared length of a coefficient's direction that may lie outside what the rows determine, by rounding alone.
UNDETERMINED = 1e-8
#: Rows farther away than so many spreads are looked at in units of their own, or their squares overflow.
FAR = 1e100


@storable
@dataclass(frozen=True, eq=False)
class Footing:
    """Sums of squares, and a root of the inverse of the cross products of the columns.

        (XᵀWX)⁻¹ = G·Gᵀ,   a row (1, x) has the coordinates (1, x)·G = (1/√Σw, (x − mean)/size · root)

    | field | meaning |
    |---|---|
    | `intercept`, `precision` | whether there is one; whether weights are precisions, not copies |
    | `rows`, `incomplete` | rows of positive weight, and how many of them had missing cells |
    | `weight`, `log_weight` | Σ w and Σ log w |
    | `rank` | how many columns say something of their own, the intercept not counted |
    | `residual`, `total` | Σ w (y − ŷ)² and Σ w (y − ȳ)²; without an intercept ȳ is 0 |
    | `level` | ȳ |
    | `mean`, `size` | of the columns of the design; sizes are 0 where a column does not vary, means without intercept |
    | `root` | columns × rank; None where the design was too wide for a matrix of columns × columns |
    """

    intercept: bool
    precision: bool
    rows: int
    incomplete: int
    weight: float
    log_weight: float
    rank: int
    residual: float
    total: float
    level: float
    mean: FiniteNumbers
    size: FiniteNumbers
    root: FiniteNumbers | None

    def __post_init__(self) -> None:
        p = self.size.shape
        if len(p) != 1 or self.mean.shape != p or (self.root is not None and self.root.shape != (*p, self.rank)):
            raise ValueError("The parts of a fit's footing do not fit each other.")
        if not (self.weight > 0 and self.rows > 0) or self.residual < 0 or self.total < 0:
            raise ValueError("A fit's footing counts no rows, or negative squares.")

    # How many, and how far off

    @property
    def n(self) -> float:
        """Observations: copies add up, precisions do not."""
        return float(self.rows) if self.precision else self.weight

    @property
    def n_coefficients(self) -> int:
        return self.rank + self.intercept

    @property
    def freedom(self) -> float:
        """Degrees of freedom that the coefficients have left to the residuals."""
        return self.n - self.n_coefficients

    @property
    def sigma(self) -> float:
        return math.sqrt(self.residual / self.freedom) if self.freedom > 0 else math.nan

    @property
    def flat(self) -> bool:
        """Whether the target does not vary."""
        return self.total <= (1e-14 * self.level) ** 2 * self.weight

    @property
    def exact(self) -> bool:
        """Whether nothing but rounding is left of the residuals."""
        return self.residual <= 1e-26 * (self.total + self.weight * self.level**2)

    @property
    def r2(self) -> float:
        return math.nan if self.flat else 1 - self.residual / self.total

    @property
    def adjusted_r2(self) -> float:
        if self.freedom <= 0:
            return math.nan
        return 1 - (1 - self.r2) * (self.n - self.intercept) / self.freedom

    @property
    def log_likelihood(self) -> float:
        """Of normal errors, at the most likely variance."""
        n = self.n
        if self.residual <= 0:
            return math.inf
        precision = self.log_weight / 2 if self.precision else 0.0
        return precision - n / 2 * (math.log(2 * math.pi * self.residual / n) + 1)

    def rounding(self, coef: Array) -> tuple[Array, float]:
        """How large coefficients and the intercept may be where rounding alone made them.

        A coefficient times the size of its column is compared with the size of the target, the intercept with the
        level and the terms it was made of.
        """
        target = math.sqrt(self.total + self.weight * self.level**2)
        level = abs(self.level) + float(np.abs(coef * self.mean).sum())
        return ROUNDING * _over(np.full(len(self.size), target), self.size), ROUNDING * level

    # Directions

    @cached_property
    def directions(self) -> Array:
        """Rows of G times size, the intercept first where there is one: (1 + columns) × coordinates."""
        assert self.root is not None
        if not self.intercept:
            return self.root
        ratio = _over(self.mean, self.size)
        first = np.append(1 / math.sqrt(self.weight), -(ratio @ self.root))
        return np.vstack([first, np.column_stack([np.zeros(len(self.size)), self.root])])

    @cached_property
    def units(self) -> Array:
        """What to divide each row of `directions` by; NaN for columns that do not vary."""
        size = np.where(self.size > 0, self.size, np.nan)
        return np.append(1.0, size) if self.intercept else size

    @cached_property
    def row_space(self) -> Array | None:
        """Orthonormal directions that the rows determine, columns × rank; None when that is all of them."""
        assert self.root is not None
        if self.rank == np.count_nonzero(self.size):
            return None
        space: Array = self.root / np.sqrt((self.root**2).sum(axis=0))
        return space

    @cached_property
    def determined(self) -> Array:
        """Which coefficients the rows determine, the intercept first where there is one."""
        varies = self.size > 0
        if self.root is None:
            return np.zeros(len(varies) + self.intercept, dtype=bool)
        at_zero = self.reached(np.where(varies, 0.0, self.mean)[None])[:1] if self.intercept else np.zeros(0, bool)
        if self.row_space is not None:
            varies = varies & ((self.row_space**2).sum(axis=1) > 1 - UNDETERMINED)
        return np.append(at_zero, varies).astype(bool)

    def coordinates(self, x: Array) -> Array:
        """Rows of a design matrix as (1, x)·G, rows × coordinates."""
        assert self.root is not None
        away = x - self.mean
        farthest = np.abs(away).max(axis=1, keepdims=True, initial=0.0)
        unit = np.where(farthest > FAR, farthest, 1.0)  # sums of infinities of both signs are none
        with np.errstate(over="ignore"):
            inside: Array = _over(away / unit, self.size) @ self.root * unit
        if not self.intercept:
            return inside
        return np.column_stack([np.full(len(x), 1 / math.sqrt(self.weight)), inside])

    def reached(self, x: Array) -> Array:
        """Which rows lie where the fitted rows say something: a constant column kept, collinear ones in step."""
        away = x - self.mean
        slack = 1e-9 * np.abs(self.mean)
        kept = (np.abs(away) <= slack) | (self.size > 0)
        inside: Array = kept.all(axis=1)
        if self.row_space is None:
            return inside
        with np.errstate(over="ignore", invalid="ignore"):  # infinitely far away is not reached
            z = _over(away, self.size)
            farthest = np.abs(z).max(axis=1, keepdims=True, initial=0.0)
            unit = np.where(farthest > FAR, farthest, 1.0)
            z = z / unit
            off = z - (z @ self.row_space) @ self.row_space.T
            length = np.maximum((z**2).sum(axis=1), 1 / self.weight / unit[:, 0] ** 2)
            inside &= (off**2).sum(axis=1) <= UNDETERMINED * length
        return inside


def _over(x: Array, size: Array) -> Array:
    """x / size, 0 where a column does not vary."""
    return np.divide(x, size, out=np.zeros(np.shape(x)), where=size > 0)
