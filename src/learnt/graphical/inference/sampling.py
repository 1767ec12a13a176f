"""Answers from samples: for networks too wide for exact ones.

Likelihood weighting draws each variable given its parents, except where a state was seen, whose probability becomes a
weight. Gibbs sampling starts from such rows and draws one variable after the other given all others, on many chains at
once. Both give standard errors; neither likes improbable evidence, and Gibbs sampling cannot pass between states that
only zeros connect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learnt.data.table import Array
from learnt.graphical.factors.factor import check_entries
from learnt.graphical.inference.compiled import Compiled
from learnt.graphical.inference.evidence import Findings

CHAINS = 100  # of Gibbs sampling
UNUSED = 0.1  # the share of their sweeps that is thrown away


@dataclass(frozen=True)
class Sampled:
    """The shares of the states of each target, one axis a variable, and their standard errors.

    `effective` is how many independent rows they are worth.
    """

    shares: list[Array]
    errors: list[Array]
    log_evidence: float
    effective: float


def draw_rows(
    compiled: Compiled, order: Sequence[int], n: int, rng: np.random.Generator, codes: Array | None = None
) -> tuple[Array, Array]:
    """Rows drawn parents first; where `codes` (one row) has a state it is kept, its log-probability added up.

    The factors are a network's: one a variable, with its own axis last.
    """
    rows = np.zeros((n, len(compiled.names)), np.int32)
    log_weights = np.zeros(n)
    for v in order:
        table = compiled.values[v]
        given = table[tuple(rows[:, p] for p in compiled.scopes[v][:-1])]
        if codes is not None and codes[0, v] >= 0:
            rows[:, v] = codes[0, v]
            with np.errstate(divide="ignore"):
                log_weights += np.log(given[..., codes[0, v]])
        else:
            rows[:, v] = draw_states(given, n, rng)
    return rows, log_weights


def draw_states(probabilities: Array, n: int, rng: np.random.Generator) -> Array:
    """A state for each row of probabilities, or n from one row; never one of probability 0."""
    upto = np.cumsum(np.atleast_2d(probabilities), axis=1)
    spot = rng.random((n, 1)) * upto[:, -1:]
    last = upto.shape[1] - 1 - np.argmax(np.atleast_2d(probabilities)[:, ::-1] > 0, axis=1)
    drawn: Array = np.minimum((spot >= upto).sum(axis=1), last).astype(np.int32)
    return drawn


def weighted_answer(
    compiled: Compiled,
    order: Sequence[int],
    findings: Findings,
    n: int,
    rng: np.random.Generator,
    targets: Sequence[tuple[int, ...]],
) -> Sampled | None:
    """None where no row drawn agrees with the evidence."""
    rows, log_weights = draw_rows(compiled, order, n, rng, findings.codes)
    with np.errstate(divide="ignore"):
        for v, soft in findings.soft.items():
            log_weights += np.log(soft)[rows[:, v]]
    top = float(log_weights.max())
    if top == -np.inf:
        return None
    weights = np.exp(log_weights - top)
    total = weights.sum()
    shares, errors = [], []
    for target in targets:
        shape = _shape(compiled, target)
        codes, size = np.ravel_multi_index(tuple(rows[:, target].T), shape), int(np.prod(shape))
        p = np.bincount(codes, weights, size) / total
        hit = np.bincount(codes, weights**2, size)
        spread = hit * (1 - p) ** 2 + (np.sum(weights**2) - hit) * p**2
        shares.append(p.reshape(shape))
        errors.append((np.sqrt(np.maximum(spread, 0)) / total).reshape(shape))
    return Sampled(shares, errors, top + float(np.log(total / n)), float(total**2 / np.sum(weights**2)))


def gibbs_answer(
    compiled: Compiled,
    start: Array,
    findings: Findings,
    n: int,
    rng: np.random.Generator,
    targets: Sequence[tuple[int, ...]],
) -> Sampled | None:
    """`start` is a row of states for each chain, the states seen among them.

    None where no chain has come to states that are possible together.
    """
    chains = len(start)
    sweeps = max(2, -(-n // chains))
    unused = max(1, int(UNUSED * sweeps))
    rows = start.copy()
    free = [v for v in range(len(compiled.names)) if findings.codes[0, v] < 0]
    touching = [[f for f, scope in enumerate(compiled.scopes) if v in scope] for v in range(len(compiled.names))]
    shapes = [_shape(compiled, target) for target in targets]
    totals = [np.zeros((chains, int(np.prod(shape)))) for shape in shapes]
    alone = {target[0]: t for t, target in enumerate(targets) if len(target) == 1}
    each, alive = np.arange(chains), np.ones(chains, dtype=bool)
    for sweep in range(unused + sweeps):
        if sweep == unused:  # a chain at states that are possible together stays at such
            alive = _are_possible(compiled, findings, rows)
            if not alive.any():
                return None
        for v in free:
            weights = np.broadcast_to(findings.soft.get(v, 1.0), (chains, compiled.counts[v])).copy()
            for f in touching[v]:
                scope = compiled.scopes[f]
                place = tuple(slice(None) if u == v else rows[:, u] for u in scope)
                values = compiled.values[f][place]
                # NumPy puts the rows first, except where the slice stands before all of them, or they are none.
                weights *= values.T if values.ndim == 2 and scope[0] == v else values
            dead = ~(weights.sum(axis=1) > 0)
            weights[dead] = 1.0
            rows[:, v] = draw_states(weights, chains, rng)
            if sweep >= unused and v in alone:
                totals[alone[v]] += weights / weights.sum(axis=1, keepdims=True)  # less noisy than the state drawn
        for t, target in enumerate(targets):
            if sweep >= unused and (len(target) > 1 or target[0] not in free):
                totals[t][each, np.ravel_multi_index(tuple(rows[:, target].T), shapes[t])] += 1
    parts = [total[alive] / sweeps for total in totals]
    shares = [part.mean(axis=0).reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    spreads = [part.std(axis=0, ddof=min(1, len(part) - 1)) / np.sqrt(len(part)) for part in parts]
    errors = [spread.reshape(shape) for spread, shape in zip(spreads, shapes, strict=True)]
    return Sampled(shares, errors, float("nan"), float("nan"))


def _are_possible(compiled: Compiled, findings: Findings, rows: Array) -> Array:
    """Whether no factor, nor soft evidence, is 0 at the states of each row."""
    found = np.ones(len(rows), dtype=bool)
    for scope, values in zip(compiled.scopes, compiled.values, strict=True):
        found &= values[tuple(rows[:, u] for u in scope)] > 0
    for v, soft in findings.soft.items():
        found &= soft[rows[:, v]] > 0
    return found


def _shape(compiled: Compiled, target: Sequence[int]) -> tuple[int, ...]:
    shape = tuple(compiled.counts[list(target)].tolist())
    check_entries(shape)
    return shape
