"""Weights, means and centred products of columns: what least squares and principal components have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.passes import Statistic

_SAMPLED_ROWS = 256

#: Weight W, mean m and C = Σ w (z − m)(z − m)ᵀ of rows z; of numbers, three numbers.
ManyProducts = tuple[float, Any, Any]


@dataclass(frozen=True)
class Products(Statistic):
    """Of rows z: the weight W, the mean m, and C = Σ w (z − m)(z − m)ᵀ."""

    rows: int
    weight: float
    mean: Array
    products: Array

    @property
    def finite(self) -> bool:
        """False when a cell was missing, infinite, or so large that its square is."""
        return bool(np.isfinite(self.products).all() and np.isfinite(self.mean).all())

    def _shape(self) -> tuple[int, ...]:
        return (len(self.mean),)

    def _merge(self, other: Self) -> Self:
        mine, others = ((s.weight, s.mean, s.products) for s in (self, other))
        weight, mean, products = joined_products(mine, others)
        return replace(self, rows=self.rows + other.rows, weight=weight, mean=mean, products=products)


def joined_products(one: ManyProducts, two: ManyProducts) -> ManyProducts:
    """The products of the rows of both; rows without weight say nothing of mean and products."""
    if one[0] == 0 or two[0] == 0:
        return two if one[0] == 0 else one
    weight = one[0] + two[0]
    with np.errstate(over="ignore", invalid="ignore"):  # squares that overflow are found by whoever uses them
        share, apart = two[0] / weight, two[1] - one[1]
        return weight, one[1] + share * apart, one[2] + two[2] + share * one[0] * np.multiply.outer(apart, apart)


def typical_row(x: Array, y: Array | None, weights: Array | None) -> Array:
    """The mean of a few rows (x, y); without a target, 0 in its place."""
    return np.append(sample_mean(x, weights), 0.0 if y is None else sample_mean(y[:, None], weights))


def products_of(
    blocks: Iterable[tuple[Array, Array | None, Array | None]],
    shift_of: Callable[[Array, Array | None, Array | None], Array] = typical_row,
) -> ManyProducts:
    """The products of blocks of rows x, or (x, y) where they have a target, with their weights; threaded.

    Rows are shifted to near their mean before they are multiplied (`shift_of` finds it in the first block), so that
    numbers far from 0 lose no digits in the later correction by the true mean. There is at least one block.
    """
    shift = gram = np.zeros(0)
    alone = True
    for x, y, w in blocks:
        if not shift.size:
            alone = y is None
            shift = shift_of(x, y, w)
            gram = np.zeros((x.shape[1] + 2, x.shape[1] + 2))
        for part in _parts(x):
            some_y, some_w = (None if given is None else given[part] for given in (y, w))
            _core.add_gram(x[part], some_y, some_w, shift, gram)
    if alone:  # the kernel has a place for the target all the same
        shift, gram = shift[:-1], gram[:-1, :-1]
    weight = float(gram[0, 0])
    if weight == 0:
        return 0.0, shift, np.zeros_like(gram[1:, 1:])
    return weight, *centred_products(gram, shift)


def _parts(rows: Array) -> Iterator[slice]:
    """All rows at once, or of wide ones so few that Ctrl-C need not wait for long; the sums have the same bits."""
    step = max(len(rows), 1) if rows.shape[1] <= 512 else 2048
    yield from (slice(start, start + step) for start in range(0, max(len(rows), 1), step))


def centred_products(gram: Array, shift: Array) -> tuple[Array, Array]:
    """Mean and centred products from Σ w (1, x − shift)(1, x − shift)ᵀ, whose weight is above 0."""
    weight = float(gram[0, 0])
    offset = gram[0, 1:] / weight
    with np.errstate(invalid="ignore", over="ignore"):  # the caller asks whether they are finite
        products = gram[1:, 1:] - weight * np.outer(offset, offset)
    return shift + offset, products


def sample_mean(x: Array, weights: Array | None) -> Array:
    """The mean of a few rows; rows without weight may lie anywhere and are left out."""
    step = max(1, len(x) // _SAMPLED_ROWS)
    some = np.array(x[::step], dtype=np.float64, order="C")  # the layout of a table must not show in a bit
    if weights is not None:
        some = some[weights[::step] > 0]
    with np.errstate(invalid="ignore", over="ignore"):
        mean = some.mean(axis=0) if len(some) else np.zeros(x.shape[1])
    return np.where(np.isfinite(mean), mean, 0.0)
