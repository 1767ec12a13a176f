"""Linear models of leaves in words."""

from __future__ import annotations

import numpy as np

from learnt.show.numbers import MINUS, number
from learnt.show.words import printable
from learnt.tree.model_tree.leaf_models import LeafModels
from learnt.tree.model_tree.ranked_cells import RankedCells
from learnt.tree.show.conditions import list_labels


def reached_categories(cells: RankedCells, j: int, rank: int) -> str:
    """The categories of a column that have at least this rank, from low to high."""
    ranks, labels = cells.of_column(j), cells.schema.columns[j].categories
    codes = np.flatnonzero(ranks >= rank)
    return list_labels([labels[c] for c in codes[np.argsort(ranks[codes])].tolist()], "or")


def term_name(cells: RankedCells, j: int, rank: int) -> str:
    """`MMAX`, or `[origin is 2 or 3]`, which is 1 or 0."""
    name = printable(cells.schema.columns[j].name)
    return f"[{name} is {reached_categories(cells, j, rank)}]" if rank else name


def formula(cells: RankedCells, models: LeafModels, m: int) -> str:
    """`11.1 − 0.005494 · MYCT + 0.8007 · CACH`."""
    terms = range(models.start[m], models.start[m + 1])
    size = max((abs(float(models.coef[t] * models.center[t])) for t in terms), default=0.0)
    text = number(models.intercept[m], size)  # what rounding has left of the terms' means is 0
    for t in terms:
        b = float(models.coef[t])
        sign = MINUS if b < 0 else "+"
        text += f" {sign} {number(abs(b))} · {term_name(cells, int(models.column[t]), int(models.rank[t]))}"
    return text
