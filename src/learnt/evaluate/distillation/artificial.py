"""Artificial rows near those of a table, of numbers, categories and gaps.

Each is made of a row and its nearest neighbour: of every other cell, by a toss, the neighbour's is taken, a number with
a normal deviation as large as the two are apart. So rows stay where rows are, and columns keep what they have to do
with each other. Gaps stay where the row has them.

Reference: C. Bucilă, R. Caruana, A. Niculescu-Mizil, Model compression, 2006 (their MUNGE).
"""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array, Column, Table
from learnt.neighbors import build_index

#: Rows among which neighbours are looked for: more would take long and add little.
MOST_ORIGINALS = 5_000
#: How often a cell is moved.
MOVED = 0.5
#: Numbers that are written with so many decimals at most are drawn with as many: tests of them stay short.
MOST_DECIMALS = 4


def artificial_rows(table: Table, n_rows: int, rng: np.random.Generator) -> Table:
    """So many rows, each near one of the table's."""
    some = rng.permutation(table.n_rows)[:MOST_ORIGINALS]
    originals = table.take(np.sort(some))
    own = np.resize(rng.permutation(originals.n_rows), n_rows)
    near = nearest_rows(originals)[own]
    cells = [_moved_cells(column, own, near, rng) for column in originals.columns]
    return Table.of_columns(cells, n_rows=n_rows, named=table.schema.named)


def nearest_rows(table: Table) -> Array:
    """The nearest other row of each, copies of it left aside as far as there are others; of a lone row itself."""
    each = np.arange(table.n_rows)
    if table.n_rows < 2 or table.n_columns == 0:
        return each
    _, found = build_index(table, "mixed").query(table, 1, exclude_self=each)
    nearest: Array = found[:, 0]
    return nearest


def _moved_cells(column: Column, own: Array, near: Array, rng: np.random.Generator) -> Column:
    """The cells of rows `own`, about half of them moved to those of `near`; where either has none, as they are."""
    cells, moved = column.values[own], column.values[near]
    taken = (rng.random(len(own)) < MOVED) & ~(column.missing[own] | column.missing[near])
    if column.kind == "numeric":
        with np.errstate(over="ignore", invalid="ignore"):
            drawn = moved + np.abs(cells - moved) * rng.standard_normal(len(own))
        known = column.values[~column.missing]
        if len(known):
            drawn = np.clip(drawn, known.min(), known.max())
            decimals = _decimals(known)
            drawn = drawn if decimals is None else np.round(drawn, decimals)
        moved = np.where(np.isfinite(drawn), drawn, moved)
    return Column.like(column, np.where(taken, moved, cells).astype(column.values.dtype))


def _decimals(known: Array) -> int | None:
    """With how many decimals all of these are written; None: more than a few."""
    return next((d for d in range(MOST_DECIMALS + 1) if (known == np.round(known, d)).all()), None)
