"""Adding over pieces in an order of fixed shape: the same bits whoever adds what, and whatever comes first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def in_few(nodes: Mapping[Node, Sum]) -> list[tuple[Node, Sum]]:
    """The same sums, to be sent: those of neighbours that add exactly as one, with the first of them.

    A sample of rows is as large for a few pieces as for all; one is sent for all pieces of a worker.
    """
    found: list[tuple[Node, Sum]] = []
    first, end = 0, -1  # the neighbours that are being added: where they begin among those found, and which comes next
    for node, own in sorted(nodes.items(), key=lambda item: item[0].place << item[0].level):
        start = node.place << node.level
        before = found[first][1].statistic if found else None
        if start == end and before is not None and own.statistic is not None and before.exact and own.statistic.exact:
            found[first] = found[first][0], found[first][1] + own
            found.append((node, Sum(None, RowsSeen())))
        else:
            first = len(found)
            found.append((node, own))
        end = node.place + 1 << node.level
    return found


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
