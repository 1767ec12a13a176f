"""Growing trees from gradients over bins: whole trees of tables in memory, and the same in parts for batches.

Gradients of float32 are rounded, each to a whole number of few bits chosen by chance (hashed from seed, tree and row):
fast, and as good where rows are many. Gradients of float64 keep 62 bits, and then weights count as rows do. Sums are of
whole numbers either way, so that trees do not depend on threads or batches.
"""

from __future__ import annotations

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.ensemble.boosting.batch_rows import BatchRows, NodeSums
from learnt.ensemble.boosting.bins import BinEdges, Codes
from learnt.ensemble.boosting.gradients import (
    flags,
    goss_rows,
    goss_threshold,
    gradients,
    magnitudes,
    subsample_rows,
    total_loss,
)
from learnt.ensemble.boosting.growth_in_parts import (
    GradientSize,
    GrowingTree,
    Histograms,
    LeafSums,
    Scale,
    Tests,
    gradient_size,
    leaf_sums,
    quantise,
)
from learnt.ensemble.boosting.growth_options import GrowthOptions
from learnt.tree import TreeArrays

__all__ = [
    "FINE_ROWS",
    "BatchRows",
    "GradientSize",
    "Grower",
    "GrowingTree",
    "GrowthOptions",
    "Histograms",
    "LeafSums",
    "NodeSums",
    "Scale",
    "Tests",
    "goss_rows",
    "goss_threshold",
    "gradient_size",
    "gradients",
    "leaf_sums",
    "magnitudes",
    "quantise",
    "refit",
    "subsample_rows",
    "total_loss",
]

FINE_ROWS = 50_000  #: Up to so many rows float64 gradients cost little; beyond, rounded ones do no harm.


class Grower:
    """Grows trees over one table, whose memory it keeps from tree to tree."""

    def __init__(self, edges: BinEdges, codes: Codes, options: GrowthOptions):
        self._n = codes.n_rows
        rules = options.kernel(edges.n_columns, self._n)
        self._grower = _core.BoostGrower(edges.kernel, rules, codes.narrow, codes.wide)
        self._values = np.empty(0)

    def grow(
        self,
        gradient: Array,
        hessian: Array | None,
        *,
        tree_number: int,
        weights: Array | None = None,
        kept: Array | None = None,
    ) -> TreeArrays:
        """The tree of these first and second derivatives (None: all 1), of the rows `kept`."""
        fields = self._grower.grow(gradient, hessian, weights, flags(kept), tree_number)
        tree = TreeArrays.grown(fields)
        self._values = tree.value[:, 0]
        return tree

    def leaves(self) -> Array:
        """The node of the last tree where each row ends, those not kept too."""
        out = np.empty(self._n, np.int32)
        self._grower.leaves(out)
        return out

    def add(self, scores: Array, values: Array | None = None) -> None:
        """Add to each row's score the value of its leaf in the last tree."""
        values = self._values if values is None else values
        self._grower.add(np.ascontiguousarray(values, np.float64), scores)


def refit(tree: TreeArrays, values: Array) -> TreeArrays:
    """The same tree with other values."""
    return tree.changed(value=np.asarray(values, np.float64).reshape(-1, 1))
