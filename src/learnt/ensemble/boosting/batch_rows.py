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
    a node begin and end, those of its children within. Neither is ever changed in place: they are state of batches.
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
        """The rows at the nodes below the tests that are new, in their order within each."""
        known, n_nodes = len(self.ranges), len(tests.left)
        entries, ranges = self.entries.copy(), np.zeros((n_nodes, 2), np.int64)
        ranges[:known] = self.ranges
        _core.boost_part_rows(edges.kernel, codes.narrow, codes.wide, *tests.arrays(), known, entries, ranges)
        return BatchRows(entries, ranges)

    def histograms(
        self, edges: BinEdges, codes: Codes, fine: Array | None, slot_of_node: Array, n_slots: int
    ) -> Histograms:
        """The histograms of the nodes that have a slot; `fine` are the gradients where entries hold none."""
        cells = np.zeros((n_slots, edges.total_bins, 3), np.int64)
        slots = np.ascontiguousarray(slot_of_node, np.int32)
        _core.boost_histograms(edges.kernel, codes.narrow, codes.wide, self.entries, fine, self.ranges, slots, cells)
        return Histograms(codes.n_rows, cells)

    def leaves(self, edges: BinEdges, codes: Codes, tests: Tests) -> Array:
        """The leaf of each row below all tests, which rows here have been parted by; of the others, too."""
        out = np.empty(codes.n_rows, np.int32)
        _core.boost_place_rows(edges.kernel, codes.narrow, codes.wide, *tests.arrays(), self.entries, self.ranges, out)
        return out
