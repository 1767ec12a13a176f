"""Classes by gradient steps: the optimum that steps lead to, units of two and of more classes, probabilities."""

import numpy as np
import pytest
from scipy.optimize import minimize

from learnt import SGDClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3)) * [1, 10, 0.1] + [0, 5, 1]
SCORE = X @ [1.0, -0.1, 10.0] - 9.5 + RNG.logistic(size=300)


def objective(z, y, alpha):
    """Mean logistic loss and a ridge on standardised columns; y is ±1."""
    return lambda w: np.logaddexp(0, -y * (w[0] + z @ w[1:])).mean() + alpha / 2 * (w[1:] ** 2).sum()


def test_log_odds_end_near_the_optimum_found_by_another_program():
    y, z = np.where(SCORE > 0, 1, -1), (X - X.mean(axis=0)) / X.std(axis=0)
    model = SGDClassifier(alpha=0.01, tol=1e-6, average=True).fit(X, y)
    value = objective(z, y, 0.01)
    best = minimize(value, np.zeros(4), tol=1e-10)
    found = np.append(model.intercept_ + X.mean(axis=0) @ model.coef_[0], model.coef_[0] * X.std(axis=0))
    assert value(found) < best.fun + 1e-3
    scores = model.intercept_[0] + X @ model.coef_[0]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-scores)), rtol=1e-9)


def test_two_classes_have_one_unit_and_three_have_one_each_that_knows_its_class_alone():
    y = np.digitize(SCORE, [-2, 2])
    three = SGDClassifier(max_iter=50).fit(X, y)
    assert three.coef_.shape == (3, 3)
    for c in range(3):
        alone = SGDClassifier(max_iter=50).fit(X, y == c)
        assert alone.coef_.shape == (1, 3)
        assert np.corrcoef(X @ three.coef_[c], X @ alone.coef_[0])[0, 1] > 0.99


@pytest.mark.parametrize("loss", ["hinge", "squared", "exponential"])
def test_scores_of_other_losses_are_as_steep_as_the_rows_say(loss):
    """`steepness_` makes the log-likelihood of probabilities largest: flatter and steeper ones are no better."""
    y = (SCORE > 0).astype(int)
    model = SGDClassifier(loss=loss, alpha=0.01).fit(X, y)
    scores = model.intercept_[0] + X @ model.coef_[0]

    def likelihood(s):
        return -np.logaddexp(0, -np.where(y == 1, 1, -1) * s * scores).mean()

    best = likelihood(model.steepness_)
    assert best >= likelihood(0.9 * model.steepness_)
    assert best >= likelihood(1.1 * model.steepness_)
