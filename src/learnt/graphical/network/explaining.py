"""Why a posterior is what it is: what each finding adds to the log-odds of a state, and by which trail it gets there.

    log-odds(q | e₁ … e_k) = log-odds(q) + Σ_i contribution of e_i

A finding's contribution is the logarithm of its likelihood ratio given the findings before it, averaged over all orders
(their Shapley value): the parts add up, and no order is preferred. With many findings the order given is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.explain import Evidence, Explanation
from learnt.graphical.factors.factor import state_code
from learnt.graphical.inference.compiled import Compiled
from learnt.graphical.inference.conflict import impossible
from learnt.graphical.inference.evidence import Findings, findings_of, unknown_variable
from learnt.show.numbers import percent
from learnt.show.words import label, short_name

if TYPE_CHECKING:
    from learnt.graphical.network.bayesian_network import BayesianNetwork

MOST = 10  # findings of which all subsets are asked
LEAST = 1e-300  # stands for a probability of 0, whose logarithm could not be added


def explain_posterior(
    network: BayesianNetwork, query: str, evidence: Mapping[str, Any], state: Any = None
) -> Explanation:
    """The log-odds of a state of `query`, of the most probable one unless another is named."""
    compiled = network._compiled
    if query not in compiled.place:
        raise InputError(unknown_variable(query, compiled.names))
    findings = findings_of(compiled, {name: value for name, value in evidence.items() if name != query})
    target = compiled.place[query]
    whole = network.infer(query, evidence)
    states = compiled.states[target]
    chosen = int(whole.probabilities.argmax()) if state is None else state_code(query, states, state)
    seen = [compiled.place[name] for name in findings.words]
    odds = _log_odds(compiled, target, chosen, findings, seen)
    parts = _shares(odds, len(seen)) if len(seen) <= MOST else np.diff(odds)
    alone = (
        odds[1 : 1 + len(seen)] - odds[0]
        if len(seen) > MOST
        else np.array([odds[1 << i] - odds[0] for i in range(len(seen))])
    )
    known = []
    for i, name in enumerate(findings.words):
        trail = _trail(network, query, name, [n for n in findings.words if n != name])
        ratio = f"alone ×{_ratio(alone[i])}; " if len(seen) <= MOST else ""
        known.append(
            Evidence(
                name,
                evidence[name] if findings.codes[0, seen[i]] >= 0 else findings.words[name],
                float(parts[i]),
                ratio + trail,
            )
        )
    before = float(network.infer(query).probabilities[chosen])
    after = float(whole.probabilities[chosen]) if query not in evidence else _probability(odds[-1])
    words = (
        f"log-odds of {short_name(query, 30)} = {label(states[chosen])} "
        f"({percent(before)} before, {percent(after)} after)"
    )
    others = [(s, float(p)) for s, p in zip(states, whole.probabilities, strict=True) if s != states[chosen]]
    others.sort(key=lambda pair: -pair[1])
    base = float(odds[0])
    return Explanation(states[chosen], "sum", base, "before", tuple(known), float(odds[-1]), words, tuple(others))


def _probability(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))


def _ratio(log_ratio: float) -> str:
    ratio = float(np.exp(np.clip(log_ratio, -600, 600)))
    return f"{ratio:.3g}"


def _log_odds(compiled: Compiled, target: int, chosen: int, findings: Findings, seen: list[int]) -> Array:
    """For every subset of the findings, numbered by its bits; of many findings for those before each, in order."""
    k = len(seen)
    subsets = range(2**k) if k <= MOST else [2**i - 1 for i in range(k + 1)]
    codes = np.full((len(subsets), len(compiled.names)), -1, np.int32)
    soft = np.ones((len(subsets), int(compiled.starts[-1]))) if findings.soft else None
    for row, subset in enumerate(subsets):
        for i, v in enumerate(seen):
            if not subset >> i & 1:
                continue
            codes[row, v] = findings.codes[0, v]
            if soft is not None and v in findings.soft:
                soft[row, compiled.starts[v] : compiled.starts[v + 1]] = findings.soft[v]
    (found,), log_evidence = compiled.posteriors(codes, soft, [(target,)])
    if not np.isfinite(log_evidence).all():
        raise impossible(compiled, findings)
    chance = np.maximum(found[:, chosen], LEAST)
    rest = np.maximum(np.delete(found, chosen, axis=1).sum(axis=1), LEAST)
    odds: Array = np.log(chance) - np.log(rest)
    return odds


def _shares(odds: Array, k: int) -> Array:
    """Shapley values of the findings from the log-odds of all subsets."""
    sizes = np.array([bin(s).count("1") for s in range(2**k)])
    made = np.zeros(k)
    for i in range(k):
        without = np.array([s for s in range(2**k) if not s >> i & 1])
        weights = np.array([factorial(n) * factorial(k - n - 1) / factorial(k) for n in range(k)])[sizes[without]]
        made[i] = float(weights @ (odds[without | (1 << i)] - odds[without]))
    return made


def _trail(network: BayesianNetwork, query: str, name: str, others: list[str]) -> str:
    """How a finding reaches the query given the others."""
    found = network.d_separated(name, query, others)
    if found:
        return "no open trail: the other findings say all that it could"
    return "by " + found.way()
