"""Accuracies of Weka's IBk, on the tables both have.

The figures are means of ten repeated 10-fold cross-validations of Weka 3.9.6 (`weka.classifiers.lazy.IBk` with
`-K 1`, `-K 3`, `-K 5`, `-K 5 -I`, `-K 5 -F`; percent right, or the root of the mean squared error for cpu). They leave
noise of two kinds: which rows fall into which fold, and details IBk has of its own (each row asked about widens the
ranges, and one missing number is as far as the other could be from it, not at 1).
"""

from __future__ import annotations

import numpy as np
import pytest

from learnt import KNeighborsClassifier, KNeighborsRegressor, datasets

# table: (figures for -K 1, -K 3, -K 5, -K 5 -I, -K 5 -F), and how far ours may be from them
IBK = {
    "iris": ((95.40, 95.20, 95.73, 95.60, 95.73), 1.0),
    "glass": ((69.95, 70.00, 66.03, 71.26, 68.74), 2.5),
    "labor": ((84.21, 92.81, 87.54, 87.54, 87.54), 4.5),  # 57 rows, a third of their cells missing: a row is 1.75
    "vote": ((92.57, 93.08, 93.17, 93.08, 93.08), 1.0),
    "breast_cancer": ((72.83, 73.11, 73.99, 73.85, 74.48), 1.5),
    "cpu": ((62.57, 77.18, 84.77, 67.90, 80.83), 4.0),
}


def similarity(n_columns: int):
    """IBk's -F: one less the distance, which it divides by the root of the number of columns."""
    return lambda d: np.maximum(1 - d / np.sqrt(n_columns), 0)


def cross_validated(table, cls, repeats: int = 4, **settings) -> float:
    column, features = table[table.target], table.drop(table.target)
    y = column.values if column.kind == "numeric" else np.array(column.labels())
    scores = []
    for seed in range(repeats):
        order = np.random.default_rng(seed).permutation(len(y))
        if column.kind != "numeric":  # classes dealt out evenly
            order = order[np.argsort(column.values[order], kind="stable")]
        fold = np.empty(len(y), int)
        fold[order] = np.arange(len(y)) % 10
        answers = np.empty_like(y)
        for f in range(10):
            train, test = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
            answers[test] = cls(**settings).fit(features.take(train), y[train]).predict(features.take(test))
        right = 100 * np.mean(answers == y) if column.kind != "numeric" else np.sqrt(np.mean((answers - y) ** 2))
        scores.append(float(right))
    return float(np.mean(scores))


@pytest.mark.parametrize("name", IBK)
def test_accuracy_is_that_of_ibk(name):
    table = datasets.load(name)
    cls = KNeighborsRegressor if name == "cpu" else KNeighborsClassifier
    variants = [(1, "uniform"), (3, "uniform"), (5, "uniform"), (5, "distance"), (5, similarity(table.n_columns - 1))]
    figures, tolerance = IBK[name]
    for (k, weights), figure in zip(variants, figures, strict=True):
        found = cross_validated(table, cls, n_neighbors=k, weights=weights)
        assert found == pytest.approx(figure, abs=tolerance), (k, weights)


def test_ties_matter_where_columns_are_nominal():
    """Rows as near as the nearest are often many; whichever comes first is a worse guide than all of them."""
    table = datasets.load("breast_cancer")
    every, first = (cross_validated(table, KNeighborsClassifier, n_neighbors=1, ties=t) for t in ("all", "first"))
    assert every > first + 4
