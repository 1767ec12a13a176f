"""Weighted means of members, explained as the weighted sums of what each explains."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import learnt
from learnt.ensemble.weighed_members import (
    explain_mean_class,
    explain_mean_number,
    mean_class_parts,
    others_of,
    vote_line,
)
from learnt.learner.foreign import adopted

RNG = np.random.default_rng(0)
TABLE = learnt.Table({"a": RNG.normal(size=60), "b": RNG.choice(list("uvw"), 60)})
CODES = np.where(np.nan_to_num(TABLE["a"].values) > 0, "yes", "no")
NUMBERS = TABLE["a"].values * 2 + RNG.normal(size=60)
ROW = TABLE.rows(3, 4)


def test_parts_of_a_mean_are_means_of_parts():
    members = [learnt.LogisticRegression().fit(TABLE, CODES), learnt.NaiveBayesClassifier().fit(TABLE, CODES)]
    weighed = [("one", members[0], 0.25), ("two", members[1], 0.75), ("none", members[1], 0.0)]
    found, lines = mean_class_parts(weighed, ROW, members[0].classes_)
    assert not lines
    mean = 0.25 * members[0].predict_proba(ROW)[0] + 0.75 * members[1].predict_proba(ROW)[0]
    np.testing.assert_allclose(found.total, mean)
    alone, _ = mean_class_parts([("one", members[0], 1.0)], ROW, members[0].classes_)
    other, _ = mean_class_parts([("two", members[1], 1.0)], ROW, members[0].classes_)
    np.testing.assert_allclose(found.parts, 0.25 * alone.parts + 0.75 * other.parts)
    told = explain_mean_class(weighed, ROW, members[0].classes_, mean, "both agree")
    assert told.add_up() == pytest.approx(mean.max())


def test_who_does_not_tell_of_columns_has_a_line():
    table = learnt.Table({"a": TABLE["a"].values})
    shell = adopted(KNeighborsClassifier(3))
    model = learnt.VotingClassifier([("near", shell.estimator)]).fit(table, CODES)
    weighed = [("near", model.estimators_[0], 1.0)]
    found, lines = mean_class_parts(weighed, table.rows(0, 1), model.classes_)
    assert found is None
    assert lines[0][0] == "near"
    line = vote_line("near", np.array([0.25, 0.75]), 1, 0.5, ["no", "yes"])
    assert (line.column, line.value, line.contribution) == ("member near", "yes", 0.375)


def test_numbers_add_up_and_others_come_likeliest_first():
    members = [learnt.Ridge().fit(TABLE, NUMBERS), learnt.DecisionTreeRegressor(max_depth=3).fit(TABLE, NUMBERS)]
    total = 0.4 * members[0].predict(ROW)[0] + 0.6 * members[1].predict(ROW)[0]
    weighed = [("ridge", members[0], 0.4), ("tree", members[1], 0.6)]
    told = explain_mean_number(weighed, ROW, float(total), "two members")
    assert told.add_up() == pytest.approx(total)
    assert others_of(np.array([0.2, 0.5, 0.3]), 1) == [2, 0]
