"""Gradient boosting written down as slowly and plainly as it is defined: what the learners are compared with.

Columns are numbers with few different values, NaN where missing; every gap between two values is a possible test, and
missing cells are tried on both sides. No bins, no histograms, no threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass
class Node:
    """A leaf, or a test: rows whose cell is ≤ `cut` go left; `missing_left` says where missing ones go."""

    rows: Array
    value: float
    depth: int
    low: float = -np.inf
    high: float = np.inf
    gain: float = -np.inf
    column: int = -1
    cut: float = np.nan
    missing_left: bool = False
    kids: list[Node] = field(default_factory=list)


@dataclass
class Grower:
    x: Array
    leaves: int = 31
    depth: int | None = None
    least: float = 20.0
    l2: float = 1.0
    rate: float = 0.1
    directions: Array | None = None
    groups: list[list[int]] | None = None
    level_by_level: bool = False

    def grow(self, g: Array, h: Array, count: Array) -> Node:
        self.g, self.h, self.count = g, h, count
        root = Node(np.flatnonzero(count > 0), 0.0, 0)
        root.value = self._value(root)
        self._search(root, set())
        frontier, used = [(root, frozenset[int]())], 1
        while frontier and used < self.leaves:
            order = [(n.depth if self.level_by_level else 0, -n.gain, i) for i, (n, _) in enumerate(frontier)]
            node, above = frontier.pop(min(order)[2])
            if not node.gain > 0:
                if self.level_by_level:
                    continue
                break
            columns = above | {node.column}
            for kid in self._split(node):
                self._search(kid, columns)
                frontier.append((kid, columns))
            used += 1
        return root

    def _value(self, node: Node) -> float:
        g, h = self.g[node.rows].sum(), self.h[node.rows].sum()
        return float(np.clip(-g / (h + self.l2), node.low, node.high))

    def _allowed(self, above: Any) -> list[int]:
        if self.groups is None:
            return list(range(self.x.shape[1]))
        return sorted({j for group in self.groups if set(above) <= set(group) for j in group})

    def _search(self, node: Node, above: Any) -> None:
        if self.depth is not None and node.depth >= self.depth:
            return
        for j in self._allowed(above):
            cells = self.x[node.rows, j]
            known = np.unique(cells[~np.isnan(cells)])
            gaps = np.isnan(cells).any()
            cuts = [*((known[:-1] + known[1:]) / 2)]
            tries = [(cut, side) for cut in cuts for side in ((False, True) if gaps else (None,))]
            if gaps and len(known):
                tries += [(np.inf, False), (-np.inf, True)]
            for cut, side in tries:
                gain, heavier = self._gain(node, j, cut, side)
                if gain > node.gain * (1 + 1e-12) + 1e-12:
                    node.gain, node.column, node.cut = gain, j, cut
                    node.missing_left = heavier if side is None else side

    def _sides(self, node: Node, j: int, cut: float, missing_left: bool) -> tuple[Array, Array]:
        cells = self.x[node.rows, j]
        left = np.where(np.isnan(cells), missing_left, cells <= cut)
        return node.rows[left], node.rows[~left]

    def _gain(self, node: Node, j: int, cut: float, side: bool | None) -> tuple[float, bool]:
        parts = self._sides(node, j, cut, bool(side))
        sums = [(self.g[r].sum(), self.h[r].sum(), self.count[r].sum()) for r in parts]
        if min(s[2] for s in sums) < self.least * (1 - 1e-9):
            return -np.inf, False
        values = [float(np.clip(-g / (h + self.l2), node.low, node.high)) for g, h, _ in sums]
        way = 0 if self.directions is None else self.directions[j]
        if way * (values[1] - values[0]) < 0:
            return -np.inf, False
        score = sum(self._score(g, h, v) for (g, h, _), v in zip(sums, values, strict=True))
        g, h = self.g[node.rows].sum(), self.h[node.rows].sum()
        return score - self._score(g, h, self._value(node)), bool(sums[0][1] >= sums[1][1])

    def _score(self, g: float, h: float, value: float) -> float:
        """What a leaf of this value takes away of the loss, twice: g²/(h + λ) at its best value."""
        return -(2 * g * value + (h + self.l2) * value**2)

    def _split(self, node: Node) -> list[Node]:
        rows = self._sides(node, node.column, node.cut, node.missing_left)
        node.kids = [Node(r, 0.0, node.depth + 1, node.low, node.high) for r in rows]
        for kid in node.kids:
            kid.value = self._value(kid)
        way = 0 if self.directions is None else int(self.directions[node.column])
        if way:
            middle = sum(kid.value for kid in node.kids) / 2
            below, above = node.kids[::way]
            below.high = above.low = middle
        return node.kids


def leaves_of(node: Node) -> list[Node]:
    return [node] if not node.kids else [leaf for kid in node.kids for leaf in leaves_of(kid)]


def boost(x: Array, y: Array, rounds: int, *, kind: str = "squared", weights: Array | None = None, **settings: Any):
    """Scores after each round, and the trees. `kind` is "squared" or "logistic"."""
    w = np.ones(len(y)) if weights is None else weights
    mean = np.average(y, weights=w)
    score = np.full(len(y), mean if kind == "squared" else np.log(mean / (1 - mean)))
    stages, trees = [score.copy()], []
    for _ in range(rounds):
        if kind == "squared":
            g, h = w * (score - y), w.astype(float)
        else:
            p = 1 / (1 + np.exp(-score))
            g, h = w * (p - y), w * p * (1 - p)
        grower = Grower(x, **settings)
        root = grower.grow(g, h, w)
        for leaf in leaves_of(root):
            score[leaf.rows] += grower.rate * leaf.value
        trees.append(root)
        stages.append(score.copy())
    return stages, trees
