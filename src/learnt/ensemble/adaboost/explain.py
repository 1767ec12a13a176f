"""Why boosting answered what it did: the votes for the answer against those for the runner-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.explain import Evidence, Explanation, Explanations
from learnt.show.numbers import number
from learnt.tree import branch_condition

if TYPE_CHECKING:
    from learnt.ensemble.adaboost.classifier import AdaBoostClassifier

MOST_WORDS = 3  # tests of one column that are put into words


def explain_votes(model: AdaBoostClassifier, table: Table) -> Explanations:
    return Explanations(table.n_rows, lambda i: _explain_row(model, table.rows(i, i + 1)))


def _explain_row(model: AdaBoostClassifier, row: Table) -> Explanation:
    """The lead of the answer: every hypothesis adds its α, takes it away, or votes for neither."""
    labels, alpha = model.classes_.tolist(), model.estimator_weights_
    answers = np.array([codes[0] for codes in model._answers(row)])
    scores = np.atleast_1d(model._scores(row)[0])
    votes = np.bincount(answers, alpha, len(labels))
    best = int(scores[0] > 0) if len(labels) == 2 else int(scores.argmax())
    others = [c for c in np.argsort(-votes, kind="stable").tolist() if c != best]
    if not others:
        return Explanation(labels[0], "score", 0.0, "the only class", (), 0.0, "lead")
    lead = alpha * ((answers == best).astype(float) - (answers == others[0]))
    if model.forest_ is None:
        base, evidence = 0.0, _by_member(model, answers, lead, labels)
    else:
        base, evidence = _by_column(model, row, lead)
    return Explanation(
        prediction=labels[best],
        kind="score",
        base=base,
        base_words="votes without a question" if base else "",
        evidence=evidence,
        total=float(base + sum(e.contribution for e in evidence)),
        total_words=f"lead over {labels[others[0]]}",
        alternatives=tuple((labels[c], float(votes[c])) for c in others),
    )


def _by_member(model: Any, answers: Array, lead: Array, labels: list[Any]) -> tuple[Evidence, ...]:
    names = [getattr(h, "__name__", type(h).__name__) for h in model.estimators_]
    return tuple(
        Evidence(
            f"round {t}", labels[answers[t]], float(lead[t]), f"{name}, error {number(model.estimator_errors_[t])}"
        )
        for t, name in enumerate(names)
    )


def _by_column(model: Any, row: Table, lead: Array) -> tuple[float, tuple[Evidence, ...]]:
    """The votes of stumps, added by the column they ask about; those that ask nothing are the base."""
    forest = model.forest_
    feature = forest.feature[forest.tree_start[:-1]]
    cells = [column.labels()[0] for column in row.columns]
    sums = np.bincount(feature[feature >= 0], lead[feature >= 0], row.n_columns)
    evidence = tuple(
        Evidence(name, cells[j], float(sums[j]), _words(forest, row, np.flatnonzero(feature == j), lead))
        for j, name in enumerate(row.names)
    )
    return float(lead[feature < 0].sum()), evidence


def _words(forest: Any, row: Table, stumps: Array, lead: Array) -> str:
    """`≤ 3.5 +0.8; > 1 −0.2; 4 more`: the weightiest tests of a column."""
    by_size = stumps[np.argsort(-np.abs(lead[stumps]), kind="stable")].tolist()
    told = []
    for t in by_size[:MOST_WORDS]:
        tree = forest[t]
        branch = int(forest.leaves(row, t, t + 1)[0, 0] == tree.children_of(0)[1])
        told.append(f"{branch_condition(tree, 0, branch, row.schema).short()} {lead[t]:+.3g}".replace("-", "−"))
    rest = len(by_size) - len(told)
    return "; ".join(told + ([f"{rest} more"] if rest else []))
