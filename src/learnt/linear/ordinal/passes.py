"""The likelihood of proportional odds, and the passes that bring its derivatives.

A row of class c lies between two thresholds. With u = θ_c − s and a = θ_{c−1} − s for its score s = b·z (u = ∞ for the
last class, a = −∞ for the first), d = u − a and σ the logistic function,

    p = σ(u) − σ(a) = σ(u) σ(−a) (1 − e^−d)
    ∂ log p/∂u = σ(−u) + 1/(e^d − 1)              ∂ log p/∂a = −σ(a) − 1/(e^d − 1)
    ∂² log p/∂u² = −σ(u)σ(−u) − q,  ∂² log p/∂a² = −σ(a)σ(−a) − q,  ∂² log p/∂u∂a = q = e^d/(e^d − 1)²

which is free of cancellation, and concave in (θ, b).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass
from learnt.linear.least_squares.cross_products import rows_with_target
from learnt.linear.logistic.problem import View
from learnt.statistics.sums import ArraySums

#: Rows encoded at a time.
BLOCK_ROWS = 8192


@dataclass(frozen=True)
class Point:
    """Thresholds, and the coefficients of standardised columns z = (x − shift)·scale."""

    thresholds: Array
    coef: Array

    @property
    def flat(self) -> Array:
        return np.concatenate([self.thresholds, self.coef])

    def moved(self, step: Array) -> Point:
        k = len(self.thresholds)
        return Point(self.thresholds + step[:k], self.coef + step[k:])


@dataclass(frozen=True)
class Terms:
    """Of each row, times its weight: −log p, and its derivatives by u (up) and a (low)."""

    loss: Array
    up: Array
    low: Array
    bend_up: Array
    bend_low: Array
    bend_both: Array


def terms(thresholds: Array, codes: Array, scores: Array, weights: Array | None) -> Terms:
    from scipy.special import expit

    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    u, a = ends[codes + 1] - scores, ends[codes] - scores
    with np.errstate(over="ignore"):
        gaps = np.diff(ends)
        steep, bend = (1 / np.expm1(gaps))[codes], (0.25 / np.sinh(gaps / 2) ** 2)[codes]
        inside = np.log(-np.expm1(-gaps))[codes]
    above, below = expit(-u), expit(a)
    w = np.ones(len(codes)) if weights is None else weights
    return Terms(
        w * (np.logaddexp(0, -u) + np.logaddexp(0, a) - inside),
        -w * (above + steep),
        w * (below + steep),
        w * (above * (1 - above) + bend),
        w * (below * (1 - below) + bend),
        -w * bend,
    )


def class_probabilities(thresholds: Array, scores: Array) -> Array:
    """Rows × classes."""
    from scipy.special import expit

    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    distance = ends - np.clip(scores, -1e300, 1e300)[:, None]  # a score may be infinite, as the outer ends are
    with np.errstate(invalid="ignore"):
        gaps = np.nan_to_num(np.diff(ends), nan=0.0, posinf=np.inf)  # equal ends, both infinite: a class without rows
    shares: Array = expit(distance[:, 1:]) * expit(-distance[:, :-1]) * -np.expm1(-gaps)
    return shares


def by_threshold(values_up: Array, values_low: Array, codes: Array, k: int) -> Array:
    """Sums over the rows that end at each threshold: from below by `values_up`, from above by `values_low`."""
    up, low = np.bincount(codes, values_up, k + 1), np.bincount(codes, values_low, k + 1)
    total: Array = up[:-1] + low[1:]
    return total


class TakeOrdinalCurvature(Pass):
    """Loss, gradient and second derivatives by (thresholds, coefficients), for few columns."""

    whole: ClassVar[bool] = False  # BLAS on one thread; blocks run side by side

    def __init__(self, design: Design, view: View, point: Point):
        self.design, self.view, self.point = design, view, point

    def summarize(self, batch: Batch) -> ArraySums:
        k, p = len(self.point.thresholds), len(self.point.coef)
        loss, gradient, hessian = np.zeros(1), np.zeros(k + p), np.zeros((k + p, k + p))
        for x, codes, weights in rows_with_target(batch, self.design, BLOCK_ROWS):
            if weights is not None and not weights.all():  # whatever a row of weight 0 holds
                x, codes, weights = x[weights > 0], codes[weights > 0], weights[weights > 0]
            z = (x - self.view.shift) * self.view.scale
            found = terms(self.point.thresholds, codes, z @ self.point.coef, weights)
            loss += found.loss.sum()
            gradient[:k] += by_threshold(found.up, found.low, codes, k)
            gradient[k:] -= z.T @ (found.up + found.low)
            self._bend(z, codes, found, hessian)
        return ArraySums(batch.n_rows, (loss, gradient, hessian))

    def _bend(self, z: Array, codes: Array, found: Terms, hessian: Array) -> None:
        from scipy.sparse import csr_array

        k = len(self.point.thresholds)
        at = np.arange(k)
        hessian[at, at] += by_threshold(found.bend_up, found.bend_low, codes, k)
        beside = np.bincount(codes, found.bend_both, k + 1)[1:-1]
        hessian[at[1:], at[:-1]] += beside
        hessian[at[:-1], at[1:]] += beside
        own_up, own_low = found.bend_up + found.bend_both, found.bend_low + found.bend_both
        hessian[k:, k:] += z.T @ (z * (own_up + own_low)[:, None])
        rows = np.arange(len(codes) + 1) * 2
        places = np.column_stack([codes + 1, codes]).ravel()  # with a place for the ends, −∞ and ∞, cut off below
        reach = csr_array((np.column_stack([own_up, own_low]).ravel(), places, rows), shape=(len(codes), k + 2))
        mixed = (reach.T @ z)[1:-1]
        hessian[:k, k:] -= mixed
        hessian[k:, :k] -= mixed.T


class _OverRows(Pass):
    """A pass over encoded rows, dense or CSR, kept as they are where memory allows; z is never made."""

    state: ClassVar[Literal["none", "cache", "required"]] = "cache"

    def __init__(self, design: Design, view: View, point: Point):
        self.design, self.view, self.point = design, view, point

    def __call__(self, batch: Batch, state: Any) -> tuple[ArraySums, Any]:
        x = self.design.encode(batch.table) if state is None else state
        assert batch.target is not None
        found = terms(self.point.thresholds, batch.target, self._along(x, self.point.coef), batch.weights)
        return ArraySums(batch.n_rows, self._sums(x, batch.target, found)), x

    def _along(self, x: Any, coef: Array) -> Array:
        own = coef * self.view.scale
        scores: Array = x @ own - self.view.shift @ own
        return scores

    def _gather(self, x: Any, by_row: Array) -> Array:
        gathered: Array = (x.T @ by_row - self.view.shift * by_row.sum()) * self.view.scale
        return gathered

    def _sums(self, x: Any, codes: Array, found: Terms) -> tuple[Array, ...]:
        raise NotImplementedError


class TakeOrdinalGradient(_OverRows):
    """Loss and gradient, for many columns."""

    def _sums(self, x: Any, codes: Array, found: Terms) -> tuple[Array, ...]:
        by_ends = by_threshold(found.up, found.low, codes, len(self.point.thresholds))
        by_coef = self._gather(x, -(found.up + found.low))
        return np.array([found.loss.sum()]), np.concatenate([by_ends, by_coef])


class TakeOrdinalProduct(_OverRows):
    """The second derivatives times a direction, for many columns."""

    def __init__(self, design: Design, view: View, point: Point, direction: Array):
        super().__init__(design, view, point)
        self.direction = direction

    def _sums(self, x: Any, codes: Array, found: Terms) -> tuple[Array, ...]:
        k = len(self.point.thresholds)
        ends = np.concatenate([[0.0], self.direction[:k], [0.0]])  # where there is no threshold nothing bends
        along = self._along(x, self.direction[k:])
        u, a = ends[codes + 1] - along, ends[codes] - along
        up = found.bend_up * u + found.bend_both * a
        low = found.bend_low * a + found.bend_both * u
        return (np.concatenate([by_threshold(up, low, codes, k), self._gather(x, -(up + low))]),)
