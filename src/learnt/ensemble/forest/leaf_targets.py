"""The training targets in the leaves of a forest of numbers: from them come its quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.ensemble.trees.forest import Forest
from learnt.errors import InputError
from learnt.show.words import spell
from learnt.storable import storable


@storable
@dataclass(frozen=True, eq=False)
class LeafTargets:
    """Entries `node_start[i]` to `node_start[i + 1]` are the rows drawn in node i of all trees: `targets[ranks]`, each
    with its share of the node's weight. Only leaves have some.
    """

    targets: Array
    node_start: Array
    ranks: Array
    shares: Array

    def __post_init__(self) -> None:
        kinds = {"targets": np.float64, "node_start": np.int64, "ranks": np.int32, "shares": np.float32}
        for name, kind in kinds.items():
            array = getattr(self, name)
            if array.ndim != 1 or array.dtype != kind:
                raise _broken(f"{name!r} is not a list of {np.dtype(kind)}")
        if len(self.node_start) == 0 or self.node_start[0] != 0 or self.node_start[-1] != len(self.ranks):
            raise _broken("the places of the nodes do not fit the entries")
        if (np.diff(self.node_start) < 0).any() or len(self.shares) != len(self.ranks):
            raise _broken("the places of the nodes do not rise, or shares are absent")
        if len(self.ranks) and not (self.ranks.min() >= 0 and self.ranks.max() < len(self.targets)):
            raise _broken("an entry points at no target")
        if not (np.isfinite(self.targets).all() and np.isfinite(self.shares).all() and (self.shares >= 0).all()):
            raise _broken("targets must be finite and shares at least 0")

    @classmethod
    def of(cls, forest: Forest, drawn: dict[str, Array], target: Array, weights: Array | None) -> LeafTargets:
        """From the rows that the grower drew, leaf after leaf."""
        targets, ranks = np.unique(target, return_inverse=True)
        size = drawn["leaf_rows"].astype(np.int64)
        rows = drawn["rows"]
        weight = drawn["times"] * (1.0 if weights is None else weights[rows])
        node = np.repeat(np.arange(len(size)), size)
        shares = weight / np.bincount(node, weight, len(size))[node]
        start = np.concatenate([[0], np.cumsum(size)])
        return cls(targets, start, ranks[rows].astype(np.int32), shares.astype(np.float32))

    def joined(self, other: LeafTargets) -> LeafTargets:
        """Those of both, for a forest joined to another."""
        targets = np.union1d(self.targets, other.targets)
        ranks = [np.searchsorted(targets, part.targets)[part.ranks].astype(np.int32) for part in (self, other)]
        return LeafTargets(
            targets,
            np.concatenate([self.node_start, other.node_start[1:] + self.node_start[-1]]),
            np.concatenate(ranks),
            np.concatenate([self.shares, other.shares]),
        )

    def check_forest(self, forest: Forest) -> None:
        """Refuse targets that are not those of this forest's leaves."""
        held = np.diff(self.node_start)
        if len(held) != forest.node_count or not np.array_equal(held > 0, forest.right < 0):
            raise _broken("they do not stand in the leaves of the trees")

    def quantiles(self, forest: Forest, table: Table, q: Array) -> Array:
        """Rows × quantiles: the least target at which it and all below have the share q of the weight."""
        out = np.empty((table.n_rows, len(q)))
        leaves = forest.leaves(table)
        _core.forest_quantiles(
            leaves, forest.tree_start, self.node_start, self.ranks, self.shares, self.targets, q, out
        )
        return out


def _broken(what: str) -> InputError:
    return InputError(f"The targets kept in the leaves are broken: {what}. Fit the forest again.")


def checked_levels(q: Any, owner: str) -> Array:
    """Quantiles asked for, as an array of numbers from 0 to 1."""
    levels = np.atleast_1d(np.asarray(q, dtype=np.float64))
    if levels.ndim != 1 or levels.size == 0 or not ((levels >= 0) & (levels <= 1)).all():
        raise InputError(f"{owner}: q={spell(q)} is not allowed. Expected a number from 0 to 1, or a list of them.")
    return levels
