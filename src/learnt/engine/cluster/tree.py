"""Adding over pieces in an order of fixed shape: the same bits whoever adds what, and whatever comes first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from learnt.engine.passes import Statistic
from learnt.engine.rows_seen import RowsSeen


class Node(NamedTuple):
    """The pieces from `place` times 2 to the power of `level` on, as many as that power, as far as there are any."""

    level: int
    place: int


@dataclass(frozen=True)
class Sum:
    """What the pieces below a node add up to; no statistic if they have no batches."""

    statistic: Any
    seen: RowsSeen

    def __add__(self, other: Sum) -> Sum:
        mine: Statistic | None = self.statistic
        if mine is None or other.statistic is None:
            both = other.statistic if mine is None else mine
        else:
            both = mine + other.statistic
        return Sum(both, self.seen + other.seen)


class SumTree:
    """A binary tree over pieces 0 to n − 1. Siblings are joined as soon as both are there."""

    def __init__(self, n_pieces: int):
        self.n_pieces = n_pieces
        self.root = Node(max(n_pieces - 1, 0).bit_length(), 0)
        self.nodes: dict[Node, Sum] = {}

    def put(self, node: Node, found: Sum) -> None:
        """Take in what the pieces below a node add up to."""
        while node != self.root:
            beside = Node(node.level, node.place ^ 1)
            if beside.place << beside.level < self.n_pieces:
                if beside not in self.nodes:
                    break
                other = self.nodes.pop(beside)
                found = other + found if node.place & 1 else found + other
            node = Node(node.level + 1, node.place >> 1)
        self.nodes[node] = found

    def put_all(self, nodes: Iterable[tuple[Node, Sum]]) -> None:
        for node, found in nodes:
            self.put(node, found)

    @property
    def total(self) -> Sum:
        """Over all pieces."""
        return self.nodes[self.root]
