"""An interior point method for machines whose loss is not squared, on few columns of many rows.

Coordinates converge slowly where there are many more rows than columns, since every row is nearly a sum of others. The
Newton steps of an interior point method need a system of columns × columns only (Ferris and Munson 2002), and about
twenty of them whatever C is. Coordinate descent begins where they end, and measures the gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.kernel.linear.asks import products, scores_of
from learnt.kernel.linear.losses import MachineLoss
from learnt.linear import solved

#: Up to so many columns.
NARROW = 200
#: More steps than any table needs; those that rounding keeps from ending go no further.
_MOST_STEPS = 80
#: The share of the way to the nearest bound that a step goes.
_SHY = 0.995


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # steps that are no numbers end the search
def interior_point(z: Array, y: Array, cost: Array, loss: MachineLoss, intercept: bool) -> tuple[Array, float, int]:
    """β of each row, the intercept, and the steps taken.

        minimise ½|Σ σ a x|² − q·a,   0 ≤ a ≤ cost,   Σ σ a = 0

    Of classes σ = y and q = 1; of targets there are two a for a row, with σ = ±1 and q = ±y − ε.
    """
    sign = y[None, :] if loss.classes else np.array([[1.0], [-1.0]])
    width = min(loss.epsilon, 2 * float(np.abs(y).max(initial=1.0)))  # a tube that wide holds all rows
    q = np.ones((1, len(y))) if loss.classes else np.stack([y - width, -y - width])
    at = _Inside.middle(q, cost, z.shape[1])
    size = np.sqrt(float((z**2).sum(axis=1).mean()))
    steps = 0
    while steps < _MOST_STEPS:
        step = _Steps(z, sign, q, at, intercept)
        if not step.system.sound or at.is_optimal(step, 1e-10 * _value(loss, step.f, y, cost, at.w), size):
            break
        steps += 1
        # Mehrotra's predictor and corrector: first straight to the bounds, then as far from them as that fared.
        ahead = step.towards(np.zeros_like(q), np.zeros_like(q))
        fared = at.moved(ahead, at.reach(ahead)).complementarity
        goal = at.complementarity * (fared / at.complementarity) ** 3
        taken = step.towards(goal - ahead.a * ahead.low_price, goal + ahead.a * ahead.high_price)
        length = _SHY * at.reach(taken)
        if not (np.isfinite(taken.a).all() and length > 1e-12):
            break
        at = at.moved(taken, min(1.0, length))
    return (sign * at.snapped()).sum(axis=0), at.b, steps


def _value(loss: MachineLoss, f: Array, y: Array, cost: Array, w: Array) -> float:
    return 0.5 * float(w @ w) + float((cost * loss.slack(f, y)).sum())


@dataclass(frozen=True, eq=False)
class _Inside:
    """Coefficients within their bounds, the prices of both bounds, and w and b; or a step of all these."""

    a: Array
    high: Array
    low_price: Array
    high_price: Array
    w: Array
    b: float

    @classmethod
    def middle(cls, q: Array, cost: Array, p: int) -> _Inside:
        high = np.broadcast_to(cost, q.shape)
        price = np.full(q.shape, max(float(np.abs(q).mean()), 1e-3))
        return cls(high / 2, high, price, price + np.maximum(q, 0.0), np.zeros(p), 0.0)

    @property
    def left(self) -> Array:
        return np.asarray(self.high - self.a)

    @property
    def complementarity(self) -> float:
        """The mean of what coefficients are away from a bound times its price, which is 0 at the end."""
        total = float((self.a * self.low_price).sum() + (self.left * self.high_price).sum())
        return max(total / (2 * self.a.size), 1e-300)

    def is_optimal(self, step: _Steps, enough: float, size: float) -> bool:
        rounding = 1e-9 * float(np.abs(self.w).max(initial=0.0)) + 1e-12 * float(self.a.sum()) * size
        apart = float(np.abs(step.error + self.low_price - self.high_price).max(initial=0.0))
        met = apart <= 1e-9 * (1 + float(np.abs(step.q).max(initial=0.0)))
        met = met and float(np.abs(step.missing_w).max(initial=0.0)) <= rounding
        return met and 2 * self.a.size * self.complementarity <= enough

    def moved(self, step: _Inside, t: float) -> _Inside:
        # Rounding must not put a coefficient onto its bound before its time.
        a = np.clip(self.a + t * step.a, 1e-14 * self.high, self.high * (1 - 1e-14))
        prices = self.low_price + t * step.low_price, self.high_price + t * step.high_price
        return _Inside(a, self.high, *prices, self.w + t * step.w, self.b + t * step.b)

    def reach(self, step: _Inside) -> float:
        """How far a step may go, 1 at most, until a coefficient or a price is 0."""
        t = 1.0
        pairs = (self.a, step.a), (self.left, -step.a), (self.low_price, step.low_price)
        for value, change in (*pairs, (self.high_price, step.high_price)):
            falls = change < 0
            if falls.any():
                t = min(t, float((-value[falls] / change[falls]).min()))
        return t

    def snapped(self) -> Array:
        """At its bound what is closer to it than its price is to 0."""
        put: Array = np.where(self.a < 1e-3 * np.minimum(self.low_price, self.high), 0.0, self.a)
        return np.where(self.left < 1e-3 * np.minimum(self.high_price, self.high), self.high, put)


class _Steps:
    """Newton's steps at a point."""

    def __init__(self, z: Array, sign: Array, q: Array, at: _Inside, intercept: bool):
        self.z, self.sign, self.q, self.at = z, sign, q, at
        self.f = scores_of(z, at.w, at.b)
        self.error = q - sign * self.f
        by_row = (sign * at.a).sum(axis=0)
        self.missing_w = at.w - _weighed(z, by_row)
        self.missing_b = float(by_row.sum()) if intercept else 0.0
        self.theta = at.low_price / at.a + at.high_price / at.left
        self.system = _System(z, (1 / self.theta).sum(axis=0), intercept)

    def towards(self, low_goal: Array, high_goal: Array) -> _Inside:
        """The step after which a · its price would be `low_goal`, and (cost − a) · its price `high_goal`."""
        at, left = self.at, self.at.left
        push = self.error + low_goal / at.a - high_goal / left
        pulled = (self.sign * push / self.theta).sum(axis=0)
        dw, db = self.system.solve(_weighed(self.z, pulled) - self.missing_w, float(pulled.sum()) + self.missing_b)
        da = (push - self.sign * scores_of(self.z, dw, db)) / self.theta
        low = low_goal / at.a - at.low_price - at.low_price / at.a * da
        high = high_goal / left - at.high_price + at.high_price / left * da
        return _Inside(da, at.high, low, high, dw, db)


class _System:
    """(Σ h, Σ h x; Σ h x, I + Σ h x xᵀ)."""

    def __init__(self, z: Array, h: Array, intercept: bool):
        p = z.shape[1]
        gram = np.zeros((p + 2, p + 2))
        _core.add_gram(z, None, np.ascontiguousarray(h), np.zeros(p + 1), gram)
        matrix = gram[:-1, :-1]
        matrix[np.arange(1, p + 1), np.arange(1, p + 1)] += 1
        self.matrix = matrix if intercept else matrix[1:, 1:]
        self.intercept = intercept
        self.sound = bool(np.isfinite(self.matrix).all())

    def solve(self, right: Array, right_b: float) -> tuple[Array, float]:
        both = np.append(right_b, right) if self.intercept else right
        found = solved(self.matrix, both)
        return (found[1:], float(found[0])) if self.intercept else (found, 0.0)


def _weighed(z: Array, by_row: Array) -> Array:
    """Σ by_row · x."""
    return products(z, by_row, np.zeros(z.shape[1]), 1.0)[0]
