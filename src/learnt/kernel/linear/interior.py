"""An interior point method for machines whose loss is not squared, on few columns of many rows.

Coordinates converge slowly where there are many more rows than columns, since every row is nearly a sum of others. The
Newton steps of an interior point method need a system of columns × columns only (Ferris and Munson 2002), and about
twenty of them whatever C is. Coordinate descent begins where they end, and measures the gap.
"""

from __future__ import annotations

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.kernel.linear.asks import products, scores_of
from learnt.kernel.linear.losses import MachineLoss

#: Up to so many columns.
NARROW = 200
#: More steps than any table needs; those that rounding keeps from ending go no further.
_MOST_STEPS = 80
#: The share of the way to the nearest bound that a step goes.
_SHY = 0.995


def interior_point(z: Array, y: Array, cost: Array, loss: MachineLoss, intercept: bool) -> tuple[Array, float, int]:
    """β of each row, the intercept, and the steps taken.

        minimise ½|Σ σ a x|² − q·a,   0 ≤ a ≤ cost,   Σ σ a = 0

    Of classes σ = y and q = 1; of targets there are two a for a row, with σ = ±1 and q = ±y − ε.
    """
    n, p = z.shape
    sign = y[None, :] if loss.classes else np.array([[1.0], [-1.0]])
    q = np.ones((1, n)) if loss.classes else np.stack([y - loss.epsilon, -y - loss.epsilon])
    size = float((z**2).sum(axis=1).mean()) + intercept
    a = np.broadcast_to(cost / 2, q.shape).copy()
    high = np.broadcast_to(cost, q.shape)
    low_price = np.ones_like(a) * max(float(np.abs(q).mean()), 1e-3)
    high_price = low_price + np.maximum(q, 0.0)
    w, b, steps = np.zeros(p), 0.0, 0
    for steps in range(1, _MOST_STEPS + 1):  # noqa: B007 (the number of steps is an answer)
        f = scores_of(z, w, b)
        left = high - a
        mu = float((a * low_price).sum() + (left * high_price).sum()) / (2 * a.size)
        by_row = (sign * a).sum(axis=0)
        missing_w, missing_b = w - _weighed(z, by_row), float(by_row.sum()) if intercept else 0.0
        error = q - sign * f
        apart = float(np.abs(error + low_price - high_price).max(initial=0.0))
        scale = 1 + float(np.abs(q).max(initial=0.0))
        value = 0.5 * float(w @ w) + float((cost * loss.slack(f, y)).sum())
        rounding = 1e-9 * float(np.abs(w).max(initial=0.0)) + 1e-12 * float(a.sum()) * np.sqrt(size)
        met = float(np.abs(missing_w).max(initial=0.0)) <= rounding and apart <= 1e-9 * scale
        if 2 * a.size * mu <= 1e-10 * max(value, 1e-300) and met:
            break
        theta = low_price / a + high_price / left
        system = _System(z, (1 / theta).sum(axis=0), intercept)
        if not system.sound:
            break

        def direction(
            low_goal: Array,
            high_goal: Array,
            *,
            a: Array = a,
            left: Array = left,
            error: Array = error,
            theta: Array = theta,
            system: _System = system,
            prices: tuple[Array, Array] = (low_price, high_price),
            missing: tuple[Array, float] = (missing_w, missing_b),
        ) -> tuple[Array, float, Array, Array, Array]:
            """The step towards a·low = low_goal and (cost − a)·high = high_goal."""
            push = error + low_goal / a - high_goal / left
            pulled = (sign * push / theta).sum(axis=0)
            dw, db = system.solve(_weighed(z, pulled) - missing[0], float(pulled.sum()) + missing[1])
            da = (push - sign * scores_of(z, dw, db)) / theta
            d_low = low_goal / a - prices[0] - prices[0] / a * da
            d_high = high_goal / left - prices[1] + prices[1] / left * da
            return dw, db, da, d_low, d_high

        dw, db, da, d_low, d_high = direction(np.zeros_like(a), np.zeros_like(a))
        t = _length(a, left, low_price, high_price, da, d_low, d_high)
        ahead = ((a + t * da) * (low_price + t * d_low)).sum() + ((left - t * da) * (high_price + t * d_high)).sum()
        goal = mu * (float(ahead) / (2 * a.size * mu)) ** 3 if mu > 0 else 0.0
        dw, db, da, d_low, d_high = direction(goal - da * d_low, goal + da * d_high)
        t = _SHY * _length(a, left, low_price, high_price, da, d_low, d_high)
        if not np.isfinite(t) or not np.isfinite(da).all() or t < 1e-12:
            break
        t = min(1.0, t)
        w, b, a = w + t * dw, b + t * db, a + t * da
        low_price, high_price = low_price + t * d_low, high_price + t * d_high
        # Rounding must not put a coefficient onto its bound before its time.
        a = np.clip(a, 1e-14 * high, high * (1 - 1e-14))
    beta = (sign * _snapped(a, high, low_price, high_price)).sum(axis=0)
    return beta, b, steps


def _snapped(a: Array, high: Array, low_price: Array, high_price: Array) -> Array:
    """At its bound what is closer to it than its price is to 0."""
    left = high - a
    put: Array = np.where(a < 1e-3 * np.minimum(low_price, high), 0.0, a)
    return np.where(left < 1e-3 * np.minimum(high_price, high), high, put)


def _length(*given: Array) -> float:
    """How far a step may go, 1 at most, until a coefficient or a price is 0."""
    a, left, low_price, high_price, da, d_low, d_high = given
    t = 1.0
    for value, change in ((a, da), (left, -da), (low_price, d_low), (high_price, d_high)):
        falls = change < 0
        if falls.any():
            t = min(t, float((-value[falls] / change[falls]).min()))
    return t


class _System:
    """(I + Σ h x xᵀ, Σ h x; Σ h x, Σ h), factorised."""

    def __init__(self, z: Array, h: Array, intercept: bool):
        p = z.shape[1]
        gram = np.zeros((p + 2, p + 2))
        _core.add_gram(z, None, np.ascontiguousarray(h), np.zeros(p + 1), gram)
        matrix = gram[:-1, :-1]
        matrix[np.arange(1, p + 1), np.arange(1, p + 1)] += 1
        self.matrix = matrix if intercept else matrix[1:, 1:]
        self.intercept = intercept
        self.scale = 1 / np.sqrt(np.maximum(np.diagonal(self.matrix), 1e-300))
        self.sound = bool(np.isfinite(self.matrix).all())

    def solve(self, right: Array, right_b: float) -> tuple[Array, float]:
        both = np.append(right_b, right) if self.intercept else right
        scaled = self.matrix * self.scale[:, None] * self.scale
        scaled[np.diag_indices_from(scaled)] += 1e-15
        found = np.linalg.solve(scaled, both * self.scale) * self.scale
        return (found[1:], float(found[0])) if self.intercept else (found, 0.0)


def _weighed(z: Array, by_row: Array) -> Array:
    """Σ by_row · x."""
    return products(z, by_row, np.zeros(z.shape[1]), 1.0)[0]
