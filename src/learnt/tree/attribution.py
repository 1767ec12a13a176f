"""What each column adds to the answer of a tree: Shapley values, which do not depend on the order of the tests.

A test of a column that is not known is answered by training shares: the row goes all ways, by the weights of the
children. A column's part is the mean, over all orders in which the columns of the row could be made known, of what
knowing it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.explain import Explanation, Explanations
from learnt.explain.columns import column_evidence
from learnt.tree.arrays import TreeArrays
from learnt.tree.grow.exact import kernel_rows, walked_fields
from learnt.tree.reach import shares_of

AVERAGE = "average"


def contributions_of(tree: TreeArrays, table: Table, answers: Array) -> tuple[Array, Array]:
    """What each column adds, rows × columns × outputs, and what is answered without any, one per output.

    `answers` are the numbers of the nodes, nodes × outputs. Exact: path dependent TreeSHAP.
    """
    out = np.zeros((table.n_rows, table.n_columns * answers.shape[1]))
    expected = _add(tree, table, answers, out, pairs=False)
    return out.reshape(table.n_rows, table.n_columns, -1), expected


def interactions_of(tree: TreeArrays, table: Table, answers: Array) -> Array:
    """The contributions divided up, rows × columns × columns × outputs: what two columns add together, half on each
    side of the diagonal, and on it what a column adds by itself."""
    p = table.n_columns
    out = np.zeros((table.n_rows, p * p * answers.shape[1]))
    _add(tree, table, answers, out, pairs=True)
    found = out.reshape(table.n_rows, p, p, -1)
    each = np.arange(p)
    found[:, each, each] = contributions_of(tree, table, answers)[0] - found.sum(axis=2)
    return found


def _add(tree: TreeArrays, table: Table, answers: Array, out: Array, *, pairs: bool) -> Array:
    expected = np.zeros(answers.shape[1])
    fields = walked_fields(tree, table.schema) | {"value": np.ascontiguousarray(answers)}
    _core.add_tree_contributions(**fields, x=kernel_rows(table), pairs=pairs, out=out, expected=expected)
    return expected


def attribute_classes(
    tree: TreeArrays, table: Table, shares: Array, decide: Callable[[Array], Array], labels: list[Any]
) -> Explanations:
    """`shares` are the class probabilities at each node, `decide` turns those of rows into answers."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        total = shares_of(tree, row, shares)
        c = int(decide(total)[0])
        parts, expected = contributions_of(tree, row, shares[:, c : c + 1])
        others = [a for a in np.argsort(-total[0], kind="stable").tolist() if a != c]
        return Explanation(
            prediction=labels[c],
            kind="attribution",
            base=float(expected[0]),
            base_words=AVERAGE,
            evidence=column_evidence(row, parts[0, :, 0]),
            total=float(total[0, c]),
            total_words="probability",
            alternatives=tuple((labels[a], float(total[0, a])) for a in others),
        )

    return Explanations(table.n_rows, explain_row)


def attribute_numbers(tree: TreeArrays, table: Table) -> Explanations:
    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        total = float(shares_of(tree, row, tree.value)[0, 0])
        parts, expected = contributions_of(tree, row, tree.value)
        evidence = column_evidence(row, parts[0, :, 0])
        return Explanation(total, "sum", float(expected[0]), AVERAGE, evidence, total, "prediction")

    return Explanations(table.n_rows, explain_row)
