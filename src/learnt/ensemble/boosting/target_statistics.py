"""Target statistics: columns of many categories as numbers, each row's from the targets of rows before it alone.

What a statistic is, says `ensemble/ordered_statistics.py`. No row sees its own target, nor does one of two rows see the
other's that sees its: a tree cannot learn them by heart. Equal rows stand at one place, so that a row given twice is
one of weight two; and neither the order of the rows nor how they are cut into batches matters, since sums are of whole
numbers.

A tree splits such a column like one of numbers. Once grown, its test becomes a test of categories: those whose
statistic over all rows lies below the cut go left. So trees say which categories go where, and need no statistics to
predict.

Of more than two classes, the trees of each class see the means of its own target: 1 where a row is of the class.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

import numpy as np

from learnt.data.schema import ColumnSchema
from learnt.data.table import Array, Table
from learnt.ensemble.boosting.bins import BinEdges, Codes, with_cuts
from learnt.ensemble.boosting.exact_totals import exact_total, whole_total
from learnt.ensemble.ordered_statistics import category_bins, error_lowered, listed_side, place_count
from learnt.statistics.sample import hash_numbers
from learnt.statistics.sketch import Sketch
from learnt.statistics.sums import Sums
from learnt.tree import TreeArrays

#: Columns of at most so many categories are split into sets of them: a test can tell any half from the other.
FEW_CATEGORIES = 64
#: Of more than these the rare ones would share a bin. Of fewer, statistics need many rows of each: on made-up tables of
#: 80 to 100 categories sets had the lower log loss with 10 to 60 rows of each, statistics with 200.
MANY_CATEGORIES = 254
ROWS_EACH = 200
_WHOLE = 52  # bits of sums, so that floats add them without rounding
_UNITS = 1127  # exact totals count in units of 2⁻¹¹²⁷


@dataclass(frozen=True)
class PlaceTotals(Sums):
    """By column, in whole numbers: the weight of the rows, categories × places, and their weighted targets, outputs ×
    categories × places."""

    rows: int
    weight: tuple[Array, ...]
    target: tuple[Array, ...]


@dataclass(frozen=True)
class Counter:
    """How rows are counted: which columns, and the powers of two that make whole numbers of weights and targets."""

    edges: BinEdges
    names: tuple[str, ...]
    columns: tuple[int, ...]
    n_categories: tuple[int, ...]
    scales: tuple[int, int]
    seed: int
    n_outputs: int = 1

    @property
    def n_places(self) -> tuple[int, ...]:
        """How many places the rows of each column are put at; fewer where categories are very many."""
        return tuple(place_count(k, self.n_outputs) for k in self.n_categories)

    def places(self, table: Table) -> list[Array]:
        """By column, the place of each row."""
        hashes = self.hashes(table)
        return [(hashes % np.uint64(n)).astype(np.int64) for n in self.n_places]

    def hashes(self, table: Table) -> Array:
        """A number for each row that depends on its bins alone, neither on its place nor on the order of columns."""
        codes = self.edges.encode(table)
        found = np.full(table.n_rows, self.seed & (1 << 64) - 1, np.uint64)
        narrow = wide = 0
        for name, n_bins in zip(self.names, self.edges.n_bins, strict=True):
            if n_bins <= 256:
                cells, narrow = codes.narrow[:, narrow], narrow + 1
            else:
                cells, wide = codes.wide[:, wide], wide + 1
            key = np.uint64(zlib.crc32(name.encode()) << 32)
            found += hash_numbers(np.arange(n_bins, dtype=np.uint64) + key)[cells]
        return hash_numbers(found)

    def count(self, table: Table, target: Array, weights: Array | None, train: Array) -> PlaceTotals:
        """The totals of the rows learnt from."""
        w = self._whole(np.ones(table.n_rows) if weights is None else weights, train, 0)
        of_outputs = [target] if self.n_outputs == 1 else [target == c for c in range(self.n_outputs)]
        ys = [self._whole(one * (1.0 if weights is None else weights), train, 1) for one in of_outputs]
        weight, sums = [], []
        for j, k, n, at in zip(self.columns, self.n_categories, self.n_places, self.places(table), strict=True):
            cell = (table.columns[j].values + 1).astype(np.int64) * n + at  # missing cells first
            weight.append(np.bincount(cell, w, (k + 1) * n).reshape(k + 1, n)[1:])
            sums.append(np.stack([np.bincount(cell, y, (k + 1) * n).reshape(k + 1, n)[1:] for y in ys]))
        return PlaceTotals(table.n_rows, tuple(weight), tuple(sums))

    def _whole(self, numbers: Array, train: Array, kind: int) -> Array:
        whole: Array = np.rint(np.where(train, np.ldexp(numbers, self.scales[kind]), 0.0))
        return whole


def reach(target: Array, weights: Array | None, n_outputs: int = 1) -> tuple[int, int]:
    """The weight of rows and Σ w |y|, exact and adding over batches: how large sums may become."""
    size = np.abs(target, dtype=np.float64) if n_outputs == 1 else np.ones(len(target))
    if weights is None:
        return whole_total(len(target)), exact_total(size)
    return exact_total(weights), exact_total(weights * size)


def are_many(column: ColumnSchema) -> bool:
    """Whether a column may have more categories than are split into sets."""
    return column.kind == "nominal" and len(column.categories) > FEW_CATEGORIES


def counter_of(
    found: Sketch, edges: BinEdges, reached: tuple[int, int], factors: Array | None, seed: int, n_outputs: int = 1
) -> Counter | None:
    """How the columns of many categories are counted; None: there are none. `factors` are those of the classes."""
    schema, seen = found.schema, iter(found.categories)
    weights = {j: next(seen) for j, c in enumerate(schema) if c.kind != "numeric"}
    nominal = (j for j, c in enumerate(schema) if are_many(c))
    columns = tuple(j for j in nominal if _is_counted(weights[j]))
    if not columns:
        return None
    more = 0 if factors is None else max(int(np.frexp(factors.max())[1]), 0)
    scales = [_WHOLE - more - (total.bit_length() - _UNITS) for total in reached]
    sizes = tuple(len(weights[j]) for j in columns)
    return Counter(edges, tuple(c.name for c in schema), columns, sizes, (scales[0], scales[1]), seed, n_outputs)


def _is_counted(weights: Array) -> bool:
    """Whether a column whose categories have these weights is better counted than split into sets."""
    seen = int(np.count_nonzero(weights))
    return seen > FEW_CATEGORIES and (seen > MANY_CATEGORIES or bool(weights.sum() >= ROWS_EACH * seen))


@dataclass(frozen=True)
class TargetStatistics:
    """The bins of all columns, `edges`, and of those columns whose categories became numbers the bins of these.

    `row_bins` are by column, category and place, for rows that were learnt from; `category_bins` by column and
    category, from all rows, for all others.
    """

    edges: BinEdges
    counter: Counter | None = None
    row_bins: dict[int, Array] = field(default_factory=dict)
    category_bins: dict[int, Array] = field(default_factory=dict)

    def encode(self, table: Table, train: Array, places: dict[int, Array]) -> Codes:
        """The bins of a table's cells; `train` tells which rows were counted, `places` where rows stand, by column."""
        if self.counter is None:
            return self.edges.encode(table)
        columns = [column.values for column in table.columns]
        for j, by_category in self.category_bins.items():
            code = columns[j]
            bins = np.where(train, self.row_bins[j][code, places[j]], by_category[code])
            columns[j] = np.where(code < 0, np.float32(np.nan), bins).astype(np.float32)
        return self.edges.encode_cells(columns, table.n_rows)

    def with_categories(self, tree: TreeArrays) -> TreeArrays:
        """The tree with tests of categories in place of those of their statistics."""
        tested = np.flatnonzero(np.isin(tree.feature, list(self.category_bins)))
        if not len(tested):
            return tree
        routes = {i: tree.routes[_routes(tree, i)] for i in np.flatnonzero(tree.n_routes).tolist()}
        codes = {i: tree.route_codes[_routes(tree, i)] for i in routes}
        start, otherwise, threshold = tree.route_start.copy(), tree.otherwise.copy(), tree.threshold.copy()
        for i in tested.tolist():
            right = self.category_bins[int(tree.feature[i])] > tree.threshold[i]
            codes[i], fewer = listed_side(right)
            routes[i] = np.full(len(codes[i]), fewer, np.int32)
            start[i], otherwise[i], threshold[i] = 0, 1 - fewer, np.nan
        count = np.zeros(tree.node_count, np.int32)
        order = sorted(routes)
        count[order] = [len(routes[i]) for i in order]
        return tree.changed(
            threshold=threshold,
            otherwise=otherwise,
            n_routes=count,
            route_start=np.where(start < 0, -1, np.cumsum(count, dtype=np.int64) - count),
            route_codes=np.concatenate([codes[i] for i in order]),
            routes=np.concatenate([routes[i] for i in order]),
        )


def _routes(tree: TreeArrays, i: int) -> slice:
    return slice(int(tree.route_start[i]), int(tree.route_start[i] + tree.n_routes[i]))


@dataclass(frozen=True)
class OutputBins:
    """The bins that the trees of each output see. `kinds` are those that differ, `kind_of` says which an output has."""

    kinds: tuple[TargetStatistics, ...]
    kind_of: tuple[int, ...]

    @classmethod
    def alike(cls, edges: BinEdges, n_outputs: int) -> OutputBins:
        """Without statistics."""
        return cls((TargetStatistics(edges),), (0,) * n_outputs)

    def encode(self, table: Table, train: Array) -> list[Codes]:
        """By kind, the bins of a table's cells; `train` tells which rows were counted."""
        counter = next((kind.counter for kind in self.kinds if kind.counter is not None), None)
        places = {} if counter is None else dict(zip(counter.columns, counter.places(table), strict=True))
        return [kind.encode(table, train, places) for kind in self.kinds]

    def of_output(self, c: int) -> TargetStatistics:
        """What the trees of output c see."""
        return self.kinds[self.kind_of[c]]

    def with_categories(self, trees: list[TreeArrays]) -> list[TreeArrays]:
        """The trees of a round with tests of categories in place of those of their statistics."""
        return [self.of_output(c).with_categories(tree) for c, tree in enumerate(trees)]


def bins_by_output(counter: Counter, totals: PlaceTotals, max_bins: int) -> OutputBins:
    """The bins of each output. Those of which no column tells something by its statistics share the plain ones."""
    found = [statistics_of(counter, totals, max_bins, c) for c in range(counter.n_outputs)]
    kinds = [one for one in found if one.counter is not None]
    kind_of = np.cumsum([one.counter is not None for one in found]) - 1
    if len(kinds) < len(found):
        kind_of = np.where([one.counter is None for one in found], len(kinds), kind_of)
        kinds.append(TargetStatistics(counter.edges))
    return OutputBins(tuple(kinds), tuple(kind_of.tolist()))


def statistics_of(counter: Counter, totals: PlaceTotals, max_bins: int, output: int = 0) -> TargetStatistics:
    """The statistics of the columns that tell something of the target of one output by them."""
    row_bins, by_category, cuts = {}, {}, {}
    for at, j in enumerate(counter.columns):
        # Targets stay in units: only the order of statistics counts, and squares of units are never too large.
        weight, target = np.ldexp(totals.weight[at], -counter.scales[0]), totals.target[at][output]
        if error_lowered(weight, target) <= 0:
            continue
        found = category_bins(weight, target, max_bins)
        cuts[j] = np.arange(found.n_bins - 1) + 0.5
        row_bins[j], by_category[j] = found.rows, found.categories
    if not cuts:
        return TargetStatistics(counter.edges)
    return TargetStatistics(with_cuts(counter.edges, cuts), counter, row_bins, by_category)
