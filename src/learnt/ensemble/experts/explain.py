"""Why a mixture of experts answered what it did: the experts' own parts, each by how far the gate trusts it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.data.table import Table
from learnt.ensemble.weighed_members import Weighed, explain_mean_class, explain_mean_number, mean_class_parts
from learnt.explain import Explanation, Explanations
from learnt.explain.class_parts import ClassParts
from learnt.show.numbers import number

if TYPE_CHECKING:
    from learnt.ensemble.experts.base import Experts
    from learnt.ensemble.experts.learners import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor

#: An expert trusted less than this is not named.
LEAST_TOLD = 0.005


def explain_classes(model: MixtureOfExpertsClassifier, table: Table) -> Explanations:
    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        weighed = _weighed(model, row)
        return explain_mean_class(weighed, row, model.classes_, model._probabilities(row)[0], _words(weighed))

    return Explanations(table.n_rows, explain_row)


def explain_numbers(model: MixtureOfExpertsRegressor, table: Table) -> Explanations:
    def explain_row(i: int) -> Explanation:
        row = table.rows(i, i + 1)
        weighed = _weighed(model, row)
        return explain_mean_number(weighed, row, float(model._predict(row)[0]), _words(weighed))

    return Explanations(table.n_rows, explain_row)


def mixed_class_parts(model: MixtureOfExpertsClassifier, row: Table) -> ClassParts | None:
    """What each column adds for every class, the gate's shares as they are; None where an expert does not tell."""
    found, others = mean_class_parts(_weighed(model, row), row, model.classes_)
    return None if others else found


def _weighed(model: Experts, row: Table) -> Weighed:
    shares = model._gate_shares(row)[0].tolist()
    return [(f"expert {k}", member, shares[k]) for k, member in enumerate(model.estimators_)]


def _words(weighed: Weighed) -> str:
    told = sorted((item for item in weighed if item[2] >= LEAST_TOLD), key=lambda item: -item[2])
    return "the gate trusts " + ", ".join(f"{name} by {number(round(w, 3))}" for name, _, w in told)
