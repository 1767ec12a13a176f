"""SVC, SVR and OneClassSVM against R's e1071 and Weka's SMO: the same machines on tables with labels and gaps."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from learnt import SVC, SVR, OneClassSVM, datasets

HERE = Path(__file__).resolve().parent
REFERENCE = json.loads((HERE / "machines.json").read_text(encoding="utf-8"))["sets"]
KERNELS = {"linear": "linear", "radial": "rbf", "polynomial": "polynomial"}
SETTINGS = {"C": 0.5, "gamma": 0.25, "coef0": 1.0, "degree": 2, "tol": 1e-9}
EVERY = 13
CASES = [(name, machine) for name, found in REFERENCE.items() for machine in found if "one-class" not in machine]


def fitted(name, kernel):
    """The machine, its table without the target, and its scores by pair, above 0 for the first class."""
    table = datasets.load(name)
    features = table.drop(table.target)
    if name == "cpu":
        model = SVR(kernel=kernel, epsilon=0.1, **SETTINGS).fit(table, table.target)
        y = np.asarray(table[table.target].values, dtype=float)
        return model, features, ((model.predict(features) - y.mean()) / y.std())[:, None]
    model = SVC(kernel=kernel, probability=False, **SETTINGS).fit(table, table.target)
    if len(model.classes_) == 2:
        return model, features, -model.decision_function(features)[:, None]
    return model, features, model.decision_function(features, shape="ovo")


def by_sorted_pairs(model, scores):
    """Pairs of classes in the order of their names, and the scores in it."""
    if not hasattr(model, "classes_"):
        return [0], scores
    labels = model.classes_.tolist()
    mine = list(combinations(range(len(labels)), 2))
    order, columns = [], []
    for a, b in combinations(np.argsort(labels).tolist(), 2):
        order.append(mine.index((min(a, b), max(a, b))))
        columns.append(scores[:, order[-1]] * (1 if a < b else -1))
    return order, np.column_stack(columns)


# Both keep kernel values in single precision or end a little early: 1e-4 of a score allows for that.
@pytest.mark.parametrize(("name", "machine"), CASES)
def test_the_same_machine(name, machine):
    reference, kernel = REFERENCE[name][machine], KERNELS[machine.split()[1]]
    model, features, scores = fitted(name, kernel)
    order, scores = by_sorted_pairs(model, scores)
    for m, theirs in enumerate(reference["scores"]):
        beta = np.abs(model.dual_coef_[order[m]])
        if name != "cpu" and not ((beta > 1e-9) & (beta < 0.5 - 1e-9)).any():
            continue  # every coefficient is at its bound: a range of intercepts is optimal
        np.testing.assert_allclose(scores[::EVERY, m], theirs, atol=1e-4)
    if "answers" in reference:
        labels = sorted(model.classes_.tolist())
        answers = np.array([labels.index(label) for label in model.predict(features).tolist()])
        theirs = np.array([int(c, 36) for c in reference["answers"]])
        votes = np.zeros((len(answers), len(labels)))
        for m, (a, b) in enumerate(combinations(range(len(labels)), 2)):
            votes[:, a] += scores[:, m] > -1e-6  # a row on the border is of either
            votes[:, b] += scores[:, m] < 1e-6
        rows = np.flatnonzero(answers != theirs)  # only where two classes have as many votes
        assert (votes[rows, theirs[rows]] == votes[rows].max(axis=1)).all()
        assert len(rows) <= 0.02 * len(answers)
    if "objective" in reference:
        np.testing.assert_allclose(np.atleast_1d(model.objective_)[order], reference["objective"], rtol=1e-6)


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_the_same_border_around_the_bulk(name):
    table = datasets.load(name)
    model = OneClassSVM(nu=0.3, gamma=0.25, tol=1e-9).fit(table.drop(table.target))
    theirs = REFERENCE[name]["e1071 one-class"]["scores"][0]
    np.testing.assert_allclose(model.decision_function(table.drop(table.target))[::EVERY], theirs, atol=1e-5)
