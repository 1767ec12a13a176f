"""Best-first growth where every look at the rows is expensive: several leaves are split at once, some of them on trial.

Best-first growth splits the leaf that gains most, then looks at its two children before it chooses again. Here each
look splits all leaves that it would take if the children of those not split yet gained nothing. When a walk through
the known gains meets no such leaf any more, the leaves it took are exactly those of best-first growth, and what was
split beyond them is cut off again. The number of looks is about that of levels, not of leaves.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field


@dataclass
class Walk:
    """The nodes best-first growth splits, in its order, and those of them whose children are not known yet."""

    taken: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)


@dataclass
class BestFirst:
    """A growing tree: nodes by number, the root 0. `max_leaves` is 0 for no limit; `by_level` takes level by level."""

    max_leaves: int
    by_level: bool
    gain: dict[int, float] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=lambda: {0: 0})
    kids: dict[int, tuple[int, int]] = field(default_factory=dict)

    def split(self, node: int, left: int, right: int) -> None:
        """Note the children of a node."""
        self.kids[node] = (left, right)
        self.depth[left] = self.depth[right] = self.depth[node] + 1

    def walk(self) -> Walk:
        """What growth would take, if children not known yet gained nothing. Of equal gains the older node is taken."""
        found, open_nodes, age = Walk(), list[tuple[int, float, int, int]](), 0

        def enter(node: int) -> None:
            nonlocal age
            age += 1
            if self.gain.get(node, 0.0) > 0:
                level = self.depth[node] if self.by_level else 0
                heapq.heappush(open_nodes, (level, -self.gain[node], age, node))

        enter(0)
        while open_nodes and (self.max_leaves == 0 or len(found.taken) + 1 < self.max_leaves):
            node = heapq.heappop(open_nodes)[-1]
            found.taken.append(node)
            if node in self.kids:
                for kid in self.kids[node]:
                    enter(kid)
            else:
                found.unknown.append(node)
                age += 2
        return found

    def leaf_above(self, taken: list[int]) -> list[int]:
        """For each node the leaf it belongs to once the tests not taken are cut off: itself, or one above."""
        inner, above = set(taken), list(range(len(self.depth)))
        for node in sorted(self.kids, key=self.depth.__getitem__):  # parents before children
            for kid in self.kids[node]:
                above[kid] = kid if node in inner and above[node] == node else above[node]
        return above
