"""Neighbours of the rows of a table: which they are, and with what weight they take part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.lazy import cached_property
from learnt.neighbors.index import Index, build_index
from learnt.neighbors.kept_rows import KeptRows
from learnt.neighbors.measure import Measure, of_numbers
from learnt.neighbors.mixed_scan import ScanIndex
from learnt.neighbors.questions import Lists
from learnt.neighbors.text_edits import as_cells

#: Neighbours held at a time: 64 MB of distances and row numbers.
CELLS = 4 << 20


@dataclass(frozen=True)
class Near:
    """Neighbours of some rows, nearest first: rows × places.

    `share` is the weight with which a neighbour takes part, 0 where a place is empty; `reach` is for each row
    the distance of the first one that does not.
    """

    distances: Array
    rows: Array
    share: Array
    reach: Array

    def nearest(self, k: float, weights: Array | None) -> Near:
        """Those up to a weight of k; the last one with what is left for it."""
        if weights is None:
            kept = min(int(k), self.rows.shape[1])
            reach = self.distances[:, min(kept, self.rows.shape[1] - 1)]
            return Near(self.distances[:, :kept], self.rows[:, :kept], self.share[:, :kept], reach)
        own = weights[self.rows]
        upto = np.cumsum(own, axis=1)
        share = np.clip(k - (upto - own), 0, own)
        beyond = np.where(upto[:, -1] > k, (upto <= k).sum(axis=1), self.rows.shape[1] - 1)
        return Near(self.distances, self.rows, share, self.distances[np.arange(len(beyond)), beyond])


class Search:
    """The kept rows behind an index, asked with tables."""

    def __init__(self, rows: KeptRows, measure: Measure | Callable[[Any, Any], float], kind: str):
        self.rows, self.measure = rows, measure
        self._dense = rows.matrix is not None
        self._gaps_elsewhere = False
        target: Any = measure
        if isinstance(measure, Measure) and measure.name == "mixed":
            plain = of_numbers(measure) if self._dense and not rows.has_gaps and kind != "scan" else None
            self._dense, target = plain is not None, plain or measure
            self._gaps_elsewhere = self._dense
        self.index: Index = build_index(self._as_asked(rows.table), target, index=kind)

    def _as_asked(self, table: Table) -> Any:
        """A table in the form the index takes."""
        if isinstance(self.measure, Measure) and self.measure.takes_text:
            return as_cells(table, self.measure.text)
        if not self._dense:
            return table
        if table.matrix is not None:
            return table.matrix
        return np.array(table, dtype=np.float64)

    @cached_property
    def _for_gaps(self) -> Index:
        """Rows of numbers have no gaps here, but those asked about may."""
        return ScanIndex(self.rows.table, self.measure, "rows with missing cells are asked about")

    def _roads(self, table: Table, skip: Any) -> list[tuple[Array, Index, Any, Any]]:
        """Which index is asked about which rows: (places, index, rows, what to skip)."""
        asked, everyone = self._as_asked(table), np.arange(table.n_rows)
        gaps = np.isnan(asked).any(axis=1) if self._gaps_elsewhere else None
        if gaps is None or not gaps.any():
            return [(everyone, self.index, asked, skip)]
        skip = everyone if skip is True else np.full(table.n_rows, -1) if skip is None else skip
        whole, gappy = everyone[~gaps], everyone[gaps]
        roads = [(gappy, self._for_gaps, table.take(gappy), skip[gappy])]
        return [*roads, (whole, self.index, asked[whole], skip[whole])] if len(whole) else roads

    def query(self, table: Table, k: int, skip: Any = None) -> tuple[Array, Array]:
        """The k nearest rows of each row of a table; see `Index.query`."""
        found = [(some, index.query(X, k, own)) for some, index, X, own in self._roads(table, skip)]
        if len(found) == 1:
            return found[0][1]
        distances, rows = np.empty((table.n_rows, k)), np.empty((table.n_rows, k), np.int64)
        for some, (away, which) in found:
            distances[some], rows[some] = away, which
        return distances, rows

    def radius(self, table: Table, r: Any, skip: Any = None) -> Lists:
        """All rows within r of each row of a table; see `Index.radius`."""
        found = [(some, index.radius(X, r, own)) for some, index, X, own in self._roads(table, skip)]
        if len(found) == 1:
            return found[0][1]
        who = np.concatenate([np.repeat(some, np.diff(start)) for some, (start, _, _) in found])
        rows, distances = (np.concatenate([lists[part] for _, lists in found]) for part in (1, 2))
        order = np.argsort(who, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(who, minlength=table.n_rows))]).astype(np.int64)
        return start, rows[order], distances[order]

    def nearest(self, table: Table, k: float, weights: Array | None, skip: Any = None) -> Near:
        """Neighbours up to a weight of k, and the one after them."""
        n = self.rows.n_rows - (skip is not None)
        if weights is None:
            wide = int(min(n, k + 1))
            distances, rows = self.query(table, wide, skip)
            return Near(distances, rows, np.ones((len(rows), wide)), distances[:, -1]).nearest(k, None)
        # So many rows hold a weight of k as a rule; where they do not, twice as many are looked for.
        wide = int(min(n, np.ceil(k / weights.mean()) + 1))
        distances, rows = self.query(table, wide, skip)
        while wide < n and np.any(weights[rows].sum(axis=1) <= k):
            wide = min(n, 2 * wide)
            distances, rows = self.query(table, wide, skip)
        return Near(distances, rows, np.ones(rows.shape), distances[:, -1]).nearest(k, weights)

    def within(self, table: Table, r: float, k: float, weights: Array | None) -> Near:
        """Neighbours within r; a row that has none there gets the nearest up to a weight of k."""
        start, rows, distances = self.radius(table, r)
        count = np.diff(start)
        alone = np.flatnonzero(count == 0)
        near = self.nearest(table.take(alone), k, weights) if len(alone) else None
        wide = max(int(count.max(initial=0)), 0 if near is None else near.rows.shape[1])
        found = Near(
            np.full((len(count), wide), np.inf),
            np.zeros((len(count), wide), np.int64),
            np.zeros((len(count), wide)),
            np.full(len(count), float(r)),
        )
        taken = np.arange(wide)[None, :] < count[:, None]
        found.distances[taken], found.rows[taken] = distances, rows
        found.share[taken] = 1.0 if weights is None else weights[rows]
        if near is not None:
            own = near.rows.shape[1]
            found.distances[alone, :own], found.rows[alone, :own] = near.distances, near.rows
            found.share[alone, :own], found.reach[alone] = near.share, near.reach
        return found

    def blocks(self, n: int, k: float, weights: Array | None, within: bool) -> Iterator[slice]:
        """Rows to ask about at a time, so that neighbours fit into memory."""
        wide = self.rows.n_rows if within else min(self.rows.n_rows, k / (1 if weights is None else weights.mean()) + 1)
        step = max(1, int(CELLS / wide))
        yield from (slice(first, min(first + step, n)) for first in range(0, n, step))
