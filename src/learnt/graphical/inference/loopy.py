"""Loopy propagation: the messages of a factor graph passed round and round, until they settle.

    m_{x→f}(x) = Π_{g ≠ f} m_{g→x}(x)                    m_{f→x}(x) = Σ f(x, y…) Π_{y ≠ x} m_{y→f}(y)

Exact on trees. On graphs with loops it is an approximation that is often good and never certain; it may not settle, and
says so. Damping mixes each new message with the former one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import convergence_warning
from learnt.graphical.inference.compiled import Compiled
from learnt.graphical.inference.evidence import Findings
from learnt.graphical.inference.scaled import scaled_product
from learnt.show.numbers import number


@dataclass(frozen=True)
class Settled:
    """The marginals that the last messages give, and how far the messages still moved; None where all is impossible."""

    marginals: list[Array] | None
    moved: float
    rounds: int


def propagate(compiled: Compiled, findings: Findings, damping: float, max_iter: int, tol: float) -> Settled:
    counts = compiled.counts
    local = [np.ones(k) for k in counts]  # of each variable: what is seen of it
    for v, code in enumerate(findings.codes[0]):
        if code >= 0:
            local[v] = (np.arange(counts[v]) == code).astype(np.float64)
    for v, soft in findings.soft.items():
        local[v] = local[v] * soft
    edges = [(f, i) for f, scope in enumerate(compiled.scopes) for i in range(len(scope))]
    to_variable = {edge: np.full(counts[compiled.scopes[edge[0]][edge[1]]], 1.0) for edge in edges}
    at: list[list[tuple[int, int]]] = [[] for _ in counts]
    for f, i in edges:
        at[compiled.scopes[f][i]].append((f, i))
    moved, rounds = np.inf, 0
    for rounds in range(1, max_iter + 1):
        incoming = {}
        for v, near in enumerate(at):
            for edge in near:
                others = [to_variable[other] for other in near if other != edge]
                message = _scaled(scaled_product([local[v], *others]))
                if message is None:
                    return Settled(None, 0.0, rounds)
                incoming[edge] = message
        moved = 0.0
        for f, scope in enumerate(compiled.scopes):
            for i in range(len(scope)):
                operands: list[Any] = [compiled.values[f], list(range(len(scope)))]
                for j in range(len(scope)):
                    if j != i:
                        operands += [incoming[f, j], [j]]
                message = _scaled(np.einsum(*operands, [i]))
                if message is None:
                    return Settled(None, 0.0, rounds)
                former = to_variable[f, i]
                new = damping * former + (1 - damping) * message
                moved = max(moved, float(np.abs(new - former).max()))
                to_variable[f, i] = new
        if moved <= tol:
            break
    beliefs = [_scaled(scaled_product([local[v], *(to_variable[e] for e in near)])) for v, near in enumerate(at)]
    if any(b is None for b in beliefs):
        return Settled(None, moved, rounds)
    return Settled([b / b.sum() for b in beliefs if b is not None], moved, rounds)


def warn_unsettled(settled: Settled, tol: float) -> None:
    if settled.moved > tol:
        warnings.warn(
            convergence_warning(
                f"The messages still moved by {number(settled.moved)} after {settled.rounds} rounds (tol is "
                f"{number(tol)}). Raise max_iter or damping, or ask exactly."
            ),
            stacklevel=4,
        )


def _scaled(message: Array) -> Array | None:
    largest = float(message.max())
    return message / largest if largest > 0 else None
