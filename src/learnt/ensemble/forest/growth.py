"""Growing a forest: rows into codes, by passes over any source, and codes into trees."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from learnt import _core
from learnt.data.row_keys import ORDERED_UP_TO, are_copies, places_to_draw, row_keys
from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.ensemble.forest.calibration import drawn_rows
from learnt.ensemble.forest.codes import Coding, TableSample, TakeSample, sample_rows
from learnt.ensemble.forest.leaf_targets import LeafTargets
from learnt.ensemble.forest.stand_ins import StandIns
from learnt.ensemble.trees.forest import Forest
from learnt.lazy import cached_property
from learnt.watch import report, watching

#: Nodes of at most so many rows are searched at every cell; larger ones at 255 places.
SORTED_UP_TO = 256


@dataclass(frozen=True)
class CodedRows(Statistic):
    """Codes, targets and weights of some batches, one after another."""

    rows: int
    parts: list[tuple[Array, Array, Array | None]]

    def _merge(self, other: Self) -> Self:
        return type(self)(self.rows + other.rows, self.parts + other.parts)

    def joined(self) -> tuple[Array, Array, Array | None]:
        """All of them, columns × rows; the parts are given up one by one, so that no row is kept twice for long."""
        if len(self.parts) == 1:
            return self.parts[0]
        codes = np.empty((len(self.parts[0][0]), self.rows), dtype=np.uint16)
        target = np.concatenate([part[1] for part in self.parts])
        weights = [part[2] for part in self.parts if part[2] is not None]
        first = 0
        for i, (part, *_) in enumerate(self.parts):
            codes[:, first : first + part.shape[1]] = part
            first += part.shape[1]
            self.parts[i] = (part[:, :0], target[:0], None)
        return codes, target, np.concatenate(weights) if weights else None


class CodeRows(Pass):
    """The rows of every batch, as codes."""

    def __init__(self, coding: Coding):
        self.coding = coding

    def summarize(self, batch: Batch) -> CodedRows:
        assert batch.target is not None
        part = (self.coding.codes(batch.table), batch.target, batch.weights)
        return CodedRows(batch.n_rows, [part] if batch.n_rows else [])


@dataclass(frozen=True, eq=False)
class GivenRows:
    """The rows as they came: where each that is grown from stood, and all targets and weights."""

    places: Array
    target: Array
    weights: Array | None


@dataclass(frozen=True, eq=False)
class Coded:
    """All that a forest is grown from. Rows weigh `unit` times their weights, or `unit` where those are None."""

    coding: Coding
    codes: Array
    target: Array
    weights: Array | None
    unit: float = 1.0
    given: GivenRows | None = None  # None: rows stand as they came
    stand_ins: StandIns | None = None

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])

    @property
    def weight(self) -> float:
        return self.unit * float(self.n_rows if self.weights is None else self.weights.sum())

    def weight_with(self, factors: Array | None) -> float:
        """The weight of all rows, where that of each class is multiplied."""
        if factors is None:
            return self.weight
        own = factors[self.target]
        return self.unit * float(own.sum() if self.weights is None else own @ self.weights)

    @cached_property
    def varying(self) -> Array:
        """The columns that do not have the same cell in all rows: the others are as if they were not there."""
        own = self.codes if self.stand_ins is None else self.codes[: self.stand_ins.own(len(self.codes))]
        return np.flatnonzero(own.min(axis=1) < own.max(axis=1)).astype(np.int32)

    def stand_in_cells(self) -> Array | None:
        """The numbers of the stand-ins in the rows as they came, columns × rows."""
        if self.stand_ins is None:
            return None
        own = self.stand_ins.own(len(self.codes))
        codes, lost = self.codes[own:], self.coding.lost[own:, None]
        cells: Array = np.where(codes == lost, np.float32(np.nan), codes).astype(np.float32)
        if self.given is None:
            return cells
        found = np.zeros((len(cells), len(self.given.target)), np.float32)
        found[:, self.given.places] = cells
        return found


def find_coding(schema: Schema) -> Generator[Pass, Any, tuple[Coding, int]]:
    """A pass for what the codes stand for; and how many rows count."""
    sample: TableSample = yield TakeSample(sample_rows(len(schema)))
    return Coding.of(sample, schema), sample.rows


def coded_of(coding: Coding, rows: CodedRows) -> Coded:
    """What a forest is grown from."""
    codes, target, weights = rows.joined()
    given = None
    few = rows.rows <= ORDERED_UP_TO
    places = places_to_draw(row_keys([*codes.astype(np.float64), target]), weights) if few else None
    if places is not None:
        given = GivenRows(places, target, weights)
        codes, target = np.ascontiguousarray(codes[:, places]), target[places]
        weights = None if weights is None or are_copies(weights) else weights[places]
    if weights is not None and weights[0] > 0 and (weights == weights[0]).all():  # counting is quicker
        return Coded(coding, codes, target, None, float(weights[0]), given)
    return Coded(coding, codes, target, weights, given=given)


@dataclass(frozen=True)
class Growth:
    """How trees are grown; counts of rows are weights. The fields are those of the kernel."""

    criterion: str
    max_features: int
    n_classes: int = 0
    max_depth: int = -1
    min_samples_split: float = 0.0
    min_samples_leaf: float = 0.0
    max_leaf_nodes: int = 0
    random_cuts: bool = False
    bootstrap: bool = True
    rate: float = 1.0
    balance_drawn: bool = False
    seed: int = 0
    shrinkage: float = 0.0
    sorted_up_to: int = SORTED_UP_TO


@dataclass(frozen=True, eq=False)
class OutOfBagSums:
    """Per row, what trees that did not draw it say, added as multiples of `unit` from `origin`, and how many they are.

    Whole numbers: they add up to the same in any order. With `shrinkages`, what trees so shrunk would say: of classes
    the share of the row's own.
    """

    sums: Array
    trees: Array
    origin: float
    unit: float
    shrinkages: Array | None = None

    @classmethod
    def of(cls, coded: Coded, n_classes: int, shrinkages: Array | None = None) -> OutOfBagSums:
        n, origin, size = coded.n_rows, 0.0, 1.0
        if n_classes == 0:
            origin = float(np.mean(coded.target))
            size = float(np.max(np.abs(coded.target - origin))) or 1.0
        n_sums = max(n_classes, 1) if shrinkages is None else len(shrinkages)
        sums, trees = np.zeros((n, n_sums), dtype=np.int64), np.zeros(n, dtype=np.int32)
        return cls(sums, trees, origin, size * 2.0**-40, shrinkages)

    def of_given(self, given: GivenRows | None) -> OutOfBagSums:
        """The same of the rows as they came: what was said of copies added up."""
        if given is None:
            return self
        n = len(given.target)
        sums, trees = np.zeros((n, self.sums.shape[1]), np.int64), np.zeros(n, np.int32)
        np.add.at(sums, given.places, self.sums)
        np.add.at(trees, given.places, self.trees)
        return OutOfBagSums(sums, trees, self.origin, self.unit)

    def means(self) -> Array:
        """Rows × outputs; NaN for rows that every tree drew."""
        means: Array = self.sums * self.unit / np.where(self.trees > 0, self.trees, np.nan)[:, None] + self.origin
        return means


@dataclass(frozen=True, eq=False)
class Drawn:
    """The targets in the leaves of trees, and which rows, as they came, each tree drew: trees × rows.

    `trees` test stand-ins, as rows that were fitted are asked: by statistics that do not know their target.
    """

    leaves: LeafTargets
    rows: Array
    trees: Forest

    @classmethod
    def of(cls, trees: Forest, drawn: dict[str, Array], coded: Coded) -> Drawn:
        places, n = (None, coded.n_rows) if coded.given is None else (coded.given.places, len(coded.given.target))
        leaves = LeafTargets.of(trees, drawn, coded.target, coded.weights)
        return cls(leaves, drawn_rows(trees, drawn, places, n), trees)

    def joined(self, other: Drawn) -> Drawn:
        rows = np.concatenate([self.rows, other.rows])
        return Drawn(self.leaves.joined(other.leaves), rows, self.trees.joined(other.trees))


def grow(
    coded: Coded,
    growth: Growth,
    n_trees: int,
    *,
    first: int = 0,
    class_factors: Array | None = None,
    out_of_bag: OutOfBagSums | None = None,
    keep_targets: bool = False,
    learner: str = "",
) -> tuple[Forest, Drawn | None]:
    """Trees `first`, `first` + 1, … of a forest, and if asked for the targets in their leaves.

    Tree t is the same, however many others there are and whoever else grows them. Those who watch are told
    where there is a `learner` to name.
    """
    target = coded.target
    settings = vars(growth) | {
        "min_samples_split": growth.min_samples_split / coded.unit,
        "min_samples_leaf": growth.min_samples_leaf / coded.unit,
        "shrinkage": growth.shrinkage / coded.unit,
    }
    tried = None if out_of_bag is None else out_of_bag.shrinkages
    arguments = {
        **coded.coding.arguments(),
        "n_classes": settings.pop("n_classes"),
        "options": _core.ForestOptions(**settings),
        "labels": np.ascontiguousarray(target, np.int32) if growth.n_classes else None,
        "targets": None if growth.n_classes else np.ascontiguousarray(target, np.float64),
        "weights": coded.weights,
        "varying": coded.varying,
        "class_factors": class_factors,
        "keep_rows": bool(keep_targets),
        "oob_sums": None if out_of_bag is None else out_of_bag.sums,
        "oob_trees": None if out_of_bag is None else out_of_bag.trees,
        "oob_origin": 0.0 if out_of_bag is None else out_of_bag.origin,
        "oob_unit": 1.0 if out_of_bag is None else out_of_bag.unit,
        "shrinkages": None if tried is None else tried / coded.unit,
        **({} if coded.stand_ins is None else coded.stand_ins.arguments()),
    }
    # All at once, unless somebody watches: threads wait for each other at the end of a call.
    at_once = 2 * _core.get_threads() if learner and watching() else n_trees
    forests, kept = [], []
    for start in range(0, n_trees, at_once):
        count = min(at_once, n_trees - start)
        arrays = _core.grow_forest(coded.codes, first_tree=first + start, n_trees=count, **arguments)
        drawn = arrays.pop("drawn", None)
        scaled = ("weight", "missing_weight", "value") if growth.n_classes else ("weight", "missing_weight")
        arrays |= {name: arrays[name] * coded.unit for name in scaled if coded.unit != 1}
        forests.append(_forest(arrays, coded))
        if drawn is not None:
            trees = forests[-1] if coded.stand_ins is None else _forest(arrays, replace(coded, stand_ins=None))
            kept.append(Drawn.of(trees, drawn, coded))
        if learner:
            report("trees", learner=learner, iteration=first + start + count, total=first + n_trees)
    forest, all_drawn = forests[0], kept[0] if kept else None
    for i in range(1, len(forests)):
        forest = forest.joined(forests[i])
        all_drawn = None if all_drawn is None else all_drawn.joined(kept[i])
    return forest, all_drawn


def _forest(arrays: dict[str, Any], coded: Coded) -> Forest:
    """The trees of a kernel, by the columns and categories of the table."""
    kept = coded.coding.kept
    if coded.stand_ins is not None:
        arrays = coded.stand_ins.in_categories(arrays, kept)
    if any(own is not None for own in kept):
        arrays = arrays | {"route_codes": _own_categories(arrays, kept)}
    return Forest.grown(arrays)


def _own_categories(arrays: dict[str, Any], kept: tuple[Array | None, ...]) -> Array:
    """Routes by the categories of the table, where only some of them have codes."""
    tested = np.repeat(arrays["feature"], arrays["n_routes"])
    codes: Array = arrays["route_codes"].copy()
    for j, own in enumerate(kept):
        if own is not None:
            here = tested == j
            codes[here] = own[codes[here]]
    return codes
