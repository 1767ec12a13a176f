"""Which edges a structure may have: required, forbidden, in an order, and how many parents a node may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, unknown_column
from learnt.errors import ParameterError
from learnt.show.words import spell


@dataclass(frozen=True)
class Rules:
    """`allowed` and `required` as parents × children."""

    names: tuple[str, ...]
    allowed: Array
    required: Array
    max_parents: int

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        *,
        required: Any = (),
        forbidden: Any = (),
        order: Any = None,
        max_parents: int | None = None,
    ) -> Rules:
        """From edges by name, (parent, child) or a dict of parents by child; `order` lists columns, or groups of
        columns within which edges go either way."""
        n, place = len(names), {name: j for j, name in enumerate(names)}
        allowed = ~np.eye(n, dtype=bool)
        for p, x in _edges(forbidden, "forbidden", place):
            allowed[p, x] = False
        if order is not None:
            rank = _ranks(order, place)
            for p in range(n):
                for x in range(n):
                    if p in rank and x in rank and rank[p] > rank[x]:
                        allowed[p, x] = False
        needed = np.zeros((n, n), bool)
        for p, x in _edges(required, "required", place):
            if not allowed[p, x]:
                raise ParameterError(
                    f"The edge {spell(names[p])} → {spell(names[x])} is required, but it is forbidden, or against the "
                    "order. Expected edges that may be there. Leave out one of the two."
                )
            needed[p, x] = True
        most = n if max_parents is None else int(max_parents)
        crowded = np.flatnonzero(needed.sum(axis=0) > most)
        if len(crowded):
            raise ParameterError(
                f"Column {spell(names[crowded[0]])} has {needed[:, crowded[0]].sum()} required parents, but "
                f"max_parents is {most}. Expected no more. Raise max_parents, or leave out required edges."
            )
        cycle = find_cycle(needed)
        if cycle:
            told = " → ".join(spell(names[j]) for j in (*cycle, cycle[0]))
            raise ParameterError(f"The required edges go in a circle: {told}. Expected none. Leave out one of them.")
        return cls(tuple(names), allowed, needed, most)


def _edges(given: Any, what: str, place: Mapping[str, int]) -> Iterable[tuple[int, int]]:
    pairs = [(p, x) for x, parents in given.items() for p in parents] if isinstance(given, Mapping) else list(given)
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise ParameterError(f"{what}={spell(pair)} is not an edge. Expected pairs (parent, child).")
        for name in pair:
            _check_name(name, what, place)
        yield place[pair[0]], place[pair[1]]


def _ranks(order: Any, place: Mapping[str, int]) -> dict[int, int]:
    rank: dict[int, int] = {}
    for number, names in enumerate(order):
        for name in [names] if isinstance(names, str) else names:
            _check_name(name, "order", place)
            if place[name] in rank:
                raise ParameterError(f"order names {spell(name)} twice. Expected each column once.")
            rank[place[name]] = number
    return rank


def _check_name(name: Any, what: str, place: Mapping[str, int]) -> None:
    if not isinstance(name, str) or name not in place:
        raise ParameterError(f"{what} names a column. {unknown_column(str(name), tuple(place))}")


def find_cycle(edges: Array) -> list[int]:
    """Nodes of a circle in parents × children, each before the next; none for a graph without."""
    left = np.ones(len(edges), bool)
    while True:  # nodes without parents among those left cannot be in a circle
        free = left & ~(edges[left].any(axis=0))
        if not free.any():
            break
        left &= ~free
    if not left.any():
        return []
    path = [int(np.flatnonzero(left)[0])]
    while True:
        parent = int(np.flatnonzero(edges[:, path[-1]] & left)[0])
        if parent in path:
            cycle = path[path.index(parent) :][::-1]
            start = cycle.index(min(cycle))
            return cycle[start:] + cycle[:start]
        path.append(parent)


def descendants(edges: Array) -> Array:
    """Whether a path leads from a node (rows) to another (columns), along at least one edge."""
    reach = edges.copy()
    for k in range(len(reach)):
        reach |= reach[:, k : k + 1] & reach[k : k + 1]
    return reach


def in_order(edges: Array) -> list[int]:
    """The nodes, parents before children, of a graph without circles."""
    found: list[int] = []
    left = np.ones(len(edges), bool)
    while left.any():
        free = np.flatnonzero(left & ~(edges[left].any(axis=0)))
        found += free.tolist()
        left[free] = False
    return found
