"""TAN against Weka's BayesNet: the shape of the tree, probabilities, and the log-likelihood Weka prints."""

import json
from pathlib import Path

import numpy as np
import pytest

from learnt import BayesNetClassifier, Table, datasets
from learnt.data.table import Column

REFERENCE = json.loads((Path(__file__).parent / "bayes_net.json").read_text(encoding="utf-8"))["sets"]


def loaded(name):
    """The table with missing cells filled by the most frequent label, as Weka does, and its classes."""
    table = datasets.load(name)
    columns = []
    for column in table.columns:
        weight = np.bincount(column.values[column.values >= 0], minlength=len(column.categories))
        filled = np.where(column.values < 0, weight.argmax(), column.values).astype(np.int32)
        columns.append(Column.like(column, filled))
    target = table.target
    table = Table.of_columns(columns)
    return table.drop(target), np.array([str(v) for v in table[target].labels()]), target


def ours(parents, target):
    return {x: ["class" if p == target else p for p in some] for x, some in parents.items() if x != target}


@pytest.mark.parametrize("name", REFERENCE)
def test_the_tree_is_wekas(name):
    table, y, target = loaded(name)
    model = BayesNetClassifier("tan").fit(table, y)
    found = {frozenset(edge) for edge in model.structure_.edges if "class" not in edge}
    given = ours(REFERENCE[name]["parents"], target)
    assert found == {frozenset((p, x)) for x, some in given.items() for p in some if p != "class"}


@pytest.mark.parametrize("name", REFERENCE)
def test_probabilities_and_the_log_likelihood_are_wekas(name):
    """Weka weighs the logarithms by smoothed counts: Σ (N + α)·log P. Its probabilities have three digits."""
    table, y, target = loaded(name)
    reference = REFERENCE[name]
    model = BayesNetClassifier(ours(reference["parents"], target), alpha=0.5).fit(table, y)
    order = [model.classes_.tolist().index(c) for c in reference["classes"]]
    first = np.array(reference["first_rows"])
    np.testing.assert_allclose(model.predict_proba(table)[: len(first), order], first, atol=5.01e-4)
    codes = {c.name: c.values for c in table.columns} | {"class": np.searchsorted(model.classes_, y)}
    total = 0.0
    for node, logs in model.log_tables_.items():
        axes = [p for p in model.structure_.parents[node] if p != "class"]
        axes += [node] if node == "class" else [node, "class"]
        counts = np.full(logs.shape, 0.5)
        np.add.at(counts, tuple(codes[a] for a in axes), 1)
        total += float((counts * logs).sum())
    assert total == pytest.approx(reference["entropy"], rel=1e-12)
