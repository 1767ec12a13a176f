"""The gate: a softmax of weighted sums, fitted to shares of rows instead of classes.

    g_k(x) = softmax_k(v_k · x),        v = argmax Σ_i w_i Σ_k h_ik log g_k(x_i) − ½ Σ_kj λ_j v_kj²

by Newton's method, halving steps until the objective rises. With many columns all second derivatives at once are too
many: then by L-BFGS, on a matrix that may be sparse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.design import Design
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import dense
from learnt.linear import LinearClassifier

#: So many unknowns are solved for at once, of a dense matrix.
MOST_UNKNOWNS = 300
MOST_STEPS, MOST_HALVINGS = 30, 30
#: A step that gains less than this a row has arrived.
ARRIVED = 1e-13
#: Added to second derivatives, a row: shifting all experts alike changes nothing, and must not be divided by.
_LEVEL = 1e-10


def standardised(x: Any, w: Array) -> tuple[Any, Array, Array]:
    """Columns by their means and standard deviations, and a column of ones at the end; those that do not vary are 0.

    Sparse ones stay so: they are not centred, and their means come back as 0.
    """
    if not isinstance(x, np.ndarray) and x.shape[1] <= MOST_UNKNOWNS:
        x = dense(x)
    if isinstance(x, np.ndarray):
        x = np.ascontiguousarray(x, dtype=np.float64)  # the order of sums would depend on the layout
        with np.errstate(over="ignore"):
            mean = np.average(x, axis=0, weights=w)
        if not np.isfinite(mean).all():
            mean = (w / w.sum()) @ x
        apart = x - mean
        size = np.ldexp(1.0, np.minimum(np.frexp(np.abs(apart).max(axis=0))[1], 1023))  # so that squares are numbers
        spread = size * np.sqrt(np.average((apart / size) ** 2, axis=0, weights=w))
        varies = spread > 1e-12 * np.abs(mean)
        spread = np.where(varies, spread, 1.0)
        return np.column_stack([np.where(varies, apart / spread, 0.0), np.ones(len(x))]), mean, spread
    from scipy import sparse

    share = w / w.sum()
    mean = np.asarray(share @ x).ravel()
    spread = np.sqrt(np.maximum(np.asarray(share @ x.multiply(x)).ravel() - mean**2, 0.0))
    spread = np.where(spread > 1e-8 * np.abs(mean), spread, 1.0)
    blocks: list[Any] = [x @ sparse.diags_array(1 / spread), sparse.csr_array(np.ones((x.shape[0], 1)))]
    scaled: Any = sparse.csr_array(sparse.hstack(blocks))
    return scaled, np.zeros(len(mean)), spread


@dataclass(frozen=True, eq=False)
class GateRows:
    """The rows as the gate sees them: standardised columns of a design, and a column of ones at the end."""

    x: Any
    w: Array
    penalty: Array
    design: Design
    mean: Array
    spread: Array

    @classmethod
    def of(cls, design: Design, table: Table, w: Array, penalty: float) -> GateRows:
        scaled, mean, spread = standardised(design.encode(table), w)
        return cls(scaled, w, np.append(np.full(len(mean), penalty), 0.0), design, mean, spread)

    def log_shares(self, v: Array) -> Array:
        """log g, rows × experts."""
        scores = self.x @ v.T
        top = scores.max(axis=1, keepdims=True)
        logs: Array = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
        return logs

    def cost(self, v: Array) -> float:
        """½ Σ λ v²."""
        return 0.5 * float((self.penalty * v * v).sum())

    def objective(self, v: Array, h: Array) -> float:
        return float(self.w @ (h * self.log_shares(v)).sum(axis=1)) - self.cost(v)

    def fitted(self, v: Array, h: Array) -> Array:
        """The coefficients, experts × columns, for these shares of the rows, from `v` on; no worse but for rounding."""
        if v.size > MOST_UNKNOWNS:
            return self._by_gradients(v, h)
        total, best = float(self.w.sum()), self.objective(v, h)
        for _ in range(MOST_STEPS):
            step, before = self._newton_step(v, h, total), best
            for _ in range(MOST_HALVINGS):
                found = self.objective(v + step, h)
                if found > best:
                    v, best = v + step, found
                    break
                step = step / 2
            if best - before <= ARRIVED * total:
                break
        last: Array = v + self._newton_step(v, h, total)  # the objective is flat here, its derivatives are not
        return last if self.objective(last, h) >= best - ARRIVED * total else v

    def gradient(self, v: Array, h: Array) -> Array:
        apart = self.w[:, None] * (h - np.exp(self.log_shares(v)))
        found: Array = np.asarray(apart.T @ self.x) - self.penalty * v
        return found

    def _newton_step(self, v: Array, h: Array, total: float) -> Array:
        k, d = v.shape
        g = np.exp(self.log_shares(v))
        level = np.diag(self.penalty + _LEVEL * total)
        curvature = np.empty((k, d, k, d))
        for a in range(k):
            for b in range(a + 1):
                share = self.w * g[:, a] * ((a == b) - g[:, b])
                block = (self.x * share[:, None]).T @ self.x + (level if a == b else 0.0)
                curvature[a, :, b], curvature[b, :, a] = block, block.T
        step: Array = np.linalg.solve(curvature.reshape(k * d, k * d), self.gradient(v, h).ravel()).reshape(k, d)
        return step

    def _by_gradients(self, v: Array, h: Array) -> Array:
        from scipy.optimize import minimize

        def descent(point: Array) -> tuple[float, Array]:
            here = point.reshape(v.shape)
            return -self.objective(here, h), -self.gradient(here, h).ravel()

        found = minimize(descent, v.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": MOST_STEPS})
        better: Array = found.x.reshape(v.shape) if -found.fun >= self.objective(v, h) else v
        return better

    def as_learner(self, v: Array, schema: Schema) -> ExpertGate:
        """To predict by, print and save."""
        k, v = len(v), v - v.mean(axis=0)
        if k == 2:
            v = v[1:] - v[:1]
        coef = v[:, :-1] / self.spread
        gate: ExpertGate = ExpertGate()._twin(schema, np.arange(k))
        gate._keep_coefficients(self.design, coef, v[:, -1] - coef @ self.mean, self.mean)
        return gate


class ExpertGate(LinearClassifier, listed=False):
    """How far each expert of a mixture is trusted, by a weighted sum of the columns; its classes are their numbers.

    Only a mixture of experts makes one: it is fitted to shares of rows.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities"})
