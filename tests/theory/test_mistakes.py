"""Mistake bounds: their numbers, and learners that never err more often, however the rows come."""

import math

import numpy as np
import pytest

import learnt
from learnt.errors import ParameterError
from learnt.theory import (
    find_s_mistakes,
    halving_mistakes,
    perceptron_mistakes,
    weighted_majority_mistakes,
    winnow_mistakes,
)


def test_their_numbers():
    assert find_s_mistakes(6) == 7
    assert halving_mistakes(973) == math.floor(math.log2(973))
    assert halving_mistakes(2**3000) == 3000
    assert halving_mistakes(log_hypotheses=10 * math.log(3)) == math.floor(10 * math.log2(3))
    assert weighted_majority_mistakes(1, 0) == 0


def test_halving_over_thresholds_never_errs_more_often():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        size = int(rng.integers(2, 200))
        alive, truth, mistakes = np.arange(size), int(rng.integers(size)), 0
        for x in rng.permutation(size):
            votes = np.mean(x >= alive)
            mistakes += (votes > 0.5) != (x >= truth)
            alive = alive[(x >= alive) == (x >= truth)]
        assert mistakes <= halving_mistakes(size)


@pytest.mark.parametrize("beta", [0.2, 0.5, 0.9])
def test_weighted_majority_never_errs_more_often(beta):
    rng = np.random.default_rng(1)
    for _ in range(400):
        n, steps = int(rng.integers(1, 12)), 60
        advice = rng.random((steps, n)) < rng.random(n)
        truth = rng.random(steps) < 0.5
        weights, mistakes = np.ones(n), 0
        for row, label in zip(advice, truth, strict=True):
            mistakes += (weights[row].sum() >= weights.sum() / 2) != label
            weights[row != label] *= beta
        best = int((advice != truth[:, None]).sum(axis=0).min())
        assert mistakes <= weighted_majority_mistakes(n, best, beta=beta) + 1e-9


def test_the_perceptron_never_errs_more_often_than_novikoff_says():
    rng = np.random.default_rng(2)
    for _ in range(20):
        w = rng.normal(size=3)
        w /= np.linalg.norm(w)
        X = rng.normal(size=(80, 3))
        X = X[np.abs(X @ w) > 0.2]
        y = np.where(X @ w > 0, 1, -1)
        v, mistakes = np.zeros(3), 0
        for _ in range(200):
            for x, t in zip(X, y, strict=True):
                if t * (v @ x) <= 0:
                    v, mistakes = v + t * x, mistakes + 1
        assert mistakes <= perceptron_mistakes(np.linalg.norm(X, axis=1).max(), np.abs(X @ w).min())


def test_winnow_never_errs_more_often():
    rng = np.random.default_rng(3)
    n, relevant = 64, 3
    for _ in range(20):
        X = rng.random((400, n)) < 0.1
        y = X[:, :relevant].any(axis=1)
        w, mistakes = np.ones(n), 0
        for x, t in zip(X, y, strict=True):
            said = w[x].sum() >= n / 2
            if said != t:
                mistakes += 1
                w[x] = w[x] * 2 if t else 0.0
        assert mistakes <= winnow_mistakes(n, relevant)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: find_s_mistakes(0),
        lambda: halving_mistakes(),
        lambda: halving_mistakes(5, log_hypotheses=1.0),
        lambda: perceptron_mistakes(1, 0),
        lambda: winnow_mistakes(8, 2, alpha=1),
        lambda: weighted_majority_mistakes(3, -1),
        lambda: weighted_majority_mistakes(3, 1, beta=1.0),
    ],
)
def test_numbers_that_cannot_be_are_refused(wrong):
    with pytest.raises(ParameterError):
        wrong()


def test_our_perceptron_keeps_its_bound():
    X = np.array([[1.0, 2], [2, 1], [-1, -2], [-2, -1]])
    model = learnt.Perceptron().fit(X, [True, True, False, False])
    assert (np.asarray(model.predict(X)) == [True, True, False, False]).all()
