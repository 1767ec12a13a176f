"""A model tree as text: the tests as lines, deeper ones indented, then the linear models they lead to."""

from __future__ import annotations

import numpy as np

from learnt.data.schema import Schema
from learnt.show.numbers import percent
from learnt.tree.arrays import Array, TreeArrays
from learnt.tree.model_tree.leaf_models import LeafModels
from learnt.tree.model_tree.ranked_cells import RankedCells
from learnt.tree.model_tree.term_words import formula
from learnt.tree.show.node_words import amount_text
from learnt.tree.show.text import tree_text


def leaf_names(tree: TreeArrays) -> Array:
    """LM1, LM2, … at the leaves, and nothing at other nodes."""
    numbers = np.cumsum(tree.is_leaf)
    names: Array = np.array([f"LM{n}" if leaf else "" for n, leaf in zip(numbers, tree.is_leaf, strict=True)], object)
    return names


def amount_of(tree: TreeArrays, models: LeafModels, m: int) -> str:
    """`165/12.9 %`: the weight of a leaf, and the residuals of its model against the deviation of the target."""
    weight = amount_text(tree.weight[np.flatnonzero(tree.is_leaf)[m]])
    return f"{weight}/{percent(models.rmse[m] / models.deviation)}" if models.deviation > 0 else weight


def model_tree_text(tree: TreeArrays, schema: Schema, cells: RankedCells, models: LeafModels, most: int = 500) -> str:
    """The tree as `tree_text` writes it, its leaves by name, and under it their models.

    CHMIN ≤ 7.5: LM1 (165/12.9 %)
    CHMIN > 7.5: LM2 (44/48.3 %)

    LM1 = 11.1 + 0.8007 · CACH
    LM2 = …
    """
    amounts = np.full(tree.node_count, "", dtype=object)
    amounts[tree.is_leaf] = [amount_of(tree, models, m) for m in range(tree.n_leaves)]
    head = tree_text(tree, schema, answers=leaf_names(tree), amounts=amounts, most=most)
    shown = min(len(models.intercept), most)
    lines = [f"LM{m + 1} = {formula(cells, models, m)}" for m in range(shown)]
    if shown < len(models.intercept):
        lines.append(f"… {len(models.intercept) - shown} more models")
    return "\n".join([head, "", *lines])
