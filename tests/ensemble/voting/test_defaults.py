"""The learners that vote unless others are given."""

import numpy as np

from learnt import LogisticRegression, VotingClassifier, VotingRegressor
from learnt.data.table import Table
from learnt.ensemble.voting.defaults import MOST_DECOMPOSED, default_classifiers, default_regressors
from learnt.learner.base import Classifier, Regressor


def schema_of(columns, rows=3):
    return Table(np.zeros((rows, columns))).schema


def test_each_is_of_another_kind_and_new():
    found = default_classifiers(schema_of(2))
    assert all(isinstance(learner, Classifier) for _, learner in found)
    assert len({type(learner) for _, learner in found}) == len({name for name, _ in found}) == len(found) == 4
    assert all(a is not b for (_, a), (_, b) in zip(found, default_classifiers(schema_of(2)), strict=True))
    assert all(isinstance(learner, Regressor) for _, learner in default_regressors(10, schema_of(2)))


def test_the_penalty_is_chosen_where_rows_or_columns_are_few():
    wide, narrow = schema_of(MOST_DECOMPOSED + 1), schema_of(3)
    penalty = lambda n, schema: dict(default_regressors(n, schema))["ridge"].alpha  # noqa: E731
    assert penalty(10**6, narrow) == penalty(None, narrow) == penalty(MOST_DECOMPOSED, wide) == "loo"
    assert penalty(MOST_DECOMPOSED + 1, wide) == penalty(None, wide) != "loo"
    many = Table({"label": [f"c{i}" for i in range(MOST_DECOMPOSED + 1)]}).schema  # an indicator for each category
    assert penalty(None, many) != "loo"


def test_columns_are_scaled_where_they_have_units():
    labels = Table({"label": ["u", "v", "w"], "flag": [True, False, True]}).schema
    logistic = lambda schema: dict(default_classifiers(schema))["logistic"]  # noqa: E731
    assert logistic(schema_of(1)).standardize
    assert not logistic(labels).standardize
    y = ["no", "yes", "yes"] * 4
    rows = {"label": ["u", "v", "w"] * 4, "flag": [True, False, True, False] * 3}
    both = [LogisticRegression(standardize=s).fit(rows, y).predict_proba(rows) for s in (False, True)]
    np.testing.assert_array_equal(*both)  # it makes no difference


def test_they_are_what_votes_take():
    table, rng = {"x": np.arange(12.0)}, np.random.default_rng(0)
    named = [name for name, _ in default_classifiers(schema_of(1))]
    assert list(VotingClassifier().fit(table, ["a", "b"] * 6).names_) == named
    assert VotingRegressor().fit(table, rng.normal(size=12)).names_[-1] == "ridge"
