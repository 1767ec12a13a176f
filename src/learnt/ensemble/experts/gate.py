"""The gate: a softmax of weighted sums, fitted to shares of rows instead of classes.

    g_k(x) = softmax_k(v_k · x),        v = argmax Σ_i w_i Σ_k h_ik log g_k(x_i) − ½ Σ_kj λ_j v_kj²

by Newton's method, halving steps until the objective rises. With many columns all second derivatives at once are too
many: then ½ XᵀWX stands for each expert's, which is never less (Böhning and Lindsay), so that a step never falls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt.data.design import Design
from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import dense
from learnt.linear import LinearClassifier

#: So many unknowns are solved for at once.
MOST_UNKNOWNS = 300
MOST_STEPS, MOST_HALVINGS = 30, 30
#: A step that gains less than this a row has arrived.
ARRIVED = 1e-13
#: Added to second derivatives, a row: shifting all experts alike changes nothing, and must not be divided by.
_LEVEL = 1e-10


def standardised(x: Array, w: Array) -> tuple[Array, Array, Array]:
    """Columns by their means and standard deviations, and a column of ones at the end; those that do not vary are 0."""
    x = np.ascontiguousarray(x)  # the order of sums would depend on the layout
    mean = np.average(x, axis=0, weights=w)
    spread = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w))
    varies = spread > 1e-12 * np.abs(mean)
    spread = np.where(varies, spread, 1.0)
    return np.column_stack([np.where(varies, (x - mean) / spread, 0.0), np.ones(len(x))]), mean, spread


@dataclass(frozen=True, eq=False)
class GateRows:
    """The rows as the gate sees them: standardised columns of a design, and a column of ones at the end."""

    x: Array
    w: Array
    penalty: Array
    design: Design
    mean: Array
    spread: Array

    @classmethod
    def of(cls, design: Design, table: Table, w: Array, penalty: float) -> GateRows:
        x = dense(design.encode(table)).astype(np.float64)
        scaled, mean, spread = standardised(x, w)
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
        """The coefficients, experts × columns, for these shares of the rows, from `v` on; never worse than `v`."""
        total, best = float(self.w.sum()), self.objective(v, h)
        for _ in range(MOST_STEPS):
            g = np.exp(self.log_shares(v))
            gradient = (self.w[:, None] * (h - g)).T @ self.x - self.penalty * v
            step, before = self._step(g, gradient, total), best
            for _ in range(MOST_HALVINGS):
                found = self.objective(v + step, h)
                if found > best:
                    v, best = v + step, found
                    break
                step = step / 2
            if best - before <= ARRIVED * total:
                break
        return v

    def _step(self, g: Array, gradient: Array, total: float) -> Array:
        k, d = gradient.shape
        level = np.eye(d) * (_LEVEL * total) + np.diag(self.penalty)
        if k * d > MOST_UNKNOWNS:
            bound = 0.5 * (self.x * self.w[:, None]).T @ self.x + level
            return np.linalg.solve(bound, gradient.T).T
        curvature = np.empty((k, d, k, d))
        for a in range(k):
            for b in range(a + 1):
                share = self.w * g[:, a] * ((a == b) - g[:, b])
                block = (self.x * share[:, None]).T @ self.x + (level if a == b else 0.0)
                curvature[a, :, b], curvature[b, :, a] = block, block.T
        step: Array = np.linalg.solve(curvature.reshape(k * d, k * d), gradient.ravel()).reshape(k, d)
        return step

    def as_learner(self, v: Array, schema: Schema) -> ExpertGate:
        """To predict by, print and save."""
        k, v = len(v), v - v.mean(axis=0)
        if k == 2:
            v = v[1:] - v[:1]
        coef = v[:, :-1] / self.spread
        gate = ExpertGate()._twin(schema, np.arange(k))
        gate._keep_coefficients(self.design, coef, v[:, -1] - coef @ self.mean, self.mean)
        return gate


class ExpertGate(LinearClassifier, listed=False):
    """How far each expert of a mixture is trusted, by a weighted sum of the columns; its classes are their numbers.

    Only a mixture of experts makes one: it is fitted to shares of rows.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities"})
