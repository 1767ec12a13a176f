"""Directions of edges: v-structures, Meek's rules, and a directed graph without circles that agrees with them.

A partly directed graph is a matrix, parents × children; an edge without a direction stands in both places.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from learnt.data.table import Array
from learnt.graphical.structure.rules import descendants


def orient_colliders(skeleton: Array, separators: Mapping[frozenset[int], frozenset[int]]) -> Array:
    """x → z ← y wherever x and y are not linked, z is linked to both, and z did not separate them.

    An edge that two of them want in opposite directions keeps the first.
    """
    graph = skeleton.copy()
    for z in range(len(graph)):
        for x, y in combinations(np.flatnonzero(skeleton[:, z]).tolist(), 2):
            if skeleton[x, y] or z in separators.get(frozenset((x, y)), frozenset()):
                continue
            if graph[x, z] and graph[y, z]:
                graph[z, x] = graph[z, y] = False
    return graph


def complete(graph: Array) -> Array:
    """Directions that follow from those that are there (C. Meek, 1995): no new v-structure, no circle."""
    graph = graph.copy()
    changed = True
    while changed:
        changed = False
        for a, b in np.argwhere(graph & graph.T).tolist():
            if graph[b, a] and graph[a, b] and _must_point(graph, a, b):
                graph[b, a] = False
                changed = True
    return graph


def _must_point(graph: Array, a: int, b: int) -> bool:
    """Whether a — b has to be a → b."""
    directed, linked = graph & ~graph.T, graph | graph.T
    loose = graph & graph.T
    into_a = directed[:, a]
    if (into_a & ~linked[:, b] & (np.arange(len(graph)) != b)).any():  # c → a — b, c and b apart
        return True
    if (directed[a] & directed[:, b]).any():  # a → c → b
        return True
    middle = np.flatnonzero(loose[a] & directed[:, b])  # a — c → b and a — d → b, c and d apart
    if any(not linked[c, d] for c, d in combinations(middle.tolist(), 2)):
        return True
    for c in np.flatnonzero(loose[a] & linked[:, b]).tolist():  # a — d → c → b, with a — c, d and b apart
        if not directed[c, b]:
            continue
        d_nodes = np.flatnonzero(loose[a] & directed[:, c] & ~linked[:, b])
        if len(d_nodes):
            return True
    return False


def extend_to_dag(graph: Array) -> Array:
    """A directed graph without circles with the same links and v-structures, where there is one (Dor and Tarsi, 1992);
    else links keep their directions as far as these make no circle."""
    rest, dag = graph.copy(), graph & ~graph.T
    left = np.ones(len(graph), bool)
    while left.any():
        sink = next((x for x in np.flatnonzero(left).tolist() if _is_sink(rest, x, left)), None)
        if sink is None:
            return _without_circles(graph)
        loose = rest[:, sink] & rest[sink] & left
        dag[loose, sink] = True
        left[sink] = False
        rest[sink] = False
        rest[:, sink] = False
    return dag


def _is_sink(graph: Array, x: int, left: Array) -> bool:
    if (graph[x] & ~graph[:, x] & left).any():
        return False
    linked = (graph | graph.T) & left
    near = np.flatnonzero(linked[x])
    loose = np.flatnonzero(graph[x] & graph[:, x] & left)
    return all(bool(linked[y, [z for z in near if z != y]].all()) for y in loose)


def _without_circles(graph: Array) -> Array:
    dag = np.zeros_like(graph)
    directed = graph & ~graph.T
    for p, x in [*np.argwhere(directed).tolist(), *np.argwhere(graph & graph.T).tolist()]:
        if dag[x, p]:
            continue
        reach = descendants(dag)
        if reach[x, p]:
            p, x = x, p
        dag[p, x] = True
    return dag
