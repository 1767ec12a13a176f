"""Why a stack answered what it did: the terms of its final sum, each member's taken on to the columns of the table.

A final score is b₀ + Σ_m b_m·p_m, and what a member says is p_m = base_m + Σ_j part_mj over the columns of the row. So
the score is a sum over columns too, the part of column j being Σ_m b_m·part_mj.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.leads import Line, explain_lead, line_evidence
from learnt.ensemble.members import aligned_probabilities
from learnt.ensemble.stacking.contributions import answer_slopes
from learnt.ensemble.stacking.pool import LogarithmicPool
from learnt.ensemble.voting.parts import class_parts_of, number_parts_of
from learnt.explain import Explanation, Explanations
from learnt.explain.class_parts import ClassParts, two_sided
from learnt.explain.columns import column_evidence
from learnt.linear import LinearClassifier, LinearRegressor

if TYPE_CHECKING:
    from learnt.ensemble.stacking.learners import StackingClassifier, StackingRegressor


def explain_classes(model: StackingClassifier, table: Table) -> Explanations:
    """The lead of the class answered over the runner-up, in log-odds; that of a final learner which is not linear as
    it tells it itself, of the members' answers."""

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        asked, labels = model._asked(row), model.classes_.tolist()
        found = final_scores(model, row, asked)
        if found is None:
            told: Explanation = model.final_estimator_.explain(asked)[0]
            return told
        sums, lines = found
        return explain_lead(row, labels, int(model._probabilities(row)[0].argmax()), sums, lines)

    return Explanations(table.n_rows, explain_row)


def explain_numbers(model: StackingRegressor, table: Table) -> Explanations:
    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        asked = model._asked(row)
        found = final_scores(model, row, asked)
        if found is None:
            told: Explanation = model.final_estimator_.explain(asked)[0]
            return told
        sums, lines = found
        total = float(model._predict(row)[0])
        evidence = (*column_evidence(row, sums.parts[:, 0]), *(line_evidence(line, line[2][0]) for line in lines))
        return Explanation(total, "sum", float(sums.base[0]), "average", evidence, total, "prediction")

    return Explanations(table.n_rows, explain_row)


def final_scores(model: Any, row: Table, asked: Table) -> tuple[ClassParts, list[Line]] | None:
    """The final scores by column, and what members add that do not tell of columns; None of a final learner that is
    not linear."""
    final, places = model.final_estimator_, model._places()
    if isinstance(final, LogarithmicPool):
        return pool_scores(model, final, row, asked)
    if not isinstance(final, LinearClassifier | LinearRegressor) or not _adds_log_odds(final):
        return None
    width = sum(map(len, places.values()))
    slopes, terms = answer_slopes(final, width), final._parts(asked)
    scores = np.reshape(final._scores(asked), -1)
    parts, lines = np.zeros((row.n_columns, len(scores))), list[Line]()
    for (name, here), member in zip(places.items(), model.estimators_, strict=True):
        own = _parts_of_answers(model, member, row)
        if own is None:
            lines.append((name, member.predict(row)[0], terms[:, here].sum(axis=1)))
        else:
            parts += own @ slopes[:, here].T
    if model._passes_columns(width):
        parts += terms[:, width:].T
    rest = sum((part for _, _, part in lines), start=np.zeros(len(scores)))
    found = ClassParts(scores - parts.sum(axis=0) - rest, parts, "score")
    if len(scores) == 1 and len(getattr(model, "classes_", ())) == 2:
        return two_sided(found), [(name, said, np.append(0.0, part)) for name, said, part in lines]
    return found, lines


def pool_scores(model: Any, pool: LogarithmicPool, row: Table, asked: Table) -> tuple[ClassParts, list[Line]]:
    """The same of a pool, whose terms are logarithms: a column has the share of a member's term that it has of the way
    from the member's base to what the member says."""
    scores, terms = pool.scores(asked)[0], pool.terms(asked)[0]
    parts, lines = np.zeros((row.n_columns, len(scores))), list[Line]()
    for m, (name, member) in enumerate(zip(model.names_, model.estimators_, strict=True)):
        said = aligned_probabilities(member, row, model.classes_)[0]
        own = class_parts_of(member, row, said)
        if own is None:
            lines.append((name, member.predict(row)[0], terms[m] - pool.weights_[m] * pool.average_[m]))
        else:
            parts += pool.weights_[m] * pool.gradients(own.base, said) * own.parts
    rest = sum((part for _, _, part in lines), start=np.zeros(len(scores)))
    return ClassParts(scores - parts.sum(axis=0) - rest, parts, "score"), lines


def _adds_log_odds(final: Any) -> bool:
    return getattr(final, "_score_words", "log-odds") == "log-odds"


def _parts_of_answers(model: Any, member: Any, row: Table) -> Array | None:
    """What each column adds to the numbers that the final learner gets of a member, columns × numbers."""
    if not hasattr(model, "classes_"):
        told = number_parts_of(member, row, float(member.predict(row)[0]))
        return None if told is None else told[1][:, None]
    found = class_parts_of(member, row, np.asarray(member.predict_proba(row))[0])
    return None if found is None else found.parts[:, model._kept_classes()]
