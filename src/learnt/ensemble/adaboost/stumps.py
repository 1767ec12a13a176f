"""Stumps for boosting: columns sorted once, a stump a round, all of them asked in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array, Table
from learnt.ensemble.trees.forest import Forest
from learnt.tree import CRITERIA, DecisionStumpClassifier, TreeArrays, least_weight, n_categories


def is_plain_stump(estimator: Any) -> bool:
    """Whether the fast rounds find what this learner would: a stump whose rows go one way each."""
    return (
        type(estimator) is DecisionStumpClassifier
        and estimator.missing in ("learned", "majority")
        and estimator.smoothing is None
    )


class StumpSource:
    """The stump that `DecisionStumpClassifier` grows from ever new weights of the same rows."""

    def __init__(self, stump: DecisionStumpClassifier, table: Table, target: Array, total: float, n_classes: int):
        self._side = np.empty(table.n_rows, dtype=np.uint8)
        self._rounds = _core.StumpRounds(
            [column.values for column in table.columns],
            n_categories(table.schema),
            np.ascontiguousarray(target, dtype=np.int32),
            n_classes,
            CRITERIA.get(stump.criterion, stump.criterion),
            stump.missing,
            least_weight(stump.min_samples_leaf, total, free=1),
        )

    def next(self, weights: Array, number: int) -> tuple[TreeArrays, Array]:
        """The stump of these weights, and what it answers."""
        tree = TreeArrays.grown(self._rounds.next(weights, self._side))
        answers = leaf_classes(tree.value[1:] if tree.node_count > 1 else tree.value)
        return tree, answers[self._side]


def leaf_classes(value: Array) -> Array:
    """The class of each leaf, of equally heavy ones the first."""
    best: Array = value.argmax(axis=1).astype(np.int32)
    return best


def stump_classes(forest: Forest) -> Array:
    """What each stump answers, stumps × 2: on the left and on the right; twice the same without a test."""
    roots = forest.tree_start[:-1]
    tested = forest.right[roots] >= 0
    left = np.where(tested, roots + 1, roots)
    right = np.where(tested, roots + forest.right[roots], roots)
    return np.column_stack([leaf_classes(forest.value[left]), leaf_classes(forest.value[right])])


def add_stump_votes(forest: Forest, table: Table, answer: Array, amount: Array, out: Array) -> None:
    """out[row, answer[t, side]] += amount[t, side] for every stump t, by the side each row goes to.

    `answer` and `amount` are stumps × 2. Stumps without a test count their left side.
    """
    roots = forest.tree_start[:-1]
    tested = forest.right[roots] >= 0
    for t in np.flatnonzero(~tested).tolist():
        out[:, answer[t, 0]] += amount[t, 0]
    roots, answer, amount = roots[tested], answer[tested], amount[tested]
    start, n_routes, routes = _routes(forest, np.flatnonzero(tested), table)
    fields: dict[str, Any] = {
        "feature": np.ascontiguousarray(forest.feature[roots]),
        "threshold": np.ascontiguousarray(forest.threshold[roots]),
        "missing": np.ascontiguousarray(forest.missing[roots]),
        "start": start,
        "n_routes": n_routes,
        "routes": routes,
        "answer": np.ascontiguousarray(answer, dtype=np.int32),
        "amount": np.ascontiguousarray(amount, dtype=np.float64),
        "out": out,
    }
    if table.matrix is not None:
        _core.add_stump_votes(**fields, x=table.matrix)
    else:
        columns = [column.values for column in table.columns]
        _core.add_stump_votes(**fields, x=columns, n_categories=n_categories(table.schema))


def _routes(forest: Forest, trees: Array, table: Table) -> tuple[Array, Array, Array]:
    """Where the side of each category begins, how many there are, and the sides, of all nominal tests."""
    start, count = np.full(len(trees), -1, dtype=np.int64), np.zeros(len(trees), dtype=np.int32)
    parts, categories, end = [np.empty(0, dtype=np.uint8)], n_categories(table.schema), 0
    for place, t in enumerate(trees.tolist()):
        root = forest.tree_start[t]
        if forest.route_start[root] < 0:
            continue
        sides = forest[t].routes_of(0, int(categories[forest.feature[root]]))
        parts.append(np.where(sides < 0, forest.missing[root], sides).astype(np.uint8))
        start[place], count[place] = end, len(sides)
        end += len(sides)
    return start, count, np.concatenate(parts)
