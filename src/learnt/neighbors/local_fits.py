"""Weighted least squares around each of many points."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array

#: Directions whose share of the variance is less are no direction: rounding, or columns that depend on others.
NOTHING = 1e-10

#: A term whose spread is so much smaller than itself is the same in all neighbours, but for rounding.
ALIKE = 1e-7


@dataclass(frozen=True)
class LocalFit:
    """The answer at each point: a local mean, and what each term adds to it."""

    mean: Array
    terms: Array

    @property
    def answer(self) -> Array:
        values: Array = self.mean + self.terms.sum(axis=1)
        return values


def local_fits(points: Array, rows: Array, y: Array, weights: Array, degree: int) -> LocalFit:
    """A polynomial around each point, by weighted least squares of its neighbours.

        ŷ(q) = ȳ + Σ_t β_t (f_t(q) − f̄_t),   means and β by the weights of the neighbours

    Terms f_t are the coordinates, with degree 2 also their squares and products, all taken from the point. Where
    neighbours do not tell terms apart, these share their effect (smallest norm of standardised β).

    points   points × coordinates
    rows     points × neighbours × coordinates
    y, weights   points × neighbours; some weight of each point is above 0
    """
    share = weights / weights.sum(axis=1, keepdims=True)
    mean = (share * y).sum(axis=1)
    if degree == 0 or points.shape[1] == 0:
        return LocalFit(mean, np.zeros(points.shape))
    f = _terms(rows - points[:, None, :], degree)
    heavy = f * share[:, :, None]
    center = heavy.sum(axis=1)
    square = f.transpose(0, 2, 1) @ heavy - center[:, :, None] * center[:, None, :]
    right = ((y - mean[:, None])[:, None, :] @ heavy)[:, 0, :]
    size = np.sqrt(np.maximum(np.einsum("btt->bt", square), 0.0))
    alike = size <= ALIKE * np.sqrt(np.einsum("btt->bt", square) + center * center)
    scale = np.where(alike, 0.0, 1 / np.where(alike, 1.0, size))
    beta = scale * _smallest(square * scale[:, :, None] * scale[:, None, :], right * scale)
    # The polynomial is taken from the point: there its terms are 0, which is −f̄ from their means.
    return LocalFit(mean, -center * beta)


def pairs(p: int) -> tuple[Array, Array]:
    """Which two coordinates each squared or product term is of."""
    first, second = np.triu_indices(p)
    return first, second


def _terms(z: Array, degree: int) -> Array:
    if degree == 1:
        return z
    first, second = pairs(z.shape[2])
    return np.concatenate([z, z[:, :, first] * z[:, :, second]], axis=2)


def _smallest(square: Array, right: Array) -> Array:
    """The β of smallest norm with square β = right."""
    values, vectors = np.linalg.eigh(square)
    tiny = values <= NOTHING * np.maximum(values[:, -1:], np.finfo(np.float64).tiny)
    turned = (right[:, None, :] @ vectors)[:, 0, :]
    along = np.where(tiny, 0.0, turned / np.where(tiny, 1.0, values))
    beta: Array = (vectors @ along[:, :, None])[:, :, 0]
    return beta


def blocks_of(n: int, cells: int, most: int) -> Generator[slice, Any, None]:
    """Points at a time, so that so many cells each fit into `most`."""
    step = max(1, most // max(cells, 1))
    yield from (slice(first, min(first + step, n)) for first in range(0, n, step))
