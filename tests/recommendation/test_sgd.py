"""Gradient descent: it goes where least squares go, and never up."""

import numpy as np
import pytest
from tests.recommendation.rating_box import objective, planted

from learnt import MatrixFactorization

ROWS, _ = planted(60, 40)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("settings", [{}, {"biases": False}, {"by_count": False, "regularization": 1.0}], ids=str)
def test_descent_comes_near_the_optimum_of_least_squares(settings):
    weights = np.random.default_rng(0).choice([1, 2], len(ROWS["user"]))
    descent = MatrixFactorization(2, solver="sgd", max_iter=300, tol=1e-6, **settings).fit(ROWS, sample_weight=weights)
    squares = MatrixFactorization(2, max_iter=300, tol=1e-7, **settings).fit(ROWS, sample_weight=weights)
    assert (np.diff(descent.objectives_) <= 0).all()
    assert objective(descent, ROWS, weights) == pytest.approx(descent.objectives_[-1], rel=1e-4)
    assert descent.objectives_[-1] < 1.05 * squares.objectives_[-1]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_rate_that_is_far_too_large_is_halved_until_it_works():
    model = MatrixFactorization(2, solver="sgd", learning_rate=1e6, max_iter=60).fit(ROWS)
    assert np.isfinite(model.predict(ROWS)).all()
    assert model.objectives_[-1] < 0.5 * model.objectives_[0]
