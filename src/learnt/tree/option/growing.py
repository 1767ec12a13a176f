"""Growing an option tree: near the root every test that is about as good as the best gets a subtree.

An option node is a test of a column that no row has a cell of: rows go all ways, in equal parts, since all the tests
below it have the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.tree.arrays import TreeArrays, joined_parts
from learnt.tree.grow.chance import gain_by_chance
from learnt.tree.grow.exact import GrowOptions, grow
from learnt.tree.grow.thresholds import written_thresholds
from learnt.tree.oblique.growing import gain_of, goes_left, whole_part
from learnt.tree.prune.pruned import Pruned

MOST_WAYS = 128  # of a row: each is as much work as a tree of its own


@dataclass(frozen=True, slots=True)
class OptionSettings:
    """`depth` levels have option nodes, of at most `most` tests that gain at least (1 − `tolerance`) times the best."""

    most: int
    depth: int
    tolerance: float


@dataclass(slots=True)
class _Place:
    """Something to grow: rows, or with `stump` a test of them; `siblings[side]` will hold its number.

    `ways` go here from the root.
    """

    rows: Array
    depth: int
    ways: int = 1
    stump: TreeArrays | None = None
    siblings: Array | None = None
    side: int = 0


class OptionGrowth:
    """`prune` cuts the subtrees below the options."""

    def __init__(
        self,
        table: Table,
        target: Array,
        weights: Array | None,
        options: GrowOptions,
        settings: OptionSettings,
        n_classes: int,
        prune: Callable[[TreeArrays], Pruned],
    ):
        self.table, self.target, self.weights = table, target, weights
        self.options, self.settings, self.n_classes, self.prune = options, settings, n_classes, prune

    def run(self) -> TreeArrays:
        """The tree; option nodes test the column behind those of the table."""
        parts: list[dict[str, Array]] = []
        count = 0
        waiting = [_Place(np.arange(len(self.target)), 0)]
        while waiting:
            place = waiting.pop()
            if place.siblings is not None:
                place.siblings[place.side] = count
            part, below = self._test(place, place.stump) if place.stump is not None else self._node(place)
            if below:
                part["children"] = children = np.zeros(len(below), np.int32)
                for side, one in enumerate(below):
                    one.siblings, one.side = children, side
                waiting += reversed(below)
            else:
                part["children"] = part["children"] + count
            parts.append(part)
            count += len(part["feature"])
        return joined_parts(parts)

    def _node(self, place: _Place) -> tuple[dict[str, Array], list[_Place]]:
        limit = self.options.max_depth
        table = self.table if len(place.rows) == len(self.target) else self.table.take(place.rows)
        if place.depth >= self.settings.depth or limit == place.depth:
            rest = None if limit is None else limit - place.depth
            tree = self.prune(self._grow(table, place.rows, rest)).tree
            return whole_part(self._written(tree, table)), []
        stumps = self._best_tests(table, place.rows)[: max(1, MOST_WAYS // place.ways)]
        if not stumps:
            return whole_part(self._grow(table, place.rows, 0)), []
        if len(stumps) == 1:
            return self._test(place, stumps[0])
        ways = place.ways * len(stumps)
        return self._option(stumps), [_Place(place.rows, place.depth, ways, stump) for stump in stumps]

    def _test(self, place: _Place, stump: TreeArrays) -> tuple[dict[str, Array], list[_Place]]:
        column = self.table.columns[stump.feature[0]]
        left = goes_left(stump, column)[place.rows]
        below = [_Place(place.rows[side], place.depth + 1, place.ways) for side in (left, ~left)]
        return stump._part(np.array([0])), below

    def _option(self, stumps: list[TreeArrays]) -> dict[str, Array]:
        """A node of as many branches as there are tests, that sends rows without a cell down all of them."""
        k = len(stumps)
        part = stumps[0]._part(np.array([0]))
        ways = np.arange(k, dtype=np.int32)
        for name, value in (("feature", self.table.n_columns), ("threshold", np.nan), ("n_children", k)):
            part[name] = np.array([value], part[name].dtype)
        for name, value in (("route_start", 0), ("n_routes", k), ("otherwise", -1), ("missing", -1)):
            part[name] = np.array([value], part[name].dtype)
        part["route_codes"], part["routes"] = ways, ways.copy()
        part["missing_weight"] = part["weight"].copy()
        return part

    def _best_tests(self, table: Table, rows: Array) -> list[TreeArrays]:
        """The best test of each column that is good enough, the best first."""
        found = []
        for j, column in enumerate(table.columns):
            alone = Table.of_columns([column], named=table.schema.named)
            stump = self._grow(alone, rows, 1)
            if not stump.is_leaf[0]:
                stump = self._written(stump, alone)
                gain = gain_of(stump) - self._by_chance(stump, column, rows)
                found.append((gain, stump.changed(feature=np.where(stump.feature >= 0, j, -1))))
        if not found:
            return []
        best = max(gain for gain, _ in found)
        good = [pair for pair in found if pair[0] >= best - self.settings.tolerance * abs(best) - 1e-12]
        good.sort(key=lambda pair: -round(pair[0] / max(abs(best), 1e-300), 9))
        return [stump for _, stump in good[: self.settings.most]]

    def _by_chance(self, stump: TreeArrays, column: Column, rows: Array) -> float:
        weights = None if self.weights is None else self.weights[rows]
        return gain_by_chance(stump, column, self.target[rows], weights, self.n_classes, self.options)

    def _grow(self, table: Table, rows: Array, depth: int | None) -> TreeArrays:
        weights = None if self.weights is None else self.weights[rows]
        options = replace(self.options, max_depth=depth)
        return grow(table, self.target[rows], weights, options, n_classes=self.n_classes)

    def _written(self, tree: TreeArrays, table: Table) -> TreeArrays:
        return tree if tree.is_leaf[0] else tree.changed(threshold=written_thresholds(tree, table))
