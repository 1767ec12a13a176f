"""Tables of probabilities of a network's families, in logarithms.

The axes of a node's table are its parents, itself, and the class, which comes last wherever it is one of them:

    log P(x | parents, class)   parents … × x × class
    log P(x | parents)          parents … × x
    log P(class | parents)      parents … × class
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.engines import Request
from learnt.errors import InputError
from learnt.graphical.structure.counting import CountTables, FamilyCounts, Groups
from learnt.graphical.structure.independence import known_cells
from learnt.show.words import spell

#: Cells of the tables of one family.
MOST_CELLS = 1 << 26


@dataclass(frozen=True)
class Family:
    """A node's table: its axes as columns, and which of them is the node's own."""

    node: int
    axes: tuple[int, ...]
    own: int

    @classmethod
    def of(cls, node: int, parents: Sequence[int], target: int) -> Family:
        others = tuple(p for p in parents if p != target)
        if node == target:
            return cls(node, (*others, node), len(others))
        return cls(node, (*others, node, *([target] if target in parents else [])), len(others))


def count_families(
    families: Sequence[Family], cells: Array, states: Array, names: Sequence[str]
) -> Generator[Request, Any, list[Array]]:
    """The counts of each family's table, of the rows in which no cell of it is missing."""
    counts = []
    for family in families:  # one by one: they may be large
        size = float(np.prod([float(cells[j]) for j in family.axes]))
        if size > MOST_CELLS:
            raise InputError(
                f"Column {spell(names[family.node])} and its parents have {size:.3g} combinations. Expected at most "
                f"{MOST_CELLS}. Give it fewer parents, or merge rare categories."
            )
        found: FamilyCounts = yield CountTables(cells, Groups([(family.axes, ())]), int(size))
        table = found.dense.reshape([int(cells[j]) for j in family.axes])
        counts.append(known_cells(table, [int(states[j]) for j in family.axes]).astype(np.float64))
    return counts


def log_probabilities(counts: Array, own: int, alpha: float) -> Array:
    """log (N + α) / (Σ N + α·r) along the node's own axis; even where there is nothing to divide."""
    more = counts + alpha
    total = more.sum(axis=own, keepdims=True)
    even = np.full_like(more, 1 / counts.shape[own])
    with np.errstate(divide="ignore"):
        logs: Array = np.log(np.divide(more, total, out=even, where=total > 0))
    return np.ascontiguousarray(logs)
