"""What a pruning function returns: the smaller tree, and what was cut and why."""

from __future__ import annotations

from dataclasses import dataclass

from learnt.storable import storable
from learnt.tree.arrays import Array, TreeArrays


@storable
@dataclass(frozen=True, slots=True)
class Cut:
    """One change. `node` is its number in the tree given, `before` and `after` the costs compared there."""

    node: int
    size_before: int
    why: str
    before: float
    after: float

    def __str__(self) -> str:
        nodes = f"{self.size_before} nodes"
        return f"node {self.node} ({nodes}): {self.why}, {_short(self.after)} against {_short(self.before)}"


@dataclass(frozen=True, slots=True)
class Pruned:
    """A pruned tree with the cuts that made it, in the order in which they were decided.

    `written` are its thresholds as they are written, where that is known.
    """

    tree: TreeArrays
    cuts: tuple[Cut, ...]
    written: Array | None = None

    def __str__(self) -> str:
        n, leaves = self.tree.node_count, self.tree.n_leaves
        head = f"{len(self.cuts)} cut{'' if len(self.cuts) == 1 else 's'}; {n} nodes are left, {leaves} of them leaves"
        return "\n".join([head, *(f"  {cut}" for cut in self.cuts)])


def _short(number: float) -> str:
    return f"{number:.4g}"
