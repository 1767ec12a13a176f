"""Why a sum of regressors came out as it did: the members' own sums, added by column; others round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array, Table
from learnt.ensemble.boosting.explain import explain_leads as explain_tree_leads
from learnt.ensemble.boosting.explain import explain_numbers as explain_tree_numbers
from learnt.ensemble.boosting.explain import score_parts
from learnt.ensemble.leads import Line, explain_lead, line_evidence
from learnt.ensemble.voting.parts import number_parts_of
from learnt.explain import Explanation, Explanations
from learnt.explain.class_parts import ClassParts, two_sided
from learnt.explain.columns import column_evidence

if TYPE_CHECKING:
    from learnt.ensemble.additive.base import AdditiveSum
    from learnt.ensemble.additive.logit_boost import LogitBoostClassifier
    from learnt.ensemble.additive.regressor import AdditiveRegressor


def explain_numbers(model: AdditiveRegressor, table: Table) -> Explanations:
    if model._forest is not None:
        return explain_tree_numbers(model._forest, model._start(), table, "identity")

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        sums, lines = summed_parts(model, row)
        total = float(model._predict(row)[0])
        evidence = (*column_evidence(row, sums.parts[:, 0]), *(line_evidence(line, line[2][0]) for line in lines))
        return Explanation(total, "sum", float(sums.base[0]), "average", evidence, total, "prediction")

    return Explanations(table.n_rows, explain_row)


def explain_classes(model: LogitBoostClassifier, table: Table) -> Explanations:
    """The lead of the class answered over the runner-up, in log-odds."""
    labels = model.classes_.tolist()
    if model._forest is not None:
        return explain_tree_leads(model._forest, model._start(), table, labels)

    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        sums, lines = class_sums(model, row)
        return explain_lead(row, labels, int(model._probabilities(row)[0].argmax()), sums, lines)

    return Explanations(table.n_rows, explain_row)


def class_parts(model: LogitBoostClassifier, row: Table) -> ClassParts | None:
    """What each column adds to the score of every class; None where a member does not tell."""
    if model._forest is not None:
        return score_parts(model._forest, model._start(), row, len(model.classes_))
    sums, lines = class_sums(model, row)
    return None if lines else sums


def class_sums(model: LogitBoostClassifier, row: Table) -> tuple[ClassParts, list[Line]]:
    """The scores of all classes by column, and what members add that do not tell of columns."""
    sums, lines = summed_parts(model, row)
    if len(model.classes_) != 2:
        return sums, lines
    return two_sided(sums), [(name, said, np.append(0.0, part)) for name, said, part in lines]


def summed_parts(model: AdditiveSum, row: Table) -> tuple[ClassParts, list[Line]]:
    """The same of the scores there are: of two classes one."""
    k, scale = model._n_scores(), model._scale()
    base, parts, lines = model._start(), np.zeros((row.n_columns, k)), list[Line]()
    for place, member in enumerate(model.estimators_):
        said, c = float(member.predict(row)[0]), place % k
        told = number_parts_of(member, row, said)
        if told is None:
            lines.append((_name(place, k), said, scale * said * _unit(c, k)))
        else:
            base = base + scale * told[0] * _unit(c, k)
            parts[:, c] += scale * told[1]
    return ClassParts(base, parts, "score"), lines


def _unit(c: int, k: int) -> Array:
    unit: Array = np.eye(k)[c]
    return unit


def _name(place: int, k: int) -> str:
    return f"of round {place // k}" + (f", score {place % k}" if k > 1 else "")
