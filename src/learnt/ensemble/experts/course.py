"""Expectation and maximisation for a mixture of experts; the log-likelihood never falls.

    h_ik = g_k(x_i)·p_k(y_i | x_i) / Σ_l g_l(x_i)·p_l(y_i | x_i)        whose row it is
    expert k  ← fitted to all rows with weights w_i·h_ik                gate ← fitted to the shares h

An expert that is fitted by anything else than likelihood might do worse by it: then the one before is kept. So
Σ_i w_i log Σ_k g_k(x_i)·p_k(y_i | x_i), less the gate's penalty, rises or stays, whatever the experts are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.ensemble.experts.gate import GateRows
from learnt.watch import report


@dataclass(frozen=True, eq=False)
class Expert:
    """A fitted learner, the logarithms of what it thinks of each row's target, and its noise (0 of a classifier)."""

    member: Any
    logs: Array
    noise: float


@dataclass(frozen=True, eq=False)
class Course:
    """Where the steps ended: experts and gate, what was maximised before each step and at the end."""

    experts: list[Expert]
    v: Array
    objectives: list[float]
    converged: bool

    def log_likelihood(self, rows: GateRows) -> float:
        joint = rows.log_shares(self.v) + np.column_stack([expert.logs for expert in self.experts])
        return float(rows.w @ log_sums(joint))


def run_course(
    rows: GateRows,
    shares: Array,
    fit_expert: Callable[[Array], Expert],
    *,
    max_iter: int,
    tol: float,
    owner: str,
) -> Course:
    """From the first shares of the rows, h, at most so many steps; `tol` is of the gain of a row."""
    total = float(rows.w.sum())
    experts = [fit_expert(h) for h in shares.T]
    v = rows.fitted(np.zeros((shares.shape[1], rows.x.shape[1])), shares)
    objectives = []
    for step in range(max_iter + 1):
        joint = rows.log_shares(v) + np.column_stack([expert.logs for expert in experts])
        likelihood = log_sums(joint)
        objectives.append(float(rows.w @ likelihood) - rows.cost(v))
        report("iteration", learner=owner, iteration=step, total=max_iter, objective=objectives[-1])
        if step and objectives[-1] - objectives[-2] <= tol * total:
            return Course(experts, v, objectives, True)
        if step == max_iter:
            break
        shares = np.exp(joint - likelihood[:, None])
        experts = [_better(fit_expert(h), old, rows.w * h) for h, old in zip(shares.T, experts, strict=True)]
        v = rows.fitted(v, shares)
    return Course(experts, v, objectives, False)


def log_sums(joint: Array) -> Array:
    """log Σ_k exp of each row."""
    top = joint.max(axis=1)
    sums: Array = top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
    return sums


def _better(new: Expert, old: Expert, weights: Array) -> Expert:
    return new if weights @ new.logs >= weights @ old.logs else old
