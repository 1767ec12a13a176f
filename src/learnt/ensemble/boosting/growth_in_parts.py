"""Growing trees of rows that come in batches: the parts of histogram_growth, which give the same trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.passes import Statistic
from learnt.ensemble.boosting.bins import BinEdges
from learnt.ensemble.boosting.gradients import flags
from learnt.ensemble.boosting.growth_options import GrowthOptions
from learnt.statistics.sums import Sums
from learnt.tree import TreeArrays


@dataclass(frozen=True)
class Scale:
    """The powers of two that make whole numbers of gradients; `fine` for those of float64."""

    powers: tuple[float, float, float, float, float, bool]
    fine: bool


@dataclass(frozen=True)
class GradientSize(Statistic):
    """How many gradients (hessians, weights) there are of each binary exponent: it bounds them, and their sums.

    Each is a row of an array: exponent, count.
    """

    rows: int
    gradient: Array
    hessian: Array | None
    weights: Array | None
    fine: bool

    def _merge(self, other: GradientSize) -> GradientSize:
        pairs = zip(self._sizes(), other._sizes(), strict=True)
        gradient, hessian, weights = (
            None if a is None or b is None else _listed(_dense(a) + _dense(b)) for a, b in pairs
        )
        assert gradient is not None
        return GradientSize(self.rows + other.rows, gradient, hessian, weights, self.fine)

    def _sizes(self) -> tuple[Array, Array | None, Array | None]:
        return self.gradient, self.hessian, self.weights

    def scale(self) -> Scale:
        """The largest powers of two that leave room for all sums."""
        hessian, weights = (None if x is None else _dense(x) for x in (self.hessian, self.weights))
        return Scale(_core.boost_scale(_dense(self.gradient), hessian, weights), self.fine)


def _listed(counts: Array) -> Array:
    there = np.flatnonzero(counts)
    return np.column_stack([there, counts[there]])


def _dense(listed: Array) -> Array:
    counts = np.zeros(2048, np.int64)
    counts[listed[:, 0]] = listed[:, 1]
    return counts


def gradient_size(
    gradient: Array, hessian: Array | None, kept: Array | None = None, weights: Array | None = None
) -> GradientSize:
    """The sizes of some rows' gradients, hessians and weights."""
    some = flags(kept)
    g, h, w = (None if x is None else _listed(_core.boost_exponents(x, some)) for x in (gradient, hessian, weights))
    assert g is not None
    return GradientSize(len(gradient), g, h, w, gradient.dtype == np.float64)


def quantise(
    gradient: Array,
    hessian: Array | None,
    scale: Scale,
    seed: int,
    tree_number: int,
    first_row: int = 0,
    weights: Array | None = None,
) -> Array:
    """Gradients as whole numbers: uint32 (rows,), or int64 (rows, 3) if the scale is fine."""
    out: Array
    if scale.fine:
        out = np.empty((len(gradient), 3), np.int64)
        _core.boost_fine_rows(gradient, hessian, weights, scale.powers, out)
    else:
        out = np.empty(len(gradient), np.uint32)
        _core.boost_quantise(gradient, hessian, scale.powers, seed & (1 << 64) - 1, tree_number, first_row, out)
    return out


@dataclass(frozen=True)
class Histograms(Sums):
    """Sums of gradients, hessians and weights: slots × bins × 3, in whole numbers."""

    rows: int
    cells: Array


@dataclass(frozen=True)
class Tests:
    """The tests of a growing tree by node, as kernels need them; children are `left` and `left + 1`."""

    left: Array
    column: Array
    bin: Array
    missing_left: Array
    left_start: Array
    left_bins: Array

    def arrays(self) -> tuple[Array, Array, Array, Array, Array, Array]:
        """All of them, in the order kernels take them."""
        return self.left, self.column, self.bin, self.missing_left, self.left_start, self.left_bins


@dataclass(frozen=True)
class LeafSums(Sums):
    """Exact sums of gradient, hessian and weight of the rows at each node, in whole numbers."""

    rows: int
    sums: Array


def leaf_sums(
    gradient: Array, hessian: Array | None, weights: Array | None, node_of_row: Array, n_nodes: int, scale: Scale
) -> LeafSums:
    """The sums at each node; a row at node −1 takes no part."""
    sums = np.zeros((n_nodes, 3), np.int64)
    _core.boost_leaf_sums(gradient, hessian, weights, node_of_row, scale.powers, sums)
    return LeafSums(len(gradient), sums)


class GrowingTree:
    """A tree whose histograms are brought to it: which test is best where, and what it becomes."""

    def __init__(self, edges: BinEdges, options: GrowthOptions, scale: Scale, tree_number: int, n_rows: int):
        rules = options.kernel(edges.n_columns, n_rows)
        self._tree = _core.BoostTree(edges.kernel, rules, scale.powers, scale.fine, tree_number)

    @property
    def n_nodes(self) -> int:
        return int(self._tree.n_nodes)

    def search(self, node: int, cells: Array) -> float:
        """What the best test of a node gains, from its histogram (bins × 3); −1: there is none."""
        return float(self._tree.search(node, cells))

    def lighter_left(self, node: int) -> bool:
        """Whether at most half of a node's weight goes left in the test found for it."""
        return bool(self._tree.lighter_left(node))

    def split(self, node: int) -> tuple[int, int]:
        """Split a node by the test found; the numbers of its children."""
        left = int(self._tree.split(node))
        return left, left + 1

    def tests(self) -> Tests:
        return Tests(*self._tree.tests())

    def finish(self, sums: LeafSums, inner: Array | None = None) -> tuple[TreeArrays, Array]:
        """The tree, and the number in it of each node here (of those cut off: of the leaf above).

        `inner` tells which nodes keep their tests; None: all that have one.
        """
        keep = self.tests().left >= 0 if inner is None else inner
        fields, number = self._tree.finish(sums.sums, np.ascontiguousarray(keep, bool).view(np.uint8))
        return TreeArrays.grown(fields), number
