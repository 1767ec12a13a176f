"""Trees of largest mutual information: Chow and Liu's, and given a class, that of TAN."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.engines import Request
from learnt.graphical.structure.result import SearchStep
from learnt.graphical.structure.scoring import Scorer

#: Information below this, relative to the weight of the rows, is none.
_NOTHING = 1e-12
#: Pairs of columns looked at together.
_PAIRS = 1 << 15


def pair_information(
    scorer: Scorer, nodes: Sequence[int], given: Sequence[int] = (), most_cells: float = np.inf
) -> Generator[Request, Any, Array]:
    """Mutual information of each two nodes, times the weight of the rows, in nats; `given` other columns.

        N·I(x; z | g) = loglik(x | g, z) − loglik(x | g)

    The scorer's score is the log-likelihood. Pairs whose table would have more than `most_cells` tell 0.
    """
    assert scorer.score == "loglik"
    base = float(np.prod([float(scorer.states[g]) for g in given]))
    states = scorer.states.astype(np.float64)

    def fits(x: int, z: int) -> bool:
        return bool(base * states[x] * states[z] <= most_cells)

    yield from scorer.fill([(x, tuple(given), []) for x in nodes])
    found = np.zeros((len(nodes), len(nodes)))
    place = {x: i for i, x in enumerate(nodes)}
    waiting: list[tuple[int, tuple[int, ...], list[int]]] = []
    for i, x in enumerate(nodes):
        waiting.append((x, tuple(given), [z for z in nodes[i + 1 :] if fits(x, z)]))
        if i + 1 < len(nodes) and sum(len(some) for _, _, some in waiting) < _PAIRS:
            continue
        yield from scorer.fill([group for group in waiting if group[2]])
        for a, _, some in waiting:
            for z in some:  # not remembered: of a thousand columns there are half a million pairs
                told = scorer.scores.pop((a, frozenset((*given, z)))) - scorer.of(a, given)
                found[place[a], place[z]] = found[place[z], place[a]] = told
        waiting = []
    return found


def spanning_tree(information: Array, root: int, nothing: float) -> list[tuple[int, int, float]]:
    """Edges (parent, child, weight) of the tree of largest weight, away from `root` (Prim).

    Where only edges of weight up to `nothing` are left, another tree begins, at its first node.
    """
    n = len(information)
    inside = np.zeros(n, bool)
    inside[root] = True
    nearest = np.full(n, root)
    weight = information[root].copy()
    edges = []
    while not inside.all():
        weight[inside] = -np.inf
        top = float(weight.max())
        x = int(np.flatnonzero(weight >= top - 1e-9 * max(abs(top), nothing))[0])
        if top > nothing:
            edges.append((int(nearest[x]), x, top))
        inside[x] = True
        closer = information[x] > weight
        closer &= ~inside
        nearest[closer] = x
        weight[closer] = information[x][closer]
    return edges


def chow_liu(
    scorer: Scorer, names: Sequence[str], root: int
) -> Generator[Request, Any, tuple[Array, list[SearchStep]]]:
    """The tree over all columns whose distribution is nearest to the data's: edges as parents × children, and steps."""
    n = len(names)
    information = yield from pair_information(scorer, range(n))
    edges = np.zeros((n, n), bool)
    score = sum(scorer.of(x, ()) for x in range(n))
    steps = [SearchStep("start", "", "", 0.0, score)]
    for p, x, weight in spanning_tree(information, root, _NOTHING * scorer.weight):
        edges[p, x] = True
        score += weight
        steps.append(SearchStep("add", names[p], names[x], weight, score))
    return edges, steps


def augmenting_tree(
    scorer: Scorer, features: Sequence[int], target: int, most_cells: float
) -> Generator[Request, Any, list[tuple[int, int, float]]]:
    """The edges among features, given the class, of a tree-augmented naive Bayes; away from the feature that tells most
    of the class."""
    information = yield from pair_information(scorer, features, (target,), most_cells)
    yield from scorer.fill([(x, (), []) for x in features])
    alone = np.array([scorer.of(x, (target,)) - scorer.of(x, ()) for x in features])
    root = int(np.flatnonzero(alone >= alone.max() - 1e-9 * max(abs(float(alone.max())), 1e-300))[0])
    tree = spanning_tree(information, root, _NOTHING * scorer.weight)
    return [(features[p], features[x], weight) for p, x, weight in tree]
