"""What logistic regression minimises, and the coordinates in which it is easy to minimise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.encoded_rows import ENCODED_ROWS, dense
from learnt.engine.passes import Batch

#: Most cells of rows spread out at a time.
_CELLS = 1 << 24


@dataclass(frozen=True, eq=False)
class Problem:
    """Σ_i w_i f(class of i) · −log p(class of i | x_i) + l1 Σ|u b| + ½ l2 Σ (u b)², b₀ unpenalised.

    One row of coefficients for two classes, else one per class: `n_scores`. `factors` are the class weights f, by
    class. `columns` are those of the design that take part, None for all. `plain` says that tables are matrices
    without missing cells. `units` are u, by design column, None for 1: in what units coefficients are penalised.
    """

    design: Design
    n_scores: int
    l1: float
    l2: float
    intercept: bool
    factors: Array | None = None
    columns: Array | None = None
    plain: bool = False
    units: Array | None = None

    @property
    def n_columns(self) -> int:
        return self.design.n_columns if self.columns is None else len(self.columns)

    def on(self, columns: Array) -> Problem:
        """The same with some columns only; the others' coefficients are 0."""
        return replace(self, columns=columns, units=None if self.units is None else self.units[columns])

    def weights(self, batch: Batch) -> Array | None:
        if self.factors is None:
            return batch.weights
        factors: Array = self.factors[batch.target]
        return factors if batch.weights is None else factors * batch.weights

    def encoded(self, batch: Batch) -> Any:
        """All rows of a batch as a matrix, dense or CSR."""
        x: Any = batch.table.matrix if self.plain else self.design.encode(batch.table)
        return x if self.columns is None else x[:, self.columns]

    def blocks(self, batch: Batch) -> Iterator[tuple[Array, Array, Array | None]]:
        """Dense matrix, codes and weights, some rows at a time; a matrix that is there already, at once."""
        rows = max(batch.n_rows, 1)
        if not self.plain or self.columns is not None:
            rows = min(ENCODED_ROWS, max(64, _CELLS // max(self.n_columns, 1)))
        for start in range(0, max(batch.n_rows, 1), rows):
            part = batch if rows >= batch.n_rows else batch.rows(start, start + rows)
            assert part.target is not None
            yield dense(self.encoded(part)), part.target, self.weights(part)

    def penalised(self, scale: Array) -> Array:
        """Coefficients, or what a unit of each coordinate is to them, in the units of the penalty."""
        return scale if self.units is None else scale * self.units

    @property
    def ridge_of_lasso(self) -> float:
        """l2 / l1², which is infinite where a lasso of 1e-300 is next to no ridge at all; only for l1 above 0."""
        return self.l2 / self.l1 / self.l1

    def penalty(self, coef: Array) -> float:
        coef = self.penalised(coef)
        return self.l1 * float(np.abs(coef).sum()) + 0.5 * self.l2 * float((coef**2).sum())


@dataclass(frozen=True, eq=False)
class View:
    """Standardised coordinates: b = scale · β and b₀ = α − b · shift, for K × (1 + p) numbers (α, β).

    The penalty stays that of b. Columns that do not vary have the scale 0, hence the coefficient 0.
    """

    shift: Array
    scale: Array

    @classmethod
    def of(cls, mean: Array, variance: Array, intercept: bool) -> View:
        """With an intercept columns are centred; without one they cannot be, and are measured from 0."""
        shift = mean if intercept else np.zeros_like(mean)
        with np.errstate(over="ignore"):
            size = np.sqrt(variance) if intercept else np.hypot(np.sqrt(variance), mean)
        varies = size > 1e-14 * np.abs(mean)
        return cls(shift, np.divide(1.0, size, out=np.zeros_like(size), where=varies & (size > 0)))

    def on(self, columns: Array) -> View:
        return View(self.shift[columns], self.scale[columns])

    def stretch(self, n_scores: int) -> Array:
        """K × (1 + p): what a unit of each coordinate is in the user's units."""
        return np.broadcast_to(np.append(1.0, self.scale), (n_scores, len(self.scale) + 1))

    def to_user(self, point: Array) -> tuple[Array, Array]:
        coef = np.ascontiguousarray(point[:, 1:] * self.scale)
        return coef, point[:, 0] - coef @ self.shift

    def from_user(self, coef: Array, intercept: Array) -> Array:
        inverse = np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0)
        used = np.where(self.scale > 0, coef, 0.0)
        return np.column_stack([intercept + used @ self.shift, used * inverse])

    def gradient(self, by_coef: Array, by_intercept: Array) -> Array:
        """The gradient in these coordinates, from that in the user's."""
        return np.column_stack([by_intercept, (by_coef - np.outer(by_intercept, self.shift)) * self.scale])


def units_of_numbers(design: Design, scale: Array) -> Array:
    """The sizes of the columns of numbers and ranks, by the scales of their coordinates; 1 for indicators.

    An indicator has no unit to get rid of; divided by its deviation, a rare category would hardly be penalised at all.
    """
    numbers = scale > 0
    if not design.schema.all_numeric:
        numbers &= np.array([column.kind in ("numeric", "ordinal") for column in design.schema])[design.owner]
    return np.divide(1.0, scale, out=np.ones_like(scale), where=numbers)


@dataclass(frozen=True, eq=False)
class Solution:
    """Where a solver ended: standardised coordinates, the objective there, and how far it may be from the least.

    `gap` is estimated, by the quadratic that fits the objective best. `step` is the last one, by which separated
    classes are recognised.
    """

    point: Array
    objective: float
    gap: float
    n_iter: int
    converged: bool
    step: Array
