"""PC: links that no test takes away, then directions (P. Spirtes, C. Glymour; the stable variant of Colombo, Maathuis).

All columns begin linked. A link goes when its two columns are independent given some of the columns that either was
linked to when the round began: sets of size 0, then 1, 2, … Neighbours are those at the beginning of a round, so that
the order of columns does not matter for the links.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.engines import Request
from learnt.graphical.structure.counting import CountTables, FamilyCounts, Groups
from learnt.graphical.structure.independence import independence_test, known_cells
from learnt.graphical.structure.orientation import complete, extend_to_dag, orient_colliders
from learnt.graphical.structure.result import SearchStep
from learnt.graphical.structure.scoring import CELLS_AT_ONCE, DENSE_CELLS, Scorer

Test = tuple[int, int, tuple[int, ...]]  # x, z, and what is given


def find_links(
    scorer: Scorer, names: Sequence[str], allowed: Array, alpha: float, test: str, most_given: int | None
) -> Generator[Request, Any, tuple[Array, dict[frozenset[int], frozenset[int]], list[SearchStep]]]:
    """Links as a symmetric matrix, what separates each two columns that are not linked, and the tests that did."""
    n = len(names)
    links = (allowed | allowed.T) & ~np.eye(n, dtype=bool)
    separators: dict[frozenset[int], frozenset[int]] = {}
    steps: list[SearchStep] = []
    size = 0
    while (most_given is None or size <= most_given) and (links.sum(axis=0) > size).any():
        fixed = links.copy()
        left = {(x, z): _given_sets(fixed, x, z, size) for x in range(n) for z in range(x + 1, n) if fixed[x, z]}
        at_once = 1
        while left:  # a few sets of every link are tested in one pass, more each time
            tests = [(x, z, given) for (x, z), sets in left.items() for given in islice(sets, at_once)]
            asked = {(x, z) for x, z, _ in tests}
            left = {pair: sets for pair, sets in left.items() if pair in asked}
            found = yield from _p_values(scorer, tests, test)
            for (x, z, given), (statistic, p) in zip(tests, found, strict=True):
                if p > alpha and links[x, z]:
                    links[x, z] = links[z, x] = False
                    separators[frozenset((x, z))] = frozenset(given)
                    left.pop((x, z), None)
                    told = names[z] + (" | " + ", ".join(names[g] for g in given) if given else "")
                    steps.append(SearchStep("unlink", names[x], told, p, statistic))
            at_once = min(2 * at_once, 64)
        size += 1
    return links, separators, steps


def _given_sets(links: Array, x: int, z: int, size: int) -> Iterator[tuple[int, ...]]:
    """Sets of that size of the neighbours of one, then of the other, each once."""
    seen: set[tuple[int, ...]] = set()
    for a, b in ((x, z), (z, x)):
        near = [j for j in np.flatnonzero(links[a]).tolist() if j != b]
        for given in combinations(near, size):
            if given not in seen:
                seen.add(given)
                yield given


def _p_values(scorer: Scorer, tests: Sequence[Test], test: str) -> Generator[Request, Any, list[tuple[float, float]]]:
    """Statistic and p-value of each test; 0 for the p-value of one whose table is too large to be told by the rows."""
    found = [(np.inf, 0.0)] * len(tests)
    waiting: list[tuple[int, tuple[int, ...], int]] = []
    total = 0
    for i, (x, z, given) in enumerate(tests):
        cells = int(np.prod([float(scorer.cells[j]) for j in (*given, x, z)]))
        if cells > DENSE_CELLS:
            continue
        if total + cells > CELLS_AT_ONCE:
            yield from _count_tests(scorer, tests, waiting, total, test, found)
            waiting, total = [], 0
        waiting.append((i, (*given, x, z), cells))
        total += cells
    if waiting:
        yield from _count_tests(scorer, tests, waiting, total, test, found)
    return found


def _count_tests(
    scorer: Scorer,
    tests: Sequence[Test],
    waiting: Sequence[tuple[int, tuple[int, ...], int]],
    total: int,
    test: str,
    found: list[tuple[float, float]],
) -> Generator[Request, Any, None]:
    groups = Groups([(members[:-1], members[-1:]) for _, members, _ in waiting])
    counts: FamilyCounts = yield CountTables(scorer.cells, groups, total)
    start = 0
    for i, members, cells in waiting:
        table = counts.dense[start : start + cells].reshape([int(scorer.cells[j]) for j in members])
        statistic, _, p = independence_test(known_cells(table, [int(scorer.states[j]) for j in members]), test)
        found[i] = statistic, p
        start += cells


def search_pc(
    scorer: Scorer, names: Sequence[str], allowed: Array, *, alpha: float, test: str, most_given: int | None
) -> Generator[Request, Any, tuple[Array, Array, list[SearchStep]]]:
    """A directed graph, the partly directed one that tests can tell, and the tests that took links away."""
    links, separators, steps = yield from find_links(scorer, names, allowed, alpha, test, most_given)
    graph = complete(orient_colliders(links, separators))
    return extend_to_dag(graph), graph, steps
