"""Few rows: what boosting takes of them by itself, and an order in which they are drawn.

A tree of few rows learns their noise, so that each should see other rows and count for less. With r the weight of the
rows as a share of `FEW_ROWS`, at least 0.1 and at most 1, what the settings leave open is

|  | classes | numbers | at 1000 rows and fewer | from 10,000 on |
|---|---|---|---|---|
| share of the rows that a round draws | r^0.3 | r^0.15 | 0.5; 0.71 | 1 |
| share of the columns that a test draws | r^0.3 | r^0.3 | 0.5 | 1 |
| rounds | 50 + 50 / r^0.3 | 100 / r^0.4 | 150; 251 | 100 |
| part of each step that is taken | r^0.5 / 10 | r^0.3 / 10 | 0.032; 0.05 | 0.1 |
| least of the drawn rows in a leaf | 20 r^0.6 | 20 r^0.8 | 5; 3 | 20 |
| most leaves of a tree | 8 + 23 r² | 31 r^0.6 | 8 | 31 |

Chosen by `benchmarks/boosting_defaults.py`, on tables of 57 to 2000 rows. Of classes the share of rows was chosen on
half of them and held on the other half; the share of columns and the rounds were chosen on both. The leaves were chosen
on half of them, and held on the other half and on 24 tables drawn by chance: many leaves learn the noise of 2000 rows,
leaves of many rows miss what 200 can tell. Of 43 tables of 2227 to 8000 rows, 29 had a higher log loss by a number that
rises sooner, 31 r^0.6, and 12 a lower one. Of numbers rows, rounds and leaves were chosen on half of the tables and 22
drawn by chance, and held on the other half and on 22 more; how leaves rise, on 12 of 2500 to 5000 rows.

Rows and columns are drawn by their places. So that neither their order nor names or units matter, and a row of weight 2
is the row twice, few rows are put in an order that follows from their cells first, whole weights as so many copies;
columns are drawn by keys made from their cells. For the same reason few rows of a scan are gathered: as a table they
give the same model.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.row_keys import are_copies
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass
from learnt.statistics.sample import HashedSample, hash_numbers
from learnt.storable import storable

if TYPE_CHECKING:
    from learnt.ensemble.boosting.bins import BinEdges

FEW_ROWS = 10_000
FEWEST = 0.1  #: Of fewer rows than this share of `FEW_ROWS` no more care is taken.


def are_few(n_rows: int) -> bool:
    """Whether so many rows are treated with care."""
    return n_rows <= FEW_ROWS


@storable
@dataclass(frozen=True)
class Care:
    """What is taken where the settings leave it open."""

    max_iter: int
    learning_rate: float
    subsample: float
    max_features: float
    min_samples_leaf: float
    max_leaf_nodes: int = 31  # 0: no limit


def care_of(n_rows: int, weights: Array | None, classes: bool) -> Care:
    """By the weight of the rows, of classes or of numbers."""
    r = 1.0
    if are_few(n_rows):
        weight = float(n_rows) if weights is None else math.fsum(weights)
        r = min(max(weight / FEW_ROWS, FEWEST), 1.0)
    columns = round(r**0.3, 2)
    if classes:
        leaves = round(8 + 23 * r**2)
        return Care(round(50 + 50 / columns), round(0.1 * r**0.5, 3), columns, columns, 20 * columns**2, leaves)
    least, leaves = float(round(20 * r**0.8)), round(31 * r**0.6)
    return Care(round(100 / r**0.4), round(0.1 * r**0.3, 3), round(r**0.15, 2), columns, least, leaves)


@dataclass(frozen=True, eq=False)
class Draws:
    """Where the rows stand that are drawn by their places, and what columns are drawn by; 0: they never vary."""

    places: Array
    column_keys: Array


def draws_by_cells(table: Table, edges: BinEdges, target: Array, weights: Array | None) -> Draws:
    """Rows in an order that follows from their bins and targets, whole weights as copies, rows of weight 0 left out."""
    there = np.arange(len(target)) if weights is None else np.flatnonzero(weights)
    copies = np.ones(len(there), np.int64)
    if weights is not None and are_copies(weights):
        copies = weights[there].astype(np.int64)
    aim = np.unique(target[there], return_inverse=True)[1].astype(np.uint64)
    own, times = hash_numbers(aim), copies.astype(np.uint64)
    rows, keys, varying = own.copy(), np.zeros(edges.n_columns, np.uint64), [aim]
    for j in range(edges.n_columns):
        cells = _bins(table, edges, j)[there]
        if (cells != cells[:1]).any():  # columns that never vary change nothing
            keys[j] = (hash_numbers(hash_numbers(cells) ^ own) * times).sum(dtype=np.uint64) | np.uint64(1)
            rows += hash_numbers(cells ^ keys[j])  # a sum: in whatever order the columns come
            varying.append(cells)
    order = np.lexsort((_ranks_of_ties(rows, varying), rows))
    return Draws(np.repeat(there[order], copies[order]), keys)


def _ranks_of_ties(keys: Array, cells: list[Array]) -> Array:
    """Rows may have the same key by chance, or the same cells in two equal columns: where each comes among those."""
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    tied = np.flatnonzero(count[place] > 1)
    ranks = np.zeros(len(keys), np.int64)
    ranks[tied[np.lexsort([one[tied] for one in cells])]] = np.arange(len(tied))
    return ranks


def _bins(table: Table, edges: BinEdges, j: int) -> Array:
    """Bins of numbers; of categories a number made from their names, for these may be listed in any order."""
    column = table.columns[j]
    if not edges.nominal[j]:
        cuts = edges.edges_of(j)
        return np.where(column.missing, len(cuts) + 1, np.searchsorted(cuts, column.values)).astype(np.uint64)
    names = np.array([0, *(zlib.crc32(str(name).encode()) + 1 for name in column.categories)], np.uint64)
    return names[np.where(column.missing, -1, column.values).astype(np.int64) + 1]


class GatherRows(Pass):
    """All rows of a scan, which are few, as one table with their targets and weights."""

    def summarize(self, batch: Batch) -> HashedSample:
        return HashedSample.of(None, np.empty(0), batch.table, batch.target, batch.weights, rows=batch.n_rows)
