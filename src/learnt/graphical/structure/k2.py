"""K2: along an order of the columns, each takes the earlier ones that gain most, one by one, while they gain."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.engines import Request
from learnt.graphical.structure.result import SearchStep
from learnt.graphical.structure.rules import Rules
from learnt.graphical.structure.scoring import Scorer


def search_k2(
    scorer: Scorer, rules: Rules, order: Sequence[int], start: Array | None = None
) -> Generator[Request, Any, tuple[Array, list[SearchStep]]]:
    """The edges found, parents × children, and the steps. Nodes choose at the same time: a round of additions is one
    pass, so that there are no more passes than parents."""
    n = len(rules.allowed)
    edges = rules.required.copy() if start is None else start | rules.required
    before = np.zeros((n, n), bool)
    for i, x in enumerate(order):
        before[list(order[:i]), x] = True
    before &= rules.allowed
    open_nodes = list(order)
    yield from scorer.fill([(x, _parents(edges, x), []) for x in order])
    now = {x: scorer.of(x, _parents(edges, x)) for x in order}
    steps = [SearchStep("start", "", "", 0.0, float(sum(now.values())))]
    while open_nodes:
        could = {x: np.flatnonzero(before[:, x] & ~edges[:, x]).tolist() for x in open_nodes}
        could = {x: some for x, some in could.items() if some and edges[:, x].sum() < rules.max_parents}
        yield from scorer.fill([(x, _parents(edges, x), some) for x, some in could.items()])
        open_nodes = []
        for x, some in could.items():
            parents = _parents(edges, x)
            scores = np.array([scorer.of(x, (*parents, z)) for z in some])
            gain = float(scores.max()) - now[x]
            if gain <= 1e-10 * (1 + abs(now[x])):
                continue
            z = some[int(np.flatnonzero(scores >= scores.max() - 1e-10 * (1 + abs(now[x])))[0])]
            edges[z, x] = True
            now[x] = scorer.of(x, (*parents, z))
            names = rules.names
            steps.append(SearchStep("add", names[z], names[x], gain, float(sum(now.values()))))
            open_nodes.append(x)
    return edges, steps


def _parents(edges: Array, x: int) -> tuple[int, ...]:
    return tuple(np.flatnonzero(edges[:, x]).tolist())
