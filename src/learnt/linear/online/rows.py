"""Rows for learners that meet them one after the other: encoded once, centred and scaled as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.row_keys import ORDERED_UP_TO, are_copies, order_of_points, places_to_draw
from learnt.data.table import Array
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.errors import InputError
from learnt.linear.encoded import Encoded, kernel_csr
from learnt.storable import Numbers, storable


@storable
@dataclass(frozen=True, eq=False)
class Scaling:
    """z = (x − shift) · scale, column by column of the design; a scale of 0 leaves a column out."""

    shift: Numbers
    scale: Numbers

    def __post_init__(self) -> None:
        if self.shift.ndim != 1 or self.shift.shape != self.scale.shape:
            raise ValueError("A scaling needs one shift and one scale per column.")

    def in_units(self, coef: Array, intercept: Array) -> tuple[Array, Array]:
        """Coefficients for x, from those for z."""
        with np.errstate(over="ignore", invalid="ignore"):  # whoever descends asks whether they are finite
            per_unit = coef * self.scale
            return per_unit, intercept - per_unit @ self.shift

    def mean_square(self, rows: Encoded) -> float:
        """The mean of |z|² over the rows."""
        variance = np.where(self.scale > 0, rows.variance, 0.0) * self.scale**2
        return float((variance + (self.scale * (rows.mean - self.shift)) ** 2).sum())


def plain_scaling(rows: Encoded) -> Scaling:
    """Columns unchanged, except that those which do not vary are left out."""
    return Scaling(np.zeros(rows.design.n_columns), rows.varies().astype(np.float64))


def standard_scaling(rows: Encoded, *, center: bool) -> Scaling:
    """Numbers centred and divided by their spread; indicators as they are, columns that do not vary left out.

    A numeric column of zeros and ones is an indicator too, so that it enters as the same column of False and True.

    The spread is the standard deviation over the square root of the share of cells that are not 0: that of a dense
    column itself, and about the size of the stored cells of a sparse one, so that a rare word is not blown up.
    """
    design, varies = rows.design, rows.varies()
    scaled = varies.copy()
    if not design.schema.all_numeric:
        numeric = np.array([c.kind in ("numeric", "ordinal") for c in design.schema], dtype=bool)
        scaled &= numeric[design.owner]
    share = rows.stored_share()
    scaled &= ~_is_indicator(rows.mean, rows.variance, share)
    scale = varies.astype(np.float64)
    with np.errstate(over="ignore"):
        scale[scaled] = np.sqrt(share[scaled] / rows.variance[scaled])
    return Scaling(np.where(scaled & center, rows.mean, 0.0), np.where(np.isfinite(scale), scale, 0.0))


def scaled_rows(x: Any, scaling: Scaling) -> Any:
    """z of a matrix, dense or CSR, as a copy. Sparse rows stay sparse where nothing is shifted."""
    if isinstance(x, np.ndarray):
        return (x.astype(np.float64) - scaling.shift) * scaling.scale
    from scipy.sparse import csr_matrix

    if scaling.shift.any():  # the model was made of dense rows
        return scaled_rows(x.toarray(), scaling)
    data = x.data * scaling.scale[x.indices]
    return csr_matrix((data, x.indices, x.indptr), shape=x.shape)


def _is_indicator(mean: Array, variance: Array, share: Array) -> Array:
    """Which columns hold nothing but 0 and 1: over the cells that are not 0, Σ(x − 1)² = Σx² − 2Σx + Σ1 is 0."""
    with np.errstate(over="ignore"):
        only_ones: Array = (np.abs(mean - share) <= 1e-9 * share) & (
            np.abs(variance - mean * (1 - mean)) <= 1e-6 * variance
        )
    return only_ones


def rows_to_draw(matrix: Any, target: Array, weights: Array | None) -> tuple[Any, Array, Array | None]:
    """Rows that are met in a drawn order: copies side by side, whole weights as copies; large tables as they came."""
    n, p = matrix.shape
    dense = isinstance(matrix, np.ndarray)
    if n > ORDERED_UP_TO or (not dense and n * p > 4_000_000):
        return matrix, target, weights
    points = matrix if dense else matrix.toarray()
    there = np.arange(n) if weights is None else np.flatnonzero(weights)
    there = there[np.argsort(target[there], kind="stable")]  # decides between equal rows
    rank = np.zeros(n, np.int64)
    rank[there[order_of_points(points[there])]] = np.arange(len(there))
    places = places_to_draw(rank, weights)
    assert places is not None
    w = None if weights is None or are_copies(weights) else weights[places]
    some = matrix[places]
    return np.ascontiguousarray(some) if dense else some, target[places], w


def of_mean_one(weights: Array | None) -> Array | None:
    """Weights relative to the mean of those above 0: a step is as long as without weights."""
    return None if weights is None else weights * (np.count_nonzero(weights) / weights.sum())


def center_and_spread(target: Array, weights: Array | None, centered: bool) -> tuple[float, float]:
    """What is taken off a target, and what it is divided by: its mean and spread, 1 where it does not vary."""
    center = float(np.average(target, weights=weights)) if centered else 0.0
    with np.errstate(over="ignore"):
        spread = float(np.sqrt(np.average((target - center) ** 2, weights=weights)))
    if not np.isfinite(spread):
        raise InputError("The target holds values so large that their squares overflow. Scale it down first.")
    return center, spread if spread > 1e-14 * abs(center) else 1.0


@dataclass(frozen=True)
class OnlineRows:
    """A matrix to go through again and again, with its scaling and the weights of its rows.

    `places` lists the rows that take part, None for all; rows without weight never do.
    """

    matrix: Any
    scaling: Scaling
    weights: Array | None
    places: Array | None

    @classmethod
    def of(cls, matrix: Any, scaling: Scaling, weights: Array | None) -> OnlineRows:
        places = None
        if weights is not None and not weights.all():
            places = np.flatnonzero(weights).astype(np.int64)
        if not isinstance(matrix, np.ndarray):
            data, indices, indptr, p = kernel_csr(matrix)
            if not (scaling.scale == 1).all():
                scaled = np.empty(len(data))
                _core.scale_columns(data, indices, indptr, p, scaling.scale, scaled)
                data = scaled
            matrix = data, indices, indptr, p
        return cls(matrix, scaling, weights, places)

    @property
    def sparse(self) -> bool:
        return isinstance(self.matrix, tuple)

    @property
    def n_rows(self) -> int:
        return len(self.matrix[2]) - 1 if self.sparse else len(self.matrix)

    @property
    def n_columns(self) -> int:
        return len(self.scaling.scale)

    @property
    def n_taking_part(self) -> int:
        return self.n_rows if self.places is None else len(self.places)

    @property
    def total_weight(self) -> float:
        if self.weights is None:
            return float(self.n_taking_part)
        return float(self.weights.sum() if self.places is None else self.weights[self.places].sum())

    def taking_part(self, values: Array) -> Array:
        """Of one value per row, those of the rows that take part."""
        return values if self.places is None else values[self.places]

    def course(self, seed: int, epoch: int, drawn: bool) -> tuple[Any, ...]:
        """How a pass goes through the rows, as kernels take it."""
        return self.places, self.weights, seed, epoch, drawn

    def descend(self, values: Array | None, codes: Array | None, course: tuple[Any, ...], *rest: Any) -> None:
        """`_core.descend` over these rows; see there for the rest."""
        if self.sparse:
            data, indices, indptr, p = self.matrix
            _core.descend_csr(data, indices, indptr, p, self._taken_off(), values, codes, course, *rest)
        else:
            _core.descend(self.matrix, self.scaling.shift, self.scaling.scale, values, codes, course, *rest)

    def _taken_off(self) -> Array | None:
        """What centring takes off the cells of a sparse matrix, which are scaled already."""
        mean: Array = self.scaling.shift * self.scaling.scale
        return mean if mean.any() else None

    def perceptron_pass(self, codes: Array, course: tuple[Any, ...], *rest: Any) -> None:
        if self.sparse:
            data, indices, indptr, p = self.matrix
            _core.perceptron_pass_csr(data, indices, indptr, p, self._taken_off(), codes, course, *rest)
        else:
            _core.perceptron_pass(self.matrix, self.scaling.shift, self.scaling.scale, codes, course, *rest)

    def blocks(self) -> Iterator[Array]:
        """Some thousand rows at a time, of those that take part: dense, centred and scaled."""
        n, p = self.n_taking_part, max(self.n_columns, 1)
        step = max(1, min(ENCODED_ROWS, 4_000_000 // p))
        for start in range(0, n, step):
            some = slice(start, start + step) if self.places is None else self.places[start : start + step]
            if self.sparse:  # its cells are scaled already
                x: Array = self._csr()[some].toarray()
                yield x - self.scaling.shift * self.scaling.scale
            else:
                yield (self.matrix[some].astype(np.float64) - self.scaling.shift) * self.scaling.scale

    def dense(self) -> Array:
        """All rows that take part, for tables that are small."""
        return np.concatenate([*self.blocks()]) if self.n_taking_part else np.zeros((0, self.n_columns))

    def _csr(self) -> Any:
        from scipy.sparse import csr_matrix

        data, indices, indptr, p = self.matrix
        return csr_matrix((data, indices, indptr), shape=(self.n_rows, p), copy=False)

    def scores(self, coef: Array, intercept: Array, some: Array | None = None) -> Array:
        """b + w·z of some rows, or of all: rows × units."""
        per_unit, base = self.scaling.in_units(coef, intercept)
        if self.sparse:
            x = self._csr() if some is None else self._csr()[some]
            found: Array = x @ coef.T + base  # its cells are scaled already
            return found
        cells = self.matrix if some is None else self.matrix[some]
        of_cells: Array = cells @ per_unit.T + base
        return of_cells
