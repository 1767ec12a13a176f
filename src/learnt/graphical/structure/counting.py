"""Counting families of columns, by passes: rows are packed once, and every later pass reads what was packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.graphical.structure.coding import table_codes
from learnt.statistics.counts import weigh_codes
from learnt.statistics.sums import Sums


@dataclass(frozen=True)
class PackedRows:
    """Codes as columns × rows, of the narrowest type that holds them; missing is the code after the last state."""

    codes: Array
    weights: Array | None


@dataclass(frozen=True)
class StateWeights(Sums):
    """The weight of each state of each column, the missing one last, columns one after the other."""

    rows: int
    weight: Array


class PackRows(Pass):
    """Codes of all rows that have weight, kept for later passes; `n_classes` where the target is the last column."""

    state: ClassVar[Literal["none", "cache", "required"]] = "required"

    def __init__(self, edges: dict[str, Array], sizes: Array, with_target: bool = False):
        self.edges, self.sizes, self.with_target = edges, sizes, with_target

    def __call__(self, batch: Batch, state: Any) -> tuple[StateWeights, PackedRows]:
        codes = table_codes(batch.table, self.edges, batch.target if self.with_target else None)
        weights = batch.weights
        if weights is not None and not weights.all():
            codes, weights = codes[:, weights > 0], weights[weights > 0]
        packed = np.empty(codes.shape, _code_type(self.sizes))
        found = []
        for j, size in enumerate(self.sizes.tolist()):
            filled = np.where(codes[j] < 0, size, codes[j])
            packed[j] = filled
            found.append(weigh_codes(filled, size + 1, weights))
        return StateWeights(batch.n_rows, np.concatenate(found)), PackedRows(packed, weights)


def _code_type(sizes: Array) -> Any:
    return np.uint8 if sizes.max() < 256 else np.uint16 if sizes.max() < 65536 else np.uint32


class Groups:
    """Lists of columns, each with candidates; one table a candidate, or one where there are none (`core`'s counts)."""

    def __init__(self, groups: Sequence[tuple[Sequence[int], Sequence[int]]]):
        self.members, self.member_starts = flat_lists([members for members, _ in groups])
        self.candidates, self.candidate_starts = flat_lists([candidates for _, candidates in groups])

    def arrays(self) -> tuple[Array, Array, Array, Array]:
        return self.members, self.member_starts, self.candidates, self.candidate_starts


def flat_lists(lists: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Lists of columns one after the other, and where each begins; the end last."""
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return np.array([j for some in lists for j in some], np.int32), starts


@dataclass(frozen=True)
class FamilyCounts(Statistic):
    """Tables laid out one after the other, and of those too large for it the combinations that occur."""

    rows: int
    dense: Array
    hashed: tuple[tuple[Array, Array], ...] = ()

    def _shape(self) -> tuple[int, ...]:
        return len(self.dense), len(self.hashed)

    def _merge(self, other: FamilyCounts) -> FamilyCounts:
        hashed = (_merged(a, b) for a, b in zip(self.hashed, other.hashed, strict=True))
        return FamilyCounts(self.rows + other.rows, self.dense + other.dense, tuple(hashed))


def _merged(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
    keys, place = np.unique(np.concatenate([a[0], b[0]]), return_inverse=True)
    return keys, np.bincount(place, np.concatenate([a[1], b[1]]), len(keys))


class CountTables(Pass):
    """Tables of groups of columns from packed rows, whole numbers where rows have no weights."""

    state: ClassVar[Literal["none", "cache", "required"]] = "required"
    reads = False

    def __init__(self, cells: Array, groups: Groups, n_cells: int, hashed: Sequence[Sequence[int]] = ()):
        self.cells, self.groups, self.n_cells, self.hashed = cells, groups, n_cells, hashed

    def __call__(self, batch: Batch, state: PackedRows) -> tuple[FamilyCounts, PackedRows]:
        dense: Array = np.zeros(self.n_cells, np.int64 if state.weights is None else np.float64)
        if self.n_cells:
            _core.count_tables(state.codes, self.cells, state.weights, *self.groups.arrays(), dense)
        found = []
        if self.hashed:
            found = _core.count_hashed(state.codes, self.cells, state.weights, *flat_lists(self.hashed))
        return FamilyCounts(batch.n_rows, dense, tuple(found)), state
