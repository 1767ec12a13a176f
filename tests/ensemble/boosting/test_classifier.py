"""Boosted classes: a round by hand, from the log-odds it starts with to the steps of its leaves."""

import numpy as np
import pytest

from learnt import GradientBoostingClassifier

X = np.arange(12.0)[:, None]


def softmax(scores):
    parts = np.exp(scores - scores.max(axis=1, keepdims=True))
    return parts / parts.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_round_of_two_classes_adds_a_newton_step_to_the_log_odds(weighted):
    y = np.array([0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1])
    w = np.random.default_rng(0).uniform(0.5, 2, 12) if weighted else np.ones(12)
    eta, penalty = 0.3, 2.0
    model = GradientBoostingClassifier(
        max_iter=1,
        max_leaf_nodes=2,
        min_samples_leaf=1,
        learning_rate=eta,
        l2_regularization=penalty,
        subsample=1.0,
        max_features=1.0,
    ).fit(X, y, w)
    share = np.average(y, weights=w)
    start = np.log(share / (1 - share))
    gradient, hessian = w * (share - y), w * share * (1 - share)

    def gain(cut):
        sides = X[:, 0] <= cut, X[:, 0] > cut
        return sum(gradient[side].sum() ** 2 / (hessian[side].sum() + penalty) for side in sides)

    cut = max(np.arange(11) + 0.5, key=gain)
    steps = [-eta * gradient[s].sum() / (hessian[s].sum() + penalty) for s in (X[:, 0] <= cut, X[:, 0] > cut)]
    scores = start + np.where(X[:, 0] <= cut, *steps)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-scores)), rtol=1e-9)


def test_a_round_of_three_classes_has_a_tree_for_each():
    y = np.repeat([0, 1, 2], 4)
    model = GradientBoostingClassifier(
        max_iter=1,
        max_leaf_nodes=2,
        min_samples_leaf=1,
        learning_rate=0.5,
        l2_regularization=1.0,
        subsample=1.0,
        max_features=1.0,
    ).fit(X, y)
    assert len(model.trees_) == 3
    start = np.log(np.full(3, 1 / 3))
    scores = np.tile(start, (12, 1))
    for c, tree in enumerate(model.trees_):
        left = X[:, 0] <= tree.threshold[0]
        gradient, hessian = 1 / 3 - (y == c), np.full(12, 2 / 9)
        for side in (left, ~left):
            scores[side, c] += -0.5 * gradient[side].sum() / (hessian[side].sum() + 1.0)
    np.testing.assert_allclose(model.predict_proba(X), softmax(scores), rtol=1e-9)


def test_a_single_class_is_all_there_is():
    model = GradientBoostingClassifier().fit(X, ["yes"] * 12)
    assert set(model.predict(X).tolist()) == {"yes"}
    assert len(model.trees_) == 0
