"""Ensembles that take members by themselves take the same ones here, but small: a few trees show as much."""

import pytest
from tests.conformance.subject import FEW, MEMBERS

from learnt.ensemble.stacking import learners as stacking
from learnt.ensemble.voting import defaults
from learnt.ensemble.voting import learners as voting


def smaller(members):
    for name, learner in members:
        if name not in ("logistic", "ridge"):
            learner.set_params(**{key: FEW for key in MEMBERS if key in learner.get_params()})
    return members


@pytest.fixture(autouse=True)
def few_members(monkeypatch):
    for module in (voting, stacking):
        monkeypatch.setattr(module, "default_classifiers", lambda schema: smaller(defaults.default_classifiers(schema)))
        monkeypatch.setattr(
            module, "default_regressors", lambda rows, schema: smaller(defaults.default_regressors(rows, schema))
        )
