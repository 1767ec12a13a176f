"""Neighbours of the rows of a table: which they are, and with what weight they take part."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.distance.text_edits import as_cells
from learnt.lazy import cached_property
from learnt.neighbors.index.build import Index, build_index
from learnt.neighbors.index.mixed_scan import ScanIndex
from learnt.neighbors.index.questions import Lists
from learnt.neighbors.kept_rows import KeptRows
from learnt.neighbors.measure import Measure, of_numbers

#: Neighbours held at a time: 64 MB of distances and row numbers.
CELLS = 4 << 20

#: Distances are equal if they differ by less, relatively: 0.3 − 0.2 is not quite 0.2 − 0.1.
EQUAL = 1 + 1e-12


@dataclass(frozen=True)
class Near:
    """Neighbours of some rows, nearest first, or all of them in the order of the table: rows × places.

    `share` is the weight with which a neighbour takes part, 0 where a place is empty; `reach` is for each row the
    distance of the first one that does not, where kernels end.
    """

    distances: Array
    rows: Array
    share: Array
    reach: Array

    def nearest(self, k: float, weights: Array | None, ties: bool) -> Near:
        """Those up to a weight of k: with `ties` all that are as near as the last of them, else it and what is left."""
        if weights is None:
            last = int(min(k, self.rows.shape[1])) - 1
            reach = self.distances[:, min(last + 1, self.rows.shape[1] - 1)]
            kept = last + 1
            if ties:
                taken = self.distances <= self.distances[:, last : last + 1] * EQUAL
                kept = int(taken.sum(axis=1).max())
            share = self.share[:, :kept] * taken[:, :kept] if ties else self.share[:, :kept]
            return Near(self.distances[:, :kept], self.rows[:, :kept], share, reach)
        own = weights[self.rows] * self.share
        upto, everyone = np.cumsum(own, axis=1), np.arange(len(own))
        wide = self.rows.shape[1] - 1
        if ties:
            last = np.minimum((upto < k).sum(axis=1), wide)
            share = own * (self.distances <= self.distances[everyone, last][:, None] * EQUAL)
        else:
            share = np.clip(k - (upto - own), 0, own)
        beyond = np.minimum((upto <= k).sum(axis=1), wide)
        return Near(self.distances, self.rows, share, self.distances[everyone, beyond])

    def last_of(self, k: float, weights: Array | None) -> Array:
        """The distance of the neighbour that completes a weight of k."""
        last: Any = int(min(k, self.rows.shape[1])) - 1
        if weights is not None:
            last = np.minimum((np.cumsum(weights[self.rows], axis=1) < k).sum(axis=1), self.rows.shape[1] - 1)
        found: Array = self.distances[np.arange(len(self.rows)), last]
        return found

    def some(self, places: Array) -> Near:
        return Near(self.distances[places], self.rows[places], self.share[places], self.reach[places])


Pieces = Iterator[tuple[Array, Near]]


class Search:
    """The kept rows behind an index, asked with tables."""

    def __init__(self, rows: KeptRows, measure: Measure | Callable[[Any, Any], float], kind: str):
        self.rows, self.measure = rows, measure
        self._dense = rows.matrix is not None or rows.sparse is not None
        self._gaps_elsewhere = False
        target: Any = measure
        if isinstance(measure, Measure) and measure.name == "mixed":
            plain = of_numbers(measure) if self._dense and not rows.has_gaps and kind != "scan" else None
            self._dense, target = plain is not None, plain or measure
            self._gaps_elsewhere = self._dense and rows.sparse is None
        self._target = target
        self.index: Index = build_index(self._as_asked(rows.table), target, index=kind)

    def _as_asked(self, table: Table) -> Any:
        """A table in the form the index takes."""
        if isinstance(self.measure, Measure) and self.measure.takes_text:
            return as_cells(table, self.measure.text)
        if not self._dense or (self.rows.sparse is not None and table.sparse is not None):
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
        radii = np.broadcast_to(np.asarray(r, dtype=np.float64), (table.n_rows,))
        found = [(some, index.radius(X, radii[some], own)) for some, index, X, own in self._roads(table, skip)]
        if len(found) == 1:
            return found[0][1]
        who = np.concatenate([np.repeat(some, np.diff(start)) for some, (start, _, _) in found])
        rows, distances = (np.concatenate([lists[part] for _, lists in found]) for part in (1, 2))
        order = np.argsort(who, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(who, minlength=table.n_rows))]).astype(np.int64)
        return start, rows[order], distances[order]

    def candidates(self, table: Table, k: float, weights: Array | None, ties: bool, skip: Any = None) -> Pieces:
        """For the rows of a table, in pieces that fit into memory, the rows among which the nearest up to k are.

        They hold a weight of k and the one after it; with `ties` also all others as near as the last of them.
        """
        for block in self._blocks(table.n_rows, k, weights):
            part = table if block.stop - block.start == table.n_rows else table.rows(block.start, block.stop)
            own = None if skip is None else skip[block]
            near = self._first(part, k, weights, own)
            places = np.arange(block.start, block.stop)
            if not ties or near.rows.shape[1] == self.rows.n_rows - (skip is not None):
                yield places, near
                continue
            far = near.last_of(k, weights) * EQUAL
            tied = near.distances[:, -1] <= far  # perhaps more of them beyond
            if not tied.any():
                yield places, near
                continue
            if not tied.all():
                yield places[~tied], near.some(np.flatnonzero(~tied))
            which = np.flatnonzero(tied)
            for i in range(0, len(which), self._at_once):
                few = which[i : i + self._at_once]
                lists = self.radius(part.take(few), far[few], None if own is None else own[few])
                yield places[few], _padded_lists(lists, far[few])

    def _first(self, table: Table, k: float, weights: Array | None, skip: Any) -> Near:
        n = self.rows.n_rows - (skip is not None)
        # So many rows hold a weight of k as a rule; where they do not, twice as many are looked for.
        wide = int(min(n, (k if weights is None else np.ceil(k / weights.mean())) + 1))
        distances, rows = self.query(table, wide, skip)
        while weights is not None and wide < n and np.any(weights[rows].sum(axis=1) <= k):
            wide = min(n, 2 * wide)
            distances, rows = self.query(table, wide, skip)
        return Near(distances, rows, np.ones(rows.shape), distances[:, -1])

    def nearest(self, table: Table, k: float, weights: Array | None, ties: bool, skip: Any = None) -> Pieces:
        """The neighbours of each row, up to a weight of k, in pieces: which rows they are of, and they."""
        if k == math.inf and skip is None and self.rows.sparse is None and isinstance(self.measure, Measure):
            yield from self._everyone(table, weights)
            return
        for places, near in self.candidates(table, k, weights, ties, skip):
            yield places, near.nearest(k, weights, ties)

    def _everyone(self, table: Table, weights: Array | None) -> Pieces:
        """All rows as neighbours of each, in the order of the table: where nobody is left out, none need be sorted."""
        kept, n = self._as_asked(self.rows.table), self.rows.n_rows
        share = np.ones(n) if weights is None else weights
        for first in range(0, table.n_rows, self._at_once):
            part = table.rows(first, first + self._at_once)
            for some, index, X, _ in self._roads(part, None):
                away = index.distances(X) if isinstance(index, ScanIndex) else self._target.distances(X, kept)
                whole = np.broadcast_to(np.arange(n), away.shape), np.broadcast_to(share, away.shape)
                yield first + some, Near(away, *whole, away.max(axis=1))

    def within(self, table: Table, r: float, k: float, weights: Array | None, ties: bool) -> Pieces:
        """Neighbours within r; a row that has none there gets the nearest up to a weight of k."""
        for first in range(0, table.n_rows, self._at_once):
            part = table.rows(first, first + self._at_once)
            lists = self.radius(part, r)
            there = np.diff(lists[0]) > 0
            some, alone = np.flatnonzero(there), np.flatnonzero(~there)
            if len(some):
                near = _padded_lists(lists, np.full(part.n_rows, float(r))).some(some)
                share = near.share if weights is None else near.share * weights[near.rows]
                yield first + some, Near(near.distances, near.rows, share, near.reach)
            if len(alone):
                for places, near in self.nearest(part.take(alone), k, weights, ties):
                    yield first + alone[places], near

    @property
    def _at_once(self) -> int:
        """Rows of which all others may be neighbours and yet fit into memory."""
        return max(1, CELLS // self.rows.n_rows)

    def _blocks(self, n: int, k: float, weights: Array | None) -> Iterator[slice]:
        wide = min(self.rows.n_rows, k / (1 if weights is None else weights.mean()) + 1)
        step = max(1, int(CELLS / wide))
        return (slice(first, min(first + step, n)) for first in range(0, n, step))


def _padded_lists(lists: Lists, reach: Array) -> Near:
    """Lists of different lengths as rows × places."""
    start, rows, distances = lists
    count = np.diff(start)
    taken = np.arange(count.max(initial=1))[None, :] < count[:, None]
    found = np.full(taken.shape, np.inf), np.zeros(taken.shape, np.int64)
    found[0][taken], found[1][taken] = distances, rows
    return Near(*found, taken.astype(np.float64), reach)
