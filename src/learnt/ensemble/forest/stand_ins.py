"""Columns of numbers that stand for columns of categories while trees grow, and tests of them as tests of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.ensemble.ordered_statistics import listed_side
from learnt.tree import spans

#: A test lists one side of all categories where that takes at most so many times the categories that its rows have;
#: otherwise these alone, the others being as if missing. So trees grow with the rows, not with categories times tests.
WIDE = 4


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
        own = self.own(len(kept))
        tests = np.flatnonzero(fields["feature"] >= own)
        if len(tests) == 0:
            return fields
        which = (fields["feature"][tests] - own) % len(self.columns)
        cut = np.clip(np.floor(fields["threshold"][tests]), -1, 255).astype(np.int64)
        count = fields["n_routes"].astype(np.int64)
        start = np.cumsum(count) - count
        here, test = spans(start[tests], count[tests]), np.repeat(np.arange(len(tests)), count[tests])
        routes, otherwise = fields["routes"].copy(), fields["otherwise"].copy()
        routes[here] = self.bins[self.start[which[test]] + fields["route_codes"][here]] > cut[test]
        kinds, kind = np.unique(which * 257 + cut + 1, return_inverse=True)
        sides = [self._side(int(k) // 257, int(k) % 257 - 1) for k in kinds]
        size = np.array([len(codes) for codes, _ in sides], np.int64)
        wide = (size[kind] <= WIDE * count[tests]) & np.array([kept[j] is None for j in self.columns])[which]
        of_wide, place = tests[wide], len(routes) + np.cumsum(size) - size
        start[of_wide], count[of_wide] = place[kind[wide]], size[kind[wide]]
        otherwise[of_wide] = np.array([1 - side for _, side in sides], np.int32)[kind[wide]]
        taken = spans(start, count)
        is_nominal, feature, threshold = fields["route_start"] >= 0, fields["feature"].copy(), fields["threshold"].copy()
        is_nominal[tests], feature[tests], threshold[tests] = True, self.columns[which], np.nan
        return fields | {
            "feature": feature,
            "threshold": threshold,
            "otherwise": otherwise,
            "n_routes": count.astype(np.int32),
            "route_start": np.where(is_nominal, np.cumsum(count) - count, -1),
            "route_codes": np.concatenate([fields["route_codes"], *(codes for codes, _ in sides)])[taken],
            "routes": np.concatenate([routes, *(np.full(len(c), side, np.int32) for c, side in sides)])[taken],
        }

    def _side(self, i: int, cut: int) -> tuple[Array, int]:
        """The smaller side of all categories cut after a bin, and its child."""
        return listed_side(self.bins[self.start[i] : self.start[i + 1]] > cut)
