"""Why a model tree answered what it did: the way to the leaf, then the terms of its linear model.

With v_t the mean prediction of the training rows at node t, x̄ the mean of the leaf's rows and b its coefficients,

    prediction = v_root + Σ_{steps from t to its child c} (v_c − v_t) + Σ_j b_j (x_j − x̄_j)
"""

from __future__ import annotations

import numpy as np

from learnt.data.table import Table
from learnt.explain import Evidence, Explanation, Explanations
from learnt.show.numbers import number, signed
from learnt.tree.arrays import TreeArrays
from learnt.tree.explain_path import steps_of, words_of_step
from learnt.tree.model_tree.leaf_models import LeafModels
from learnt.tree.model_tree.ranked_cells import RankedCells
from learnt.tree.model_tree.term_words import reached_categories
from learnt.tree.reach import leaves_of


def explain_models(
    tree: TreeArrays, table: Table, shown: TreeArrays, cells: RankedCells, models: LeafModels
) -> Explanations:
    """`shown` has the thresholds as they are written."""
    leaf_number = np.cumsum(tree.is_leaf) - 1

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        numbers = cells.numbers(row, filled=True)
        m = int(leaf_number[leaves_of(tree, row)[0]])
        total = float(models.predict(numbers, np.array([m]))[0])
        value = tree.value[:, 0]
        change, words = [0.0] * row.n_columns, [list[str]() for _ in range(row.n_columns)]
        for step in steps_of(tree, row):
            j, before, after = int(tree.feature[step.above]), float(value[step.above]), float(value[step.node])
            change[j] += after - before
            words[j].append(words_of_step(shown, row, step, before, after))
        for t in range(models.start[m], models.start[m + 1]):
            j, rank, b, center = int(models.column[t]), int(models.rank[t]), models.coef[t], models.center[t]
            x = float(numbers[j, 0] >= rank) if rank else float(numbers[j, 0])
            change[j] += float(b * (x - center))
            what = f"[{reached_categories(cells, j, rank)}]: " if rank else ""
            words[j].append(f"LM{m + 1}: {what}{number(b)} × {signed(x - center, max(abs(x), abs(center)))}")
        shown_cells = [column.labels()[0] for column in row.columns]
        evidence = tuple(
            Evidence(name, cell, change[j], "; ".join(words[j]))
            for j, (name, cell) in enumerate(zip(row.names, shown_cells, strict=True))
        )
        return Explanation(total, "path", float(value[0]), "before any test", evidence, total, "prediction")

    return Explanations(table.n_rows, explain_row)
