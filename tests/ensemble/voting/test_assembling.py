"""A vote made of fitted members is the vote that fitting would have given."""

import numpy as np
from sklearn.naive_bayes import GaussianNB

import learnt
from learnt.ensemble.voting.assembling import vote_of_fitted
from learnt.evaluate.foreign import fresh

IRIS = learnt.datasets.iris()
ROWS = IRIS.drop(IRIS.target)


def test_it_says_what_a_fitted_vote_says():
    members = [("tree", learnt.DecisionTreeClassifier(max_depth=2)), ("bayes", learnt.NaiveBayesClassifier())]
    fitted = [(name, learnt.clone(m).fit(IRIS)) for name, m in members]
    made = vote_of_fitted(fitted, [1.0, 3.0], ROWS.schema, fresh)
    anew = learnt.VotingClassifier(members, weights=[1.0, 3.0]).fit(IRIS)
    np.testing.assert_array_equal(made.predict_proba(ROWS), anew.predict_proba(ROWS))
    assert made.estimators_[0] is fitted[0][1]
    assert made.names_ == anew.names_
    np.testing.assert_array_equal(made.weights_, [0.25, 0.75])


def test_members_of_another_make_stand_in_it_too():
    y = np.asarray(IRIS[IRIS.target].labels())
    peer = GaussianNB().fit(ROWS.to_pandas(), y)
    made = vote_of_fitted([("peer", peer)], [1.0], ROWS.schema, fresh)
    np.testing.assert_allclose(made.predict_proba(ROWS), peer.predict_proba(ROWS.to_pandas()))


def test_members_that_know_other_classes_or_columns_must_be_fitted():
    y = np.asarray(IRIS[IRIS.target].labels())
    two = learnt.NaiveBayesClassifier().fit(ROWS.take(np.arange(100)), y[:100])
    three = learnt.NaiveBayesClassifier().fit(ROWS, y)
    assert "estimators_" not in vote_of_fitted([("a", three), ("b", two)], [1.0, 1.0], ROWS.schema, fresh).__dict__
    narrow = learnt.NaiveBayesClassifier().fit(ROWS.select(list(ROWS.names)[:2]), y)
    assert "estimators_" not in vote_of_fitted([("a", narrow)], [1.0], ROWS.schema, fresh).__dict__
