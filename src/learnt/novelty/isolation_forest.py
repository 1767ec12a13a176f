"""The isolation forest: novel rows are told from all others by few random tests."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.engine.encoded_rows import ENCODED_ROWS
from learnt.novelty.cells import category_counts, cell_matrix
from learnt.storable import Codes, Counts, FiniteNumbers, storable

#: Of so many copies none is drawn twice, by chance alone.
MOST_COPIES = 2**50


@storable
@dataclass(frozen=True, eq=False)
class IsolationForest:
    """Trees in flat arrays; novelty is by how much shorter paths are than c, the average, as a share of it:

        1 − E[h(x)]/c(ψ),   c(n) = 2 (ln(n − 1) + γ) − 2 (n − 1)/n

    A test that leads from a node of n rows to a child of m has made the path expected c(n) − 1 − c(m) shorter: these
    are what the columns add.
    """

    categories: Codes
    starts: Counts
    column: Codes
    threshold: FiniteNumbers
    left: Codes
    missing: Codes
    rest: FiniteNumbers
    seed: int

    def __post_init__(self) -> None:
        if any(a.ndim != 1 for a in (self.categories, self.starts, self.column)) or len(self.starts) < 2:
            raise ValueError("An isolation forest has at least one tree.")
        if not 0 <= self.seed < 2**64 or np.any(self.missing < 0) or np.any(self.missing > 2):
            raise ValueError("The nodes of an isolation forest are not those of one.")
        # The kernel looks at every node: what it walks ends at a leaf.
        self._add(_core.add_isolation_paths, np.zeros((0, len(self.categories))), np.zeros(0))

    @classmethod
    def grown(cls, table: Table, rows: Array, weights: Array, n_trees: int, most: int, seed: int) -> IsolationForest:
        """Of the numbered rows of a table, in an order of their own; `most` is the weight of each sample."""
        samples, counted = _samples(weights, n_trees, most, seed)
        used, places = np.unique(samples, return_inverse=True)
        x = np.ascontiguousarray(cell_matrix(table.take(rows[used])), dtype=np.float64)
        chosen = places.reshape(samples.shape).astype(np.int32)
        room = (n_trees, max(1, 2 * samples.shape[1] - 1))
        column, left = np.empty(room, np.int32), np.empty(room, np.int32)
        threshold, rest = np.empty(room), np.empty(room)
        missing, sizes = np.empty(room, np.uint8), np.empty(n_trees, np.int64)
        categories = category_counts(table.schema)
        total = float(counted[used].sum()) if counted is not None else float(samples.shape[1])
        _core.grow_isolation_trees(
            x,
            categories,
            chosen,
            weights=None if counted is None else np.ascontiguousarray(counted[used]),
            most_depth=math.ceil(math.log2(max(total, 2.0))),
            seed=seed,
            column=column,
            threshold=threshold,
            left=left,
            missing=missing,
            rest=rest,
            used=sizes,
        )
        kept = np.arange(room[1])[None, :] < sizes[:, None]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        parts = column[kept], threshold[kept], left[kept], missing[kept].astype(np.int32), rest[kept]
        return cls(categories, starts, *parts, seed)

    @property
    def base_words(self) -> str:
        return ""

    @property
    def _unit(self) -> float:
        """Paths of average length in all trees, added; 1 where every path is of no length."""
        return float(self.rest[self.starts[:-1]].sum()) or 1.0

    def _add(self, kernel: object, x: Array, out: Array) -> None:
        nodes = self.starts, self.column, self.threshold, self.left, self.missing.astype(np.uint8), self.rest
        kernel(x, *nodes, self.categories, self.seed, out)  # type: ignore[operator]

    def novelty(self, table: Table) -> Array:
        paths = np.zeros(table.n_rows)
        step = table.n_rows if table.matrix is not None else ENCODED_ROWS
        for start in range(0, table.n_rows, step):
            some = slice(start, start + step)
            self._add(_core.add_isolation_paths, cell_matrix(table.rows(start, start + step)), paths[some])
        return (float(self.rest[self.starts[:-1]].sum()) - paths) / self._unit

    def parts(self, table: Table) -> tuple[Array, Array]:
        credits = np.zeros((table.n_rows, table.n_columns))
        self._add(_core.add_isolation_credits, cell_matrix(table), credits)
        return np.zeros(table.n_rows), credits / self._unit


def _samples(weights: Array, n_trees: int, most: int, seed: int) -> tuple[Array, Array | None]:
    """Rows of each tree, without those of others, and their weights where all rows are in each.

    A row of weight 2 is two copies. A sample holds no copy twice, and each with the same chance.
    """
    copies = math.ceil(float(weights.sum()) * (1 - 1e-12))
    if copies <= most:
        return np.tile(np.arange(len(weights)), (n_trees, 1)), weights
    upto = np.cumsum(weights)
    rows = np.empty((n_trees, most), np.int64)
    for t in range(n_trees):
        rng = np.random.default_rng([seed, t])
        few = copies < MOST_COPIES
        drawn = rng.choice(copies, most, replace=False, shuffle=False) if few else rng.random(most) * float(copies)
        # Within its place, which one row has alone unless weights are not whole.
        rows[t] = np.searchsorted(upto, drawn + rng.random(most) * (1 - 1e-9), side="right")
    return np.minimum(rows, len(weights) - 1), None
