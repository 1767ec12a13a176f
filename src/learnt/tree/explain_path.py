"""Why a tree answered what it did: the way from the root to the leaf, and what changed at each step.

With v_t the probability of the class (or the number) predicted at node t, the answer is

    v_leaf = v_root + Σ_{steps from t to its child c} (v_c − v_t)

A row whose cell is missing may go to several children; a step then counts by the part of the row that takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Evidence, Explanation, Explanations
from learnt.show.numbers import number
from learnt.tree.arrays import TreeArrays
from learnt.tree.reach import shares_of, ways_of
from learnt.tree.show.conditions import branch_condition


@dataclass(frozen=True, slots=True)
class Step:
    """One test on the way: from node `above` to its child `node`, taken by `part` of the row."""

    above: int
    node: int
    number: int  # of the step on its way, from 1
    part: float


def steps_of(tree: TreeArrays, row: Table) -> list[Step]:
    """The steps of a table's only row, in the order of the nodes."""
    way = ways_of(tree, row)
    part = np.bincount(way.leaf, way.weight, tree.node_count)
    parents, depths = tree.parents(), tree.depths()
    nodes = [i for i in np.unique(way.leaf).tolist() if parents[i] >= 0]
    return [Step(int(parents[i]), i, int(depths[i]), float(part[i])) for i in nodes]


def explain_classes(
    tree: TreeArrays,
    table: Table,
    shares: Array,
    decide: Callable[[Array], Array],
    labels: list[Any],
    shown: TreeArrays,
) -> Explanations:
    """`shares` are the class probabilities at each node, `decide` turns those of rows into answers; `shown` has the
    thresholds as they are written."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        total = shares_of(tree, row, shares)
        c = int(decide(total)[0])
        others = [a for a in np.argsort(-total[0], kind="stable").tolist() if a != c]
        return Explanation(
            prediction=labels[c],
            kind="path",
            base=float(shares[0, c]),
            base_words="before any test",
            evidence=_evidence(tree, row, shares[:, c], shown),
            total=float(total[0, c]),
            total_words="probability",
            alternatives=tuple((labels[a], float(total[0, a])) for a in others),
        )

    return Explanations(table.n_rows, explain_row)


def explain_numbers(tree: TreeArrays, table: Table, shown: TreeArrays) -> Explanations:
    def explain_row(i: int) -> Explanation:
        row, value = table.rows(i, i + 1), tree.value
        total = float(shares_of(tree, row, value)[0, 0])
        evidence = _evidence(tree, row, value[:, 0], shown)
        return Explanation(total, "path", float(value[0, 0]), "before any test", evidence, total, "prediction")

    return Explanations(table.n_rows, explain_row)


def _evidence(tree: TreeArrays, row: Table, value: Array, shown: TreeArrays) -> tuple[Evidence, ...]:
    """One entry per column: the changes at its tests, added; in words one after another."""
    change: list[float] = [0.0] * row.n_columns
    words: list[list[str]] = [[] for _ in range(row.n_columns)]
    for step in steps_of(tree, row):
        j, before, after = int(tree.feature[step.above]), float(value[step.above]), float(value[step.node])
        change[j] += step.part * (after - before)
        words[j].append(words_of_step(shown, row, step, before, after))
    cells = [column.labels()[0] for column in row.columns]
    return tuple(
        Evidence(name, cell, change[j], "; ".join(words[j]))
        for j, (name, cell) in enumerate(zip(row.names, cells, strict=True))
    )


def words_of_step(tree: TreeArrays, row: Table, step: Step, before: float, after: float) -> str:
    """`step 2: ≤ 75, 0.36 → 0.6`."""
    branch = int(np.flatnonzero(tree.children_of(step.above) == step.node)[0])
    test = branch_condition(tree, step.above, branch, row.schema).short()
    part = "" if step.part > 1 - 1e-12 else f" for {number(step.part)} of the row"
    return f"step {step.number}: {test}{part}, {number(before)} → {number(after)}"
