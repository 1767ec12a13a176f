"""Isolation forests: samples of weighted rows, scores like scikit-learn's, and what is no forest."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest as TheirForest

from learnt import Table
from learnt.novelty.isolation_forest import IsolationForest, _samples


def grown(x, n_trees=100, most=256, seed=0):
    return IsolationForest.grown(Table(x), np.arange(len(x)), np.ones(len(x)), n_trees, most, seed)


def test_scores_go_with_those_of_scikit_learn():
    x = np.random.default_rng(0).normal(size=(2000, 3))
    ours = grown(x, 300).novelty(Table(x))
    theirs = -TheirForest(n_estimators=300, random_state=0).fit(x).score_samples(x)
    # Theirs is 2^(−E[h]/c): the same once it is written as ours.
    assert np.corrcoef(ours, 1 + np.log2(theirs))[0, 1] > 0.97
    assert abs(ours.mean() - (1 + np.log2(theirs)).mean()) < 0.01


def test_a_sample_holds_no_copy_twice_and_copies_by_their_weight():
    weights = np.array([1.0, 0.5, 6.0, 0.5, 300.0, 2.0])
    rows, counted = _samples(weights, 400, 50, 0)
    assert counted is None
    often = np.bincount(rows.ravel(), minlength=6) / 400
    np.testing.assert_allclose(often, weights * 50 / 310, rtol=0.35)
    assert max((row == 2).sum() for row in rows) <= 6
    everyone, counted = _samples(weights, 3, 310, 0)
    assert everyone.shape == (3, 6)
    assert counted is weights


def test_a_row_of_its_own_is_isolated_sooner():
    x = np.append(np.random.default_rng(1).normal(size=300), 40.0)[:, None]
    novelty = grown(x, 100, 301).novelty(Table(x))
    assert novelty.argmax() == 300
    assert novelty[300] > 0.5
    assert abs(np.median(novelty)) < 0.3


def test_damaged_nodes_are_refused():
    forest = grown(np.random.default_rng(2).normal(size=(50, 2)), 3)
    with pytest.raises(ValueError, match="children"):
        replace(forest, left=np.zeros_like(forest.left))
    with pytest.raises(ValueError, match="not those of one"):
        replace(forest, missing=forest.missing + 5)
    with pytest.raises(ValueError, match="at least one tree"):
        replace(forest, starts=forest.starts[:1])
