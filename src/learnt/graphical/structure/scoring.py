"""Scores of families (a node and its parents), each counted once and remembered."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.engines import Request
from learnt.graphical.structure.counting import CountTables, FamilyCounts, Groups, StateWeights

SCORES = ("bic", "aic", "bdeu", "k2", "loglik")

#: A table of more cells is not laid out: the combinations that occur are found by hashing.
DENSE_CELLS = 1 << 18
#: Cells of all tables that one pass counts; more tables take another pass.
CELLS_AT_ONCE = 1 << 22
#: Combinations beyond this cannot be numbered. Such a family is never chosen.
MOST_COMBINATIONS = 2.0**62

Work = Generator[Request, Any, None]
#: A node, its parents, and columns that could be one more parent; without these, the family as it is.
Group = tuple[int, tuple[int, ...], Sequence[int]]


@dataclass
class _Chunk:
    """Tables that one pass counts."""

    groups: list[tuple[tuple[int, ...], list[int]]] = field(default_factory=list)
    places: list[tuple[int, frozenset[int]]] = field(default_factory=list)  # the family of each table
    cells: int = 0
    hashed: list[tuple[int, ...]] = field(default_factory=list)
    hashed_places: list[tuple[int, frozenset[int]]] = field(default_factory=list)

    def add(self, members: tuple[int, ...], candidate: int | None, cells: int) -> None:
        last = self.groups[-1] if self.groups else ((), [])
        if candidate is None:
            self.groups.append((members, []))
        elif last[0] == members and last[1]:
            last[1].append(candidate)
        else:
            self.groups.append((members, [candidate]))
        parents = frozenset(members[:-1]) | ({candidate} if candidate is not None else set())
        self.places.append((members[-1], parents))
        self.cells += cells


class Scorer:
    """Scores by family, from counts: `scores[node, parents]` after `fill`.

    Cells that are missing are dealt out to the states of their column by the shares these have where it is known: a
    column that is mostly missing then explains little, and all families are scored on the same weight of rows.
    """

    def __init__(self, sizes: Array, found: StateWeights, score: str, sample_size: float = 1.0):
        self.states = sizes
        parts = np.split(found.weight, np.cumsum(sizes + 1)[:-1])
        self.cells = (sizes + [part[-1] > 0 for part in parts]).astype(np.int32)
        self.state_weights = [part[:-1] for part in parts]
        self.shares = np.concatenate([_shares(part[:-1]) for part in parts])
        self.weight = float(parts[0].sum())
        self.score, self.sample_size = score, float(sample_size)
        self.scores: dict[tuple[int, frozenset[int]], float] = {}

    def of(self, node: int, parents: Iterable[int]) -> float:
        return self.scores[node, frozenset(parents)]

    def fill(self, groups: Iterable[Group], turned: bool = False) -> Work:
        """Count and score the families that are not known yet; `turned`: also each candidate with the node as its
        parent, which the same table tells."""
        chunk = _Chunk()
        for node, parents, candidates in groups:
            members = (*sorted(parents), node)
            base = math.prod(int(self.cells[j]) for j in members)
            for z in candidates or (None,):
                key = node, frozenset(parents) | ({z} if z is not None else set())
                if key in self.scores:
                    continue
                cells = base * (1 if z is None else int(self.cells[z]))
                if cells >= MOST_COMBINATIONS:
                    self.scores[key] = -math.inf
                elif cells > DENSE_CELLS:
                    chunk.hashed.append((*sorted(key[1]), node))
                    chunk.hashed_places.append(key)
                    if turned and z is not None:
                        chunk.hashed.append((*members, z))
                        chunk.hashed_places.append((z, frozenset(members)))
                else:
                    if chunk.cells + cells > CELLS_AT_ONCE:
                        yield from self._count(chunk, turned)
                        chunk = _Chunk()
                    chunk.add(members, z, cells)
        if chunk.groups or chunk.hashed:
            yield from self._count(chunk, turned)

    def _count(self, chunk: _Chunk, turned: bool) -> Work:
        groups = Groups(chunk.groups)
        counts: FamilyCounts = yield CountTables(self.cells, groups, chunk.cells, chunk.hashed)
        out = np.empty(len(chunk.places))
        other = np.empty(len(chunk.places)) if turned else None
        how = self.score, self.sample_size, self.weight
        _core.score_tables(counts.dense, self.cells, self.states, self.shares, *groups.arrays(), *how, out, other)
        self.scores.update(zip(chunk.places, out.tolist(), strict=True))
        if other is not None:
            candidates = (z for _, some in chunk.groups for z in some)
            pairs = zip(chunk.places, candidates, other.tolist(), strict=True)
            for (node, parents), z, value in pairs:
                self.scores[z, (parents - {z}) | {node}] = value
        for key, members, (keys, weights) in zip(chunk.hashed_places, chunk.hashed, counts.hashed, strict=True):
            node = members[-1]
            configurations = math.prod(float(self.states[j]) for j in members[:-1])
            sizes = int(self.cells[node]), configurations, float(self.states[node])
            self.scores[key] = _core.score_hashed(keys, weights, *sizes, *how)


def _shares(weights: Array) -> Array:
    total = float(weights.sum())
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
