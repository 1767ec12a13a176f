"""Products of columns by class where cells are missing: those that are expected, given the cells that are there.

Of a row of class c, let M be its missing cells and O the others, d = z − μ_c with 0 at M, and Λ = Σ_c⁻¹. Then

    E[z_M | z_O] = μ_M − Λ_MM⁻¹ (Λ d)_M,   Cov[z_M | z_O] = Λ_MM⁻¹
    −2 log p(z_O) = |O| log 2π + log |Σ| + log |Λ_MM| + d·Λd − (Λd)_M · Λ_MM⁻¹ (Λd)_M

so that a row costs a system of as many equations as it has missing cells, and rows that miss the same ones share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from learnt import _core
from learnt.bayes.discriminant.class_products import ClassProducts, StandardView
from learnt.bayes.discriminant.patterns import AlikeRows, alike_rows
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.statistics.counts import weigh_codes


@dataclass(frozen=True)
class ExpectedProducts(Statistic):
    """As if no cell were missing, and the log-likelihood of the cells that are there."""

    rows: int
    products: ClassProducts
    log_likelihood: float

    def _shape(self) -> tuple[int, ...]:
        return self.products._shape()

    def _merge(self, other: ExpectedProducts) -> ExpectedProducts:
        return ExpectedProducts(
            self.rows + other.rows, self.products + other.products, self.log_likelihood + other.log_likelihood
        )


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Means by class, and covariances, one for all or one each: inverses, logarithms, and those of determinants."""

    mean: Array
    covariance: Array
    precision: Array
    logarithm: Array
    log_volume: Array

    @classmethod
    def of(cls, mean: Array, covariance: Array, least: float) -> Gaussians:
        """Variances below `least` in any direction are raised to it."""
        sizes, directions = np.linalg.eigh(covariance)
        return cls._along(mean, np.maximum(sizes, least), directions)

    @classmethod
    def of_logarithm(cls, mean: Array, logarithm: Array, least: float) -> Gaussians:
        """Logarithms of variances below `least` are raised to it, and none is above −`least`."""
        logs, directions = np.linalg.eigh(logarithm)
        return cls._along(mean, np.exp(np.clip(logs, least, -least)), directions)

    @classmethod
    def _along(cls, mean: Array, sizes: Array, directions: Array) -> Gaussians:
        turned, logs = directions.transpose(0, 2, 1), np.log(sizes)
        covariance, precision, logarithm = (
            (directions * size[:, None, :]) @ turned for size in (sizes, 1 / sizes, logs)
        )
        return cls(mean, covariance, precision, logarithm, logs.sum(axis=1))

    def divergence(self, other: Gaussians) -> Array:
        """Of Kullback and Leibler, of each class's Gaussian from its `other` one: mean log p(z) − log q(z)."""
        away, move = self.mean - other.mean, self.covariance - other.covariance
        spread = (other.precision * move).sum(axis=(1, 2)) + other.log_volume - self.log_volume
        square = ((away[:, None, :] @ other.precision)[:, 0, :] * away).sum(axis=1)
        found: Array = 0.5 * (square + spread)
        return found


@dataclass(frozen=True, eq=False)
class _ClassRows:
    """The rows of a class that miss cells, 0 where one is missing, and those that miss none."""

    z: Array
    there: Array
    weights: Array | None
    alike: list[AlikeRows]
    complete: Array
    complete_weights: Array | None


class ExpectProducts(Pass):
    """The E-step: missing cells at what is expected of them, with the variance they may have beyond that."""

    whole: ClassVar[bool] = False  # NumPy on one thread; blocks run side by side
    state: ClassVar[Literal["none", "cache", "required"]] = "cache"

    def __init__(self, view: StandardView, gaussians: Gaussians):
        self.view, self.gaussians = view, gaussians

    def __call__(self, batch: Batch, state: Any) -> tuple[ExpectedProducts, Any]:
        kept: list[_ClassRows] = _class_rows(self.view, batch, len(self.gaussians.mean)) if state is None else state
        k, p = self.gaussians.mean.shape
        gram, log_likelihood = np.zeros((k, p + 2, p + 2)), 0.0
        for c, rows in enumerate(kept):
            log_likelihood += self._add(c, rows, gram[c])
        assert batch.target is not None
        cells = slice(1, p + 1)
        products = ClassProducts(
            batch.n_rows,
            weigh_codes(batch.target, k, batch.weights),
            *(np.ascontiguousarray(part) for part in (gram[:, :1, :1], gram[:, cells, :1], gram[:, cells, cells])),
        )
        return ExpectedProducts(batch.n_rows, products, log_likelihood), kept

    def _add(self, c: int, rows: _ClassRows, gram: Array) -> float:
        g = c % len(self.gaussians.precision)
        mean, precision = self.gaussians.mean[c], self.gaussians.precision[g]
        units = np.log(2 * np.pi) + 2 * np.log(self.view.scale)  # densities in the units of the table
        constant = units.sum() + self.gaussians.log_volume[g]
        whole = rows.complete - mean
        cost = constant + ((whole @ precision) * whole).sum(axis=1)
        total = _weighted(cost, rows.complete_weights)
        away = np.where(rows.there, rows.z - mean, 0.0)
        pull = away @ precision
        cost = constant + (pull * away).sum(axis=1) - ~rows.there @ units
        spread = np.zeros(len(mean) ** 2)
        for alike in rows.alike:
            for part in alike.parts():
                cost[part.rows] += _fill(part, pull, precision, rows.weights, away, spread)
        total += _weighted(cost, rows.weights)
        shift = np.zeros(len(mean) + 1)
        for z, weights in ((rows.complete, rows.complete_weights), (away + mean, rows.weights)):
            if len(z):
                _core.add_gram(z, None, weights, shift, gram)
        gram[1:-1, 1:-1] += spread.reshape(precision.shape)
        return -0.5 * total


def _weighted(values: Array, weights: Array | None) -> float:
    return float(values.sum() if weights is None else values @ weights)


def _fill(alike: AlikeRows, pull: Array, precision: Array, weights: Array | None, away: Array, spread: Array) -> Array:
    """Writes what is expected of missing cells into `away` and adds their variances to `spread`.

    Returns what they add to −2 log p of each row.
    """
    own = alike.rows[:, None], alike.cells[alike.which]
    blocks = alike.blocks(precision)
    inverse = np.linalg.inv(blocks)
    force = pull[own]
    one = len(inverse) == 1
    move = -force @ inverse[0] if one else -(inverse[alike.which] @ force[:, :, None])[:, :, 0]
    away[own] = move
    weight = np.bincount(alike.which, None if weights is None else weights[alike.rows], len(inverse))
    places = alike.cells[:, :, None] * len(precision) + alike.cells[:, None, :]
    spread += np.bincount(places.ravel(), (inverse * weight[:, None, None]).ravel(), len(spread))
    with np.errstate(invalid="ignore"):  # blocks beyond rounding have no volume: the likelihood is then no guide
        volumes = np.linalg.slogdet(blocks)[1]
    costs: Array = volumes[alike.which] + (force * move).sum(axis=1)
    return costs


def _class_rows(view: StandardView, batch: Batch, n_classes: int) -> list[_ClassRows]:
    assert batch.target is not None
    z, there = view.rows(batch.table), view.present(batch.table)
    full = there.all(axis=1)
    found = []
    for c in range(n_classes):
        own = batch.target == c
        some, others = own & ~full, own & full
        gaps = there[some]
        found.append(
            _ClassRows(
                np.where(gaps, z[some], 0.0),
                gaps,
                None if batch.weights is None else batch.weights[some],
                alike_rows(~gaps),
                np.ascontiguousarray(z[others]),
                None if batch.weights is None else batch.weights[others],
            )
        )
    return found
