"""Growing an oblique tree: at each node the best test of one column against the best sums of a few."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.tree.arrays import TreeArrays, joined_parts
from learnt.tree.grow.exact import GrowOptions, grow
from learnt.tree.grow.thresholds import written_thresholds
from learnt.tree.oblique.combinations import Combinations, Term, sum_values
from learnt.tree.oblique.searching import Direction, Terms, directions, in_fewest_digits, moved

#: Sums are looked for in nodes of at least so many rows, by weight, and as many for each term.
LEAST_ROWS, ROWS_PER_TERM = 30.0, 10.0
#: Sums that are worth less than this share of the best so far are not worth moving.
FAR = 0.8

Sum = tuple[tuple[Term, float], ...]


@dataclass(frozen=True, slots=True)
class ObliqueSettings:
    max_terms: int
    preference: float


def grow_oblique(
    table: Table, target: Array, weights: Array | None, options: GrowOptions, settings: ObliqueSettings, n_classes: int
) -> tuple[TreeArrays, Combinations]:
    """The tree, whose tests of combinations are of columns behind those of the table, and the combinations."""
    return _Growth(table, target, weights, options, settings, n_classes).run()


class _Growth:
    def __init__(
        self,
        table: Table,
        target: Array,
        weights: Array | None,
        options: GrowOptions,
        settings: ObliqueSettings,
        n_classes: int,
    ):
        self.table, self.target, self.options, self.settings = table, target, options, settings
        self.given, self.n_classes = weights, n_classes or None
        self.weights = np.ones(len(target)) if weights is None else np.asarray(weights, dtype=np.float64)
        self.terms = Terms(table, self.weights)
        self.sums: dict[Sum, int] = {}

    def run(self) -> tuple[TreeArrays, Combinations]:
        """Nodes in pre-order; small ones are grown on by tests of one column."""
        parts: list[dict[str, Array]] = []
        count = 0
        waiting: list[tuple[Array, int, Array | None, int]] = [(np.arange(len(self.target)), 0, None, 0)]
        while waiting:
            rows, depth, siblings, side = waiting.pop()
            if siblings is not None:
                siblings[side] = count
            part, left = self._node(rows, depth)
            parts.append(part)
            if left is None:
                part["children"] = part["children"] + count
            else:
                children = np.zeros(2, np.int32)
                part["children"] = children
                waiting.append((rows[~left], depth + 1, children, 1))
                waiting.append((rows[left], depth + 1, children, 0))
            count += len(part["feature"])
        tree = joined_parts(parts)
        return tree, Combinations.of(list(self.sums))

    def _node(self, rows: Array, depth: int) -> tuple[dict[str, Array], Array | None]:
        """The fields of a finished subtree, or of a single test, and which of the rows go left."""
        limit = self.options.max_depth
        table = self.table if len(rows) == len(self.target) else self.table.take(rows)
        weight = float(self.weights[rows].sum())
        most = min(self.settings.max_terms, int(weight // ROWS_PER_TERM))
        if weight < LEAST_ROWS or most < 2 or len(self.terms.terms) < 2:
            rest = None if limit is None else limit - depth
            return whole_part(self._written(self._grow(table, rows, rest), table)), None
        stump = self._written(self._grow(table, rows, 0 if limit == depth else 1), table)
        if stump.is_leaf[0]:
            return whole_part(stump), None
        best, column = stump, table.columns[stump.feature[0]]
        found = self._best_sum(rows, stump, most)
        if found is not None:
            one, values = found
            column = Column("sum", "numeric", values)
            there = Table.of_columns([column])
            best = self._written(self._grow(there, rows, 1), there)
            if best.is_leaf[0]:
                best, column = stump, table.columns[stump.feature[0]]
            else:
                place = self.sums.setdefault(one, len(self.sums))
                best = best.changed(feature=np.where(best.feature >= 0, table.n_columns + place, -1))
        return best._part(np.array([0])), goes_left(best, column)

    def _grow(self, table: Table, rows: Array, depth: int | None) -> TreeArrays:
        options = replace(self.options, max_depth=depth)
        weights = None if self.given is None else self.weights[rows]
        return grow(table, self.target[rows], weights, options, n_classes=self.n_classes)

    def _written(self, tree: TreeArrays, table: Table) -> TreeArrays:
        """With the thresholds as they are written."""
        return tree if tree.is_leaf[0] else tree.changed(threshold=written_thresholds(tree, table))

    # Sums

    def _best_sum(self, rows: Array, stump: TreeArrays, most: int) -> tuple[Sum, Array] | None:
        """The sum that gains enough more than the test of one column, and its values; None where there is none.

        With k terms it must gain 1 + (k − 1)·preference times as much.
        """
        x, w = self.terms.matrix[rows], self.weights[rows]

        def split(columns: Array) -> TreeArrays:
            return self._grow(Table.of_matrix(np.ascontiguousarray(columns)), rows, 1)

        best, best_stump, worth = None, stump, gain_of(stump)
        for k, found in enumerate(directions(self.terms, rows, self._targets(rows, stump), w, most), start=2):
            if not found:
                continue
            tried = split(np.column_stack([one.values(x) for one in found]))
            if tried.is_leaf[0]:
                continue
            asked = 1 + (k - 1) * self.settings.preference
            if gain_of(tried) < FAR * asked * worth:
                continue
            one, tried = moved(found[int(tried.feature[0])], tried, x, split, gain_of)
            value = gain_of(tried) / asked
            if value > worth * (1 + 1e-9):
                best, best_stump, worth = one, tried, value
        if best is None:
            return None
        made = self._sum(in_fewest_digits(best, best_stump, x, split, gain_of))
        columns = self.table.columns
        values = sum_values(made, tuple(Column.like(c, c.values[rows]) for c in columns))
        return made, values

    def _sum(self, one: Direction) -> Sum:
        return tuple((self.terms.terms[t], b) for t, b in zip(one.terms, one.coef, strict=True))

    def _targets(self, rows: Array, stump: TreeArrays) -> list[Array]:
        """What least squares is asked for: the number, or which of two groups of classes a row is in."""
        y = self.target[rows]
        if self.n_classes is None:
            return [y.astype(np.float64)]
        if self.n_classes == 2:
            return [(y == 1).astype(np.float64)]
        whole, left = stump.value[0], stump.value[int(stump.children_of(0)[0])]
        groups = [left * 2 > whole, np.arange(len(whole)) == int(whole.argmax())]
        second = np.arange(len(whole)) == int(np.argsort(-whole, kind="stable")[1])
        found = [group[y].astype(np.float64) for group in (*groups, second)]
        return [t for t in found if 0 < t.sum() < len(t)]


def gain_of(stump: TreeArrays) -> float:
    """By how much a test lowers the impurity."""
    children = stump.children_of(0)
    if not len(children):
        return 0.0
    below = float((stump.weight[children] * stump.impurity[children]).sum())
    return float(stump.impurity[0]) - below / float(stump.weight[0])


def goes_left(stump: TreeArrays, column: Column) -> Array:
    """Which cells the first test of a tree sends to its first branch, as booleans."""
    if stump.route_start[0] >= 0:
        route = np.append(stump.routes_of(0, len(column.categories)), -1)[column.values]
        route = np.where(route < 0, stump.missing[0], route)
    else:
        route = np.where(column.missing, stump.missing[0], column.values > stump.threshold[0])
    left: Array = route == 0
    return left


def whole_part(tree: TreeArrays) -> dict[str, Array]:
    """The fields of all nodes of a tree."""
    return tree._part(np.arange(tree.node_count))
