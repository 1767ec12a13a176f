"""Hill climbing: of all edges that could be added, removed or turned round, the one that gains most, again and again.

Adding p to the parents P of x gains score(x | P + p) − score(x | P); only the families of nodes whose parents changed
are counted anew. When nothing gains, a tabu list lets the search go on through worse structures for a while, and
restarts begin again near the best one. The best structure of all is the answer.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.engines import Request
from learnt.graphical.structure.result import SearchStep
from learnt.graphical.structure.rules import Rules, descendants
from learnt.graphical.structure.scoring import Group, Scorer
from learnt.watch import report

#: A gain below this, relative to the score, is rounding.
_TIE = 1e-10

_ADD, _REMOVE, _REVERSE = range(3)
ACTIONS = ("add", "remove", "reverse")

Move = tuple[int, int, int]  # action, parent, child


class HillClimbing:
    """One search. `edges` are parents × children, `gains` of the three actions likewise."""

    def __init__(self, scorer: Scorer, rules: Rules, start: Array):
        self.scorer, self.rules = scorer, rules
        n = len(start)
        self.become(start)
        self.base = np.zeros(n)
        self.more = np.full((n, n), -np.inf)  # the child's score with one more parent
        self.less = np.full((n, n), -np.inf)  # and with one less
        self.steps: list[SearchStep] = []

    def become(self, edges: Array) -> None:
        self.edges, self.reach = edges.copy(), descendants(edges)

    @property
    def score(self) -> float:
        return float(self.base.sum())

    def refresh(self, nodes: Iterable[int], turned: bool = False) -> Generator[Request, Any, None]:
        """Scores of the families that one move makes of these nodes' families."""
        wanted: list[Group] = []
        plans: list[tuple[int, frozenset[int], list[int]]] = []
        for x in nodes:
            parents = tuple(np.flatnonzero(self.edges[:, x]).tolist())
            could = self.rules.allowed[:, x] & ~self.edges[:, x] & (len(parents) < self.rules.max_parents)
            candidates = np.flatnonzero(could).tolist()
            wanted.append((x, parents, ()))
            if candidates:
                wanted.append((x, parents, candidates))
            wanted += [(x, tuple(q for q in parents if q != p), []) for p in parents]
            plans.append((x, frozenset(parents), candidates))
        if turned and not self.edges.any():  # a pair's table tells both of its families
            n = len(self.edges)
            either = self.rules.allowed | self.rules.allowed.T
            pairs = [(x, (), [z for z in range(x + 1, n) if either[x, z]]) for x in range(n)]
            wanted = [(x, (), []) for x in range(n)]
            yield from self.scorer.fill(wanted)
            yield from self.scorer.fill([pair for pair in pairs if pair[2]], turned=True)
        yield from self.scorer.fill(wanted)
        scores = self.scorer.scores
        for x, known, candidates in plans:
            self.base[x] = scores[x, known]
            self.more[:, x] = self.less[:, x] = -np.inf
            self.more[candidates, x] = [scores[x, known | {z}] for z in candidates]
            kept = list(known)
            self.less[kept, x] = [scores[x, known - {z}] for z in kept]

    def gains(self) -> Array:
        """What each action on each edge gains, actions × parents × children; −∞ where it is not to be had."""
        edges, reach = self.edges, self.reach
        add = np.where(~edges & ~reach.T, self.more - self.base, -np.inf)
        free = edges & ~self.rules.required
        remove = np.where(free, self.less - self.base, -np.inf)
        # Turning p → x makes a circle if another path leads from p to x.
        detour = np.zeros_like(edges)
        p, x = np.nonzero(free)
        detour[p, x] = (reach[p] & edges[:, x].T).any(axis=1)
        other = (self.more - self.base).T  # of x as a parent of p
        with np.errstate(invalid="ignore"):
            reverse = np.where(free & ~detour, remove + other, -np.inf)
        found = np.stack([add, remove, reverse])
        found[np.isnan(found)] = -np.inf
        return found

    def best(self, gains: Array) -> tuple[float, Move] | None:
        """The largest gain; of equal ones the first."""
        top = float(gains.max(initial=-np.inf))
        if top == -np.inf:
            return None
        near = gains >= top - _TIE * (1 + abs(self.score))
        action, p, x = (int(i) for i in np.argwhere(near)[0])
        return top, (action, p, x)

    def move(self, move: Move, gain: float, word: str = "") -> Generator[Request, Any, None]:
        action, p, x = move
        self.edges[p, x] = action == _ADD
        self.edges[x, p] |= action == _REVERSE
        if action == _ADD:
            above, below = self.reach[:, p].copy(), self.reach[x].copy()
            above[p] = below[x] = True
            self.reach |= above[:, None] & below
        else:
            self.reach = descendants(self.edges)
        yield from self.refresh([x] if action != _REVERSE else [p, x])
        names = self.rules.names
        step = SearchStep(word or ACTIONS[action], names[p], names[x], gain, self.score)
        self.steps.append(step)
        report("hill climbing", iteration=len(self.steps), objective=step.score, action=step.action, edge=(p, x))

    def climb(self, tabu: int, max_steps: int | None) -> Generator[Request, Any, tuple[float, Array]]:
        """To a top; with `tabu` moves that may not be undone, on through as many worse structures."""
        n = len(self.edges)
        best, top = self.edges.copy(), self.score
        locked = np.zeros((n, n), np.int64)  # until which step
        worse = taken = 0
        while max_steps is None or taken < max_steps:
            gains = self.gains()
            found = self.best(gains)
            enough = _TIE * (1 + abs(self.score))
            if found is None or found[0] <= enough or (tabu and worse):
                if not tabu:
                    break
                found = self.best(np.where(locked > taken, -np.inf, gains))
                if found is None:
                    break
            gain, move = found
            yield from self.move(move, gain)
            taken += 1
            if tabu:
                _, p, x = move
                locked[p, x] = locked[x, p] = taken + tabu
            if self.score > top + enough:
                best, top, worse = self.edges.copy(), self.score, 0
            else:
                worse += 1
                if worse > tabu:
                    break
        return top, best

    def perturb(self, n_moves: int, rng: np.random.Generator) -> Generator[Request, Any, None]:
        """Random moves, each allowed where it is made."""
        for _ in range(n_moves):
            gains = self.gains()
            possible = np.argwhere(gains > -np.inf)
            if len(possible) == 0:
                return
            action, p, x = (int(i) for i in possible[rng.integers(len(possible))])
            yield from self.move((action, p, x), float(gains[action, p, x]), "perturb")


def climb_hills(
    scorer: Scorer,
    rules: Rules,
    start: Array | None = None,
    *,
    tabu: int = 0,
    restarts: int = 0,
    perturb: int | None = None,
    max_steps: int | None = None,
    seed: int = 0,
) -> Generator[Request, Any, tuple[Array, list[SearchStep]]]:
    """The best edges found, parents × children, and all steps."""
    n = len(rules.allowed)
    search = HillClimbing(scorer, rules, rules.required if start is None else start | rules.required)
    yield from search.refresh(range(n), turned=True)
    search.steps.append(SearchStep("start", "", "", 0.0, search.score))
    top, best = yield from search.climb(tabu, max_steps)
    rng = np.random.default_rng(seed)
    for _ in range(restarts):
        search.become(best)
        yield from search.refresh(range(n))
        search.steps.append(SearchStep("restart", "", "", 0.0, search.score))
        yield from search.perturb(1 + n // 5 if perturb is None else perturb, rng)
        again, edges = yield from search.climb(tabu, max_steps)
        if again > top + _TIE * (1 + abs(top)):
            top, best = again, edges
    return best, search.steps
