"""Adding in a tree whose shape hangs on the number of pieces alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from learnt.engine import Statistic
from learnt.engine.cluster.tree import Node, Sum, SumTree, in_few
from learnt.engine.rows_seen import RowsSeen

PIECES = [1, 2, 3, 7, 8, 50]


@dataclass(frozen=True)
class Told(Statistic):
    """Says how it was added."""

    rows: int
    words: str

    def _merge(self, other: Told) -> Told:
        return Told(self.rows + other.rows, f"({self.words} {other.words})")


def leaf(number: int, rows: int = 1) -> Sum:
    return Sum(Told(rows, str(number)), RowsSeen(rows, True))


def added(n_pieces: int, order) -> Sum:
    tree = SumTree(n_pieces)
    tree.put_all((Node(0, number), leaf(number)) for number in order)
    return tree.total


def test_five_pieces_are_added_as_drawn():
    assert added(5, range(5)).statistic.words == "(((0 1) (2 3)) 4)"


@pytest.mark.parametrize("n_pieces", PIECES)
def test_the_order_of_arrival_does_not_matter(n_pieces):
    expected = added(n_pieces, range(n_pieces))
    assert expected.statistic.rows == n_pieces
    for seed in range(5):
        assert added(n_pieces, np.random.default_rng(seed).permutation(n_pieces).tolist()) == expected


@pytest.mark.parametrize("n_pieces", PIECES)
@pytest.mark.parametrize("n_workers", [1, 2, 3, 4, 9])
def test_it_does_not_matter_who_adds_what(n_pieces, n_workers):
    whole = SumTree(n_pieces)
    for worker in range(n_workers):
        own = SumTree(n_pieces)
        mine = [n for n in range(n_pieces) if (n * 7) // 3 % n_workers == worker]
        own.put_all((Node(0, number), leaf(number)) for number in mine)
        whole.put_all(own.nodes.items())
    assert whole.total == added(n_pieces, range(n_pieces))


def test_a_worker_with_neighbours_sends_few_sums():
    n, cuts = 1000, [0, 333, 666, 1000]
    for start, stop in pairwise(cuts):
        tree = SumTree(n)
        tree.put_all((Node(0, number), leaf(number)) for number in range(start, stop))
        assert len(tree.nodes) <= 2 * int(np.log2(n))


@dataclass(frozen=True)
class Listed(Statistic):
    """Says in which order it was added, and nothing else."""

    rows: int
    words: str
    exact = True

    def _merge(self, other: Listed) -> Listed:
        return Listed(self.rows + other.rows, self.words + other.words)


@pytest.mark.parametrize("n_pieces", PIECES)
@pytest.mark.parametrize("cut", ["neighbours", "by turns", "odd"])
def test_what_adds_exactly_is_sent_once_for_neighbours_and_stays_in_order(n_pieces, cut):
    share = {"neighbours": lambda n: n * 3 // n_pieces, "by turns": lambda n: n % 3, "odd": lambda n: (n * 7) // 3 % 4}
    whole = SumTree(n_pieces)
    for worker in (2, 0, 3, 1):
        own = SumTree(n_pieces)
        for n in (n for n in range(n_pieces) if share[cut](n) == worker):
            own.put(Node(0, n), Sum(Listed(1, f"{n} ") if n != 4 else None, RowsSeen(int(n != 4), True)))
        sent = in_few(own.nodes)
        if cut == "neighbours":
            assert sum(found.statistic is not None for _, found in sent) <= 2  # the piece without rows parts them
        whole.put_all(sent)
    assert whole.total.statistic.words == "".join(f"{n} " for n in range(n_pieces) if n != 4)
    assert whole.total.seen.rows == n_pieces - (n_pieces > 4)


def test_what_is_rounded_is_sent_as_it_is():
    nodes = {Node(1, 0): leaf(0), Node(0, 2): leaf(2)}
    assert in_few(nodes) == list(nodes.items())


def test_a_piece_without_rows_changes_nothing():
    tree = SumTree(3)
    tree.put_all([(Node(0, 0), leaf(0)), (Node(0, 1), Sum(None, RowsSeen())), (Node(0, 2), leaf(2))])
    assert tree.total == Sum(Told(2, "(0 2)"), RowsSeen(2, True))
