"""Sending rows down a forest, and taking its answers apart: the compiled kernels, called with tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.tree import kernel_rows, n_categories

if TYPE_CHECKING:
    from learnt.ensemble.trees.forest import Forest

_WALKED = (
    "tree_start",
    "feature",
    "threshold",
    "right",
    "route_start",
    "n_routes",
    "route_codes",
    "routes",
    "otherwise",
    "missing",
)
_MOST_NODES, _MOST_COLUMNS, _MOST_CODES = 1 << 20, 1 << 11, 1 << 24  # of forests packed for float32
_UNPACKED = 1 << 24  # cells of a sparse table that are unpacked at a time


def pack(forest: Forest, table: Table) -> None:
    """Make the form that suits such rows, so that the first prediction need not."""
    for part, _ in _parts(table.rows(0, 1)):
        _packed(forest, part, kernel_rows(part))


def add_answers(forest: Forest, table: Table, first: int, last: int, answers: Array, group: int, out: Array) -> None:
    """Add to `out` the answers (leaves of all trees × outputs) of the leaves that each row comes to, tree by tree."""
    for part, here in _parts(table):
        rows = kernel_rows(part)
        _packed(forest, part, rows).add_answers(rows, first, last, answers, group, out[here])


def find_leaves(forest: Forest, table: Table, first: int, last: int) -> Array:
    """The leaf of each row in each tree, by its number there."""
    out = np.empty((table.n_rows, last - first), dtype=np.int32)
    for part, here in _parts(table):
        rows = kernel_rows(part)
        _packed(forest, part, rows).leaves(rows, first, last, out[here])
    return out


def shapley_values(forest: Forest, table: Table, answers: Array, group: int, pairs: bool) -> tuple[Array, Array]:
    """What each column adds, or each two together, and what is answered without any; `answers` has all nodes."""
    k, p = group if group > 1 else answers.shape[1], table.n_columns
    shape = (table.n_rows, p, p, k) if pairs else (table.n_rows, p, k)
    out, expected = np.zeros((table.n_rows, int(np.prod(shape[1:])))), np.zeros(k)
    fields = {name: getattr(forest, name) for name in (*_WALKED, "weight")}
    for part, here in _parts(table):
        expected[:] = 0.0
        _core.add_contributions(
            **fields,
            n_categories=n_categories(part.schema),
            value=np.ascontiguousarray(answers),
            group=group,
            x=kernel_rows(part),
            pairs=pairs,
            out=out[here],
            expected=expected,
        )
    return out.reshape(shape), expected


def _packed(forest: Forest, table: Table, rows: Any) -> Any:
    """The forest in the form that suits such rows, made once."""
    if isinstance(rows, np.ndarray):
        single, categories = rows.dtype == np.float32, np.zeros(rows.shape[1], dtype=np.int32)
    else:
        categories = n_categories(table.schema)
        single = all(column.dtype != np.float64 for column in rows) and categories.max(initial=0) < _MOST_CODES
    key = (single, categories.tobytes())
    packs: dict[Any, Any] = forest.packs
    if key not in packs:
        small = single and len(categories) <= _MOST_COLUMNS
        small = small and np.diff(forest.tree_start).max(initial=0) <= _MOST_NODES
        form = _core.PackedForest32 if small else _core.PackedForest64
        if len(packs) > 3:  # tables of ever new categories: the oldest form goes
            packs.pop(next(iter(packs)), None)
        fields = {name: getattr(forest, name) for name in _WALKED}
        packs[key] = form(**fields, n_categories=categories)
    return packs[key]


def _parts(table: Table) -> Iterator[tuple[Table, slice]]:
    """The table, or if it is sparse, dense parts of it."""
    if table.sparse is None:
        yield table, slice(None)
        return
    step = max(1, _UNPACKED // max(1, table.n_columns))
    for start in range(0, table.n_rows, step):
        here = slice(start, min(start + step, table.n_rows))
        yield Table.of_matrix(table.sparse[here].toarray(), table.names, named=table.schema.named), here
