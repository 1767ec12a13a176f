"""The rows of a batch while a tree grows over batches, kept together by node.

So a look at new nodes touches the rows of their parents alone, and histograms are made of rows that stand side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.ensemble.boosting.bins import BinEdges, Codes
from learnt.ensemble.boosting.growth_in_parts import Histograms, Tests


@dataclass(frozen=True)
class BatchRows:
    """Rows that take part, and where those of each node stand.

    `entries` are row numbers, in the upper 32 bits the rounded gradients; `ranges` (nodes × 2) are where the entries of
    a node begin and end, those of its children within.
    """

    entries: Array
    ranges: Array

    @classmethod
    def at_root(cls, packed: Array, kept: Array) -> BatchRows:
        """The rows that are kept, all at the root; `packed` as `quantise` makes them, the fine ones stay beside it."""
        some = np.ascontiguousarray(kept, bool)
        entries = np.empty(np.count_nonzero(some), np.uint64)
        _core.boost_entries(packed if packed.ndim == 1 else None, some.view(np.uint8), entries)
        return cls(entries, np.array([[0, len(entries)]], np.int64))

    def parted(self, edges: BinEdges, codes: Codes, tests: Tests) -> BatchRows:
        """The rows at the nodes below the tests that are new, in their order within each. Entries change their places
        where they are; copies would cost more than parting them does."""
        known, n_nodes = len(self.ranges), len(tests.left)
        ranges = np.zeros((n_nodes, 2), np.int64)
        ranges[:known] = self.ranges
        _core.boost_part_rows(edges.kernel, codes.narrow, codes.wide, *tests.arrays(), known, self.entries, ranges)
        return BatchRows(self.entries, ranges)

    def leaves(self, edges: BinEdges, codes: Codes, tests: Tests) -> Array:
        """The leaf of each row below all tests, which rows here have been parted by; of the others, too."""
        out = np.empty(codes.n_rows, np.int32)
        _core.boost_place_rows(edges.kernel, codes.narrow, codes.wide, *tests.arrays(), self.entries, self.ranges, out)
        return out


class NodeSums:
    """The histograms of the nodes that have a slot, summed over as many batches as are added."""

    def __init__(self, edges: BinEdges, slot_of_node: Array, fine: bool):
        self.slots = np.ascontiguousarray(slot_of_node, np.int32)
        self._shape = (int(self.slots.max(initial=-1)) + 1, edges.total_bins, 3)
        self._kernel, self._rows = _core.BoostHistograms(edges.kernel, self._shape[0], fine), 0

    def add(self, rows: BatchRows, codes: Codes, fine: Array | None) -> None:
        """Take in the rows of a batch; `fine` are the gradients where entries hold none."""
        self._kernel.add(codes.narrow, codes.wide, rows.entries, fine, rows.ranges, self.slots)
        self._rows += codes.n_rows

    def found(self) -> Histograms:
        """The sums of all batches so far."""
        cells = np.empty(self._shape, np.int64)
        self._kernel.read(cells)
        return Histograms(self._rows, cells)
