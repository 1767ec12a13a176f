"""A gate and linear experts that climb the log-likelihood together, by its gradient.

With h_ik the share of row i that is expert k's, as in `course`, the gradients are those of separate weighted fits:

    ∂/∂v_k = Σ_i w_i (h_ik − g_k(x_i)) x_i
    of classes   ∂/∂b_kc = Σ_i w_i h_ik (1[y_i = c] − p_k(c | x_i)) x_i
    of numbers   ∂/∂b_k = Σ_i w_i h_ik (y_i − f_k(x_i))/σ_k² x_i
                 ∂/∂ log σ_k = Σ_i w_i h_ik ((y_i − f_k(x_i))²/σ_k² − 1)

less those of the penalties: the gate's, and the experts' own, ½ Σ b²/C or ½ alpha Σ b², columns and target being
standardised. The steps are those of L-BFGS.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.passes import Batch
from learnt.ensemble.experts.course import Course, Expert, log_sums
from learnt.ensemble.experts.gate import GateRows, standardised
from learnt.linear import softmax
from learnt.watch import report

_LOG_2PI = float(np.log(2 * np.pi))
#: Of noise in units of the target: far beyond any, and small enough for a long step of the search not to overflow.
MOST_LOG_NOISE = 100.0


class LinearExpert:
    """A fitted linear member whose coefficients, in standardised columns and units of the target, may be changed."""

    def __init__(self, member: Any, batch: Batch, w: Array, unit: float):
        self.member, self.unit = member, unit
        self.x, self.mean, self.spread = standardised(member._design.encode(batch.table), w)
        coef = np.atleast_2d(member.coef_)
        level = np.atleast_1d(member.intercept_) + coef @ self.mean
        self.start = np.column_stack([coef * self.spread, level]) / unit
        self.penalty = float(member.alpha_) if hasattr(member, "alpha_") else 1 / float(member.C)

    def put(self, theta: Array) -> None:
        """Give the member these coefficients."""
        coef = theta[:, :-1] * self.unit / self.spread
        level = theta[:, -1] * self.unit - coef @ self.mean
        flat = np.ndim(self.member.coef_) == 1
        self.member.coef_ = coef[0] if flat else coef
        self.member.intercept_ = float(level[0]) if flat else level

    def cost(self, theta: Array) -> float:
        return 0.5 * self.penalty * float((theta[:, :-1] ** 2).sum())

    def cost_gradient(self, theta: Array) -> Array:
        return self.penalty * np.column_stack([theta[:, :-1], np.zeros(len(theta))])


class Climb:
    """Minus the objective and its gradient, of all coefficients and log σ in one vector."""

    def __init__(self, course: Course, rows: GateRows, batch: Batch, unit: float, least_noise: float):
        assert batch.target is not None
        self.rows, self.unit, self.numbers = rows, unit, batch.target.dtype.kind == "f"
        self.target = batch.target / unit if self.numbers else batch.target
        self.linear = [LinearExpert(expert.member, batch, rows.w, unit) for expert in course.experts]
        self.shapes = [course.v.shape, *(one.start.shape for one in self.linear)]
        noise = [np.log([expert.noise / unit for expert in course.experts])] if self.numbers else []
        self.start = np.concatenate([course.v.ravel(), *(one.start.ravel() for one in self.linear), *noise])
        n_free = len(self.start) - len(self.linear) * self.numbers
        self.bounds: list[tuple[float | None, float | None]] = [(None, None)] * n_free
        self.bounds += [(float(np.log(least_noise)), MOST_LOG_NOISE)] * (len(self.start) - n_free)

    def _parts(self, point: Array) -> list[Array]:
        """The gate's coefficients, those of each expert, and log σ."""
        cuts = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        found = np.split(point, cuts)
        return [*(p.reshape(s) for p, s in zip(found, self.shapes, strict=False)), found[-1]]

    def _judged(self, scores: Array, log_noise: float) -> tuple[Array, Array]:
        """The log-likelihood of each row under an expert, and its derivative by the scores."""
        if self.numbers:
            off = (self.target - scores[:, 0]) * np.exp(-log_noise)
            logs = -0.5 * off**2 - log_noise - 0.5 * _LOG_2PI - np.log(self.unit)
            return logs, off[:, None] * np.exp(-log_noise)
        full = np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores
        logs = (full - log_sums(full)[:, None])[np.arange(len(full)), self.target]
        rest = (self.target[:, None] == np.arange(full.shape[1])) - softmax(full)
        return logs, rest[:, -scores.shape[1] :]

    def look(self, point: Array) -> tuple[float, Array, list[Array]]:
        """The objective, its gradient, and the logs of each expert."""
        v, *thetas, log_noise = self._parts(point)
        w, log_gate = self.rows.w, self.rows.log_shares(v)
        noise = log_noise if self.numbers else np.zeros(len(thetas))
        judged = [self._judged(o.x @ t.T, float(s)) for o, t, s in zip(self.linear, thetas, noise, strict=True)]
        joint = log_gate + np.column_stack([logs for logs, _ in judged])
        likelihood = log_sums(joint)
        shares = np.exp(joint - likelihood[:, None])
        value = float(w @ likelihood) - self.rows.cost(v)
        gradients = [self.rows.gradient(v, shares)]
        by_noise = np.zeros(len(thetas))
        for k, (one, theta) in enumerate(zip(self.linear, thetas, strict=True)):
            own, pull = w * shares[:, k], judged[k][1]
            gradients.append(np.asarray((own[:, None] * pull).T @ one.x) - one.cost_gradient(theta))
            value -= one.cost(theta)
            if self.numbers:
                by_noise[k] = float(own @ ((pull[:, 0] * np.exp(noise[k])) ** 2 - 1))
        gradients += [by_noise] if self.numbers else []
        return value, np.concatenate([g.ravel() for g in gradients]), [logs for logs, _ in judged]

    def descent(self, point: Array) -> tuple[float, Array]:
        value, gradient, _ = self.look(point)
        return -value, -gradient

    def course_at(self, point: Array, objectives: list[float], converged: bool) -> Course:
        v, *thetas, log_noise = self._parts(point)
        _, _, logs = self.look(point)
        for one, theta in zip(self.linear, thetas, strict=True):
            one.put(theta)
        noise = np.exp(log_noise) * self.unit if self.numbers else np.zeros(len(thetas))
        found = zip(self.linear, logs, noise.tolist(), strict=True)
        return Course([Expert(o.member, log, s) for o, log, s in found], v, objectives, converged)


def climbed(climb: Climb, *, max_iter: int, tol: float, owner: str) -> Course:
    """At most so many steps, until one gains less than `tol` a row."""
    from scipy.optimize import minimize

    total, objectives = float(climb.rows.w.sum()), [climb.look(climb.start)[0]]
    if max_iter == 0:
        return climb.course_at(climb.start, objectives, False)

    def keep(intermediate_result: Any) -> None:
        objectives.append(-float(intermediate_result.fun))
        step = len(objectives) - 1
        report("iteration", learner=owner, iteration=step, total=max_iter, objective=objectives[-1])
        if objectives[-1] - objectives[-2] <= tol * total:
            raise StopIteration

    found = minimize(
        climb.descent,
        climb.start,
        jac=True,
        method="L-BFGS-B",
        bounds=climb.bounds,
        callback=keep,
        options={"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": 0.0, "gtol": 1e-9 * total},
    )
    return climb.course_at(found.x, objectives, len(objectives) - 1 < max_iter)
