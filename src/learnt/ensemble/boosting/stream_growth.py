"""One tree that grows from histograms of batches: what each look wants, and what it learns from it."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.ensemble.boosting.best_first import BestFirst
from learnt.ensemble.boosting.histogram_growth import GrowingTree, GrowthOptions, Histograms, LeafSums, Tests
from learnt.tree import TreeArrays


class StreamedTree:
    """A growing tree. `wanted` are the nodes whose histograms the next look brings.

    Of two children the one with fewer rows is wanted; the other's histogram is what remains of their parent's, which
    is kept as long as the parent may still be split.
    """

    def __init__(self, growing: GrowingTree, options: GrowthOptions):
        self.growing = growing
        self.order = BestFirst(options.max_leaf_nodes, options.growth == "depth")
        self.max_depth = options.max_depth
        self.wanted = [0]
        self._beside: dict[int, tuple[int, int]] = {}  # of a wanted node: its sibling and their parent
        self._cells: dict[int, Array] = {}
        self._taken: list[int] = []

    def slots(self) -> Array:
        """The place of each node in the histograms, −1 for none."""
        found = np.full(self.growing.n_nodes, -1, np.int32)
        found[self.wanted] = np.arange(len(self.wanted))
        return found

    def look(self, histograms: Histograms | None) -> Tests:
        """Take histograms in, and split what best-first growth would as far as is known: all tests."""
        for slot, node in enumerate(self.wanted):
            assert histograms is not None
            cells = histograms.cells[slot]
            if node in self._beside:
                sibling, parent = self._beside.pop(node)
                self._search(sibling, self._cells.pop(parent) - cells)
            self._search(node, cells)
        self.wanted = []
        walk = self.order.walk()
        self._taken = walk.taken
        for node in walk.unknown:
            self._split(node)
        return self.growing.tests()

    def _search(self, node: int, cells: Array) -> None:
        gain = self.growing.search(node, np.ascontiguousarray(cells))
        self.order.gain[node] = gain
        if gain > 0:
            self._cells[node] = cells

    def _split(self, node: int) -> None:
        kids = self.growing.split(node)
        self.order.split(node, *kids)
        if self.max_depth and self.order.depth[kids[0]] >= self.max_depth:
            self._cells.pop(node)  # nothing is searched below
            return
        small = kids[0] if self.growing.lighter_left(node) else kids[1]
        self.wanted.append(small)
        self._beside[small] = (kids[1] if small == kids[0] else kids[0], node)

    def finish(self, sums: LeafSums) -> tuple[TreeArrays, Array]:
        """The tree of best-first growth, and the number in it of each node where rows stand."""
        inner = np.zeros(self.growing.n_nodes, bool)
        inner[self._taken] = True
        return self.growing.finish(sums, inner)
