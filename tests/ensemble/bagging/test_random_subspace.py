"""Random subspaces: every member is the learner on all rows of its columns."""

import numpy as np
import pytest

import learnt
from learnt import DecisionTreeClassifier, NaiveBayesClassifier, RandomSubspaceClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 8))
Y = np.where(X[:, :4].sum(axis=1) + 0.3 * RNG.normal(size=120) > 0, "up", "down")


@pytest.mark.parametrize("learner", [None, NaiveBayesClassifier()])
def test_probabilities_are_the_mean_of_learners_of_the_drawn_columns(learner):
    model = RandomSubspaceClassifier(learner, n_estimators=7, max_features=3).fit(X, Y)
    by_hand = []
    for columns in model.estimators_features_:
        own = DecisionTreeClassifier() if learner is None else learnt.clone(learner)
        assert len(set(columns.tolist())) == 3
        by_hand.append(own.fit(X[:, columns], Y).predict_proba(X[:, columns]))
    np.testing.assert_allclose(model.predict_proba(X), np.mean(by_hand, axis=0), atol=1e-12)


def test_each_column_is_drawn_about_as_often():
    model = RandomSubspaceClassifier(n_estimators=400, max_features=0.5).fit(X[:20], Y[:20])
    often = np.bincount(np.concatenate(model.estimators_features_), minlength=8)
    assert often.sum() == 1600
    assert np.abs(often - 200).max() < 5 * 10  # five standard deviations of a binomial of 400 draws and a half


def test_columns_with_the_same_cell_in_all_rows_are_not_drawn():
    wide = np.column_stack([X, np.full((120, 8), 0.1)])[:, np.random.default_rng(1).permutation(16)]
    varying = set(np.flatnonzero(wide.std(axis=0) > 1e-9).tolist())
    model = RandomSubspaceClassifier(n_estimators=9, max_features=0.5).fit(wide, Y)
    assert all(len(columns) == 4 and set(columns.tolist()) <= varying for columns in model.estimators_features_)
    alike = RandomSubspaceClassifier(n_estimators=2).fit(np.ones((6, 4)), list("aabbab"))
    assert [len(columns) for columns in alike.estimators_features_] == [2, 2]


def test_all_columns_and_all_rows_are_the_learner_itself():
    whole = RandomSubspaceClassifier(n_estimators=3, max_features=1.0).fit(X, Y)
    np.testing.assert_allclose(whole.predict_proba(X), DecisionTreeClassifier().fit(X, Y).predict_proba(X), atol=1e-12)
