"""Why a bag answered what it did: the mean of its members' own arithmetic, or their votes one by one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.members import selected_columns
from learnt.explain import Evidence, Explanation, Explanations
from learnt.show.numbers import number
from learnt.show.words import label
from learnt.tree import TreeClassifier, class_shares, steps_of

if TYPE_CHECKING:
    from learnt.ensemble.bagging.learners import BaggingRegressor, VotingBag


def explain_bag_of_regressors(model: BaggingRegressor, table: Table) -> Explanations:
    """The mean of the members' sums is the sum of their means."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        own = [member.explain(part)[0] for member, part in _members_and_cells(model, row)]
        sums = dict.fromkeys(row.names, 0.0)
        for e in (e for explanation in own for e in explanation.evidence):
            sums[e.column] += e.contribution / len(own)
        base = float(np.mean([e.base for e in own]))
        total = float(model._mean_answer(row)[0])
        spread = f"{len(own)} members from {number(min(e.total for e in own))} to {number(max(e.total for e in own))}"
        return Explanation(total, "sum", base, f"mean start of {spread}", _evidence(row, sums), total, "prediction")

    return Explanations(table.n_rows, explain_row)


def explain_bag_of_classifiers(model: VotingBag, table: Table) -> Explanations:
    """Trees that vote by probability: the mean of what each test changes. Others: their votes."""
    trees = model.vote == "soft" and all(isinstance(m, TreeClassifier) and m.loss is None for m in model.estimators_)

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        shares = model._mean_answer(row)[0]
        labels, c = model.classes_.tolist(), int(shares.argmax())
        others = [a for a in np.argsort(-shares, kind="stable").tolist() if a != c]
        votes = _votes(model, row)
        base, evidence = _path_means(model, row, labels[c]) if trees else (0.0, _by_member(model, votes, c))
        return Explanation(
            prediction=labels[c],
            kind="path" if trees else "votes",
            base=base,
            base_words=f"before any test; {_agreement_words(votes, c)}" if trees else "",
            evidence=evidence,
            total=float(shares[c]),
            total_words="probability" if model.vote == "soft" else "share of the votes",
            alternatives=tuple((labels[a], float(shares[a])) for a in others),
        )

    return Explanations(table.n_rows, explain_row)


def _members_and_cells(model: Any, row: Table) -> Iterable[tuple[Any, Table]]:
    for member, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        yield member, selected_columns(row, columns)


def _evidence(row: Table, sums: dict[str, float]) -> tuple[Evidence, ...]:
    cells = [column.labels()[0] for column in row.columns]
    return tuple(Evidence(name, cell, sums[name]) for name, cell in zip(row.names, cells, strict=True))


def _path_means(model: Any, row: Table, answer: Any) -> tuple[float, tuple[Evidence, ...]]:
    """Where trees start from on average, and what the tests of each column add on average."""
    names, base = row.names, 0.0
    sums = dict.fromkeys(names, 0.0)
    for (member, part), columns in zip(_members_and_cells(model, row), model.estimators_features_, strict=True):
        if answer not in member.classes_.tolist():
            continue  # it gives the class nothing, before and after all tests
        tree = member.tree_
        value = class_shares(tree, member.smoothing)[:, member.classes_.tolist().index(answer)]
        base += float(value[0]) / len(model.estimators_)
        for step in steps_of(tree, part):
            change = step.part * float(value[step.node] - value[step.above])
            sums[names[columns[tree.feature[step.above]]]] += change / len(model.estimators_)
    return base, _evidence(row, sums)


def _votes(model: Any, row: Table) -> Array:
    """What each member says of the row, members × classes."""
    return np.array([model._answer(member, part)[0] for member, part in _members_and_cells(model, row)])


def _agreement_words(votes: Array, c: int) -> str:
    return f"{int((votes.argmax(axis=1) == c).sum())} of {len(votes)} members agree"


def _by_member(model: Any, votes: Array, c: int) -> tuple[Evidence, ...]:
    labels = model.classes_.tolist()
    answers = [labels[a] for a in votes.argmax(axis=1).tolist()]
    return tuple(
        Evidence(
            f"member {m}", answers[m], float(votes[m, c]) / len(votes), f"{label(labels[c])}: {number(votes[m, c])}"
        )
        for m in range(len(votes))
    )
