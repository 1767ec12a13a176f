"""Numbers that stand for columns of categories while trees grow, and tests of them as tests of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.ensemble.ordered_statistics import listed_side
from learnt.tree import spans

#: A test lists one side of all categories where that is at most so many times what its rows have, or short anyway.
#: Otherwise it lists those its rows have, the others being as if missing: trees grow with rows, not with categories.
#: (Log loss of 1181 baseball players, with lists of any length .386: .389 so, with 4 times .394, with 0 times .411.)
WIDE, ANYWAY = 16, 128


@dataclass(frozen=True, eq=False)
class StandIns:
    """The last columns of codes, `orders` times as many as these: bins that stand for the categories of `columns`.

    `bins` are those of the categories, one after another; of stand-in i `bins[start[i] : start[i + 1]]`.
    """

    columns: Array
    orders: int
    bins: Array
    start: Array

    def own(self, n_columns: int) -> int:
        """How many columns stand for themselves."""
        return n_columns - self.orders * len(self.columns)

    def arguments(self) -> dict[str, Any]:
        """What the grower takes of it."""
        return {"stands_for": self.columns, "orders": self.orders}

    def in_categories(self, fields: dict[str, Array], kept: tuple[Array | None, ...]) -> dict[str, Array]:
        """The fields of trees with tests of categories in place of those of stand-ins.

        The grower lists with each test of a stand-in the categories that its rows have. `kept` are, by column, the
        categories that have a code, None: all.
        """
        tests = np.flatnonzero(fields["feature"] >= self.own(len(kept)))
        if len(tests) == 0:
            return fields
        which = (fields["feature"][tests] - self.own(len(kept))) % len(self.columns)
        cut = np.clip(np.floor(fields["threshold"][tests]), -1, 255).astype(np.int64)
        count = fields["n_routes"].astype(np.int64)
        start = np.cumsum(count) - count
        routes = self._routed(fields, which, cut, start[tests], count[tests])
        # Tests of one cut list the same side.
        kinds, kind = np.unique(which * 257 + cut + 1, return_inverse=True)
        sides = [self._side(k // 257, k % 257 - 1) for k in kinds.tolist()]
        size, child = np.array([(len(codes), side) for codes, side in sides]).T
        wide = size[kind] <= np.maximum(WIDE * count[tests], ANYWAY)
        wide &= np.array([kept[j] is None for j in self.columns])[which]  # others are as if missing in training, too
        otherwise, listed = fields["otherwise"].copy(), tests[wide]
        otherwise[listed] = 1 - child[kind[wide]]
        start[listed], count[listed] = (len(routes) + np.cumsum(size) - size)[kind[wide]], size[kind[wide]]
        is_nominal = fields["route_start"] >= 0
        is_nominal[tests] = True
        taken = spans(start, count)
        return fields | {
            "feature": _replaced(fields["feature"], tests, self.columns[which]),
            "threshold": _replaced(fields["threshold"], tests, np.nan),
            "otherwise": otherwise,
            "n_routes": count.astype(np.int32),
            "route_start": np.where(is_nominal, np.cumsum(count) - count, -1),
            "route_codes": np.concatenate([fields["route_codes"], *(codes for codes, _ in sides)])[taken],
            "routes": np.concatenate([routes, np.repeat(child, size).astype(np.int32)])[taken],
        }

    def _routed(self, fields: dict[str, Array], which: Array, cut: Array, start: Array, count: Array) -> Array:
        """The routes, those of the categories that tests of stand-ins list among them."""
        here, test = spans(start, count), np.repeat(np.arange(len(count)), count)
        bins = self.bins[self.start[which[test]] + fields["route_codes"][here]]
        return _replaced(fields["routes"], here, bins > cut[test])

    def _side(self, i: int, cut: int) -> tuple[Array, int]:
        """The smaller side of all categories of a stand-in cut after a bin, and its child."""
        return listed_side(self.bins[self.start[i] : self.start[i + 1]] > cut)


def beside(table: Table, cells: Array) -> Table:
    """A table with the numbers of stand-ins behind its columns."""
    more = (Column(f"\0{i}", "numeric", numbers) for i, numbers in enumerate(cells))  # names that no column has
    return Table.of_columns([*table.columns, *more])


def _replaced(values: Array, places: Array, others: Any) -> Array:
    found = values.copy()
    found[places] = others
    return found
